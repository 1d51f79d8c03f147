"""Collectives stay where all their threads reach them: TileLang's pass puts them under the guard of their store.

The oracle knows no warps: the conditions around the collective are read from the module, its place from the CUDA.
"""

from typing import Any

import pytest
import tilelang.language as T

from tests.helpers import checks
from tests.helpers.case import Case
from tests.helpers.cuda_text import depth_of


def row_maximum_of_a_warp() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def row_maximum_of_a_warp(x: T.Tensor((n,), "int32"), y: T.Tensor((n,), "int32")):
        with T.Kernel(T.ceildiv(n, 32), threads=32) as block:
            t = T.get_thread_binding()
            y[block * 32 + t] = T.warp_reduce_max(x[block * 32 + t]) - 1

    return row_maximum_of_a_warp


def swap_with_neighbour() -> Any:
    n, m = T.dynamic("n, m")

    @T.prim_func
    def swap_with_neighbour(x: T.Tensor((n,), "int32"), y: T.Tensor((m,), "int32")):
        with T.Kernel(1, threads=32):
            t = T.get_thread_binding()
            y[t] = T.shfl_xor(x[t], 1)

    return swap_with_neighbour


def how_many_are_positive() -> Any:
    """A vote of the block, whose answer is stored by the threads that have room."""
    n = T.dynamic("n")

    @T.prim_func
    def how_many_are_positive(x: T.Tensor((64,), "int32"), y: T.Tensor((n,), "int32")):
        with T.Kernel(1, threads=64):
            t = T.get_thread_binding()
            y[t] = T.syncthreads_count(x[t] > 0)

    return how_many_are_positive


TABLE = [
    (Case(row_maximum_of_a_warp, 2), "tl.warp_reduce_max", "tl::warp_reduce_max"),
    (Case(swap_with_neighbour, 2), "tl.shfl_xor_sync", "__shfl_xor_sync"),
    (Case(how_many_are_positive, 1), "tl.syncthreads_count", "__syncthreads_count"),
]
EACH = pytest.mark.parametrize(("case", "op", "text"), TABLE, ids=[case.name for case, _, _ in TABLE])


@EACH
def test_right(case: Case, op: str, text: str) -> None:
    lowered = case.lowered()
    checks.guard_count(case)
    assert checks.conditions_around(lowered.after, op) == [[]]
    assert depth_of(lowered.kernel, text) == 1
    assert depth_of(lowered.kernel, "y[") == 2


@EACH
def test_tilelang_is_wrong(case: Case, op: str, text: str) -> None:
    lowered = case.lowered("tilelang")
    assert checks.conditions_around(lowered.after, op) != [[]]
    assert depth_of(lowered.kernel, text) == 2
