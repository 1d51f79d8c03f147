"""`__ldg` of an element that may be outside: TileLang's pass puts a guard into the address and lowering dies of it.

The oracle cannot run it: the conditions around the op are evaluated by themselves.
"""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import tilelang.language as T

from tests.helpers import checks
from tests.helpers.case import Case
from tests.helpers.cuda_text import depth_of


def both_dimensions_open() -> Any:
    n, m = T.dynamic("n, m")

    @T.prim_func
    def both_dimensions_open(x: T.Tensor((n, m), "float32"), y: T.Tensor((4, 8), "float32")):
        with T.Kernel(4, threads=8) as block:
            t = T.get_thread_binding()
            y[block, t] = T.__ldg(x[block, t]) * T.float32(2)

    return both_dimensions_open


def left_of_the_author() -> Any:
    """The author bounds the index from above; the guard does not repeat it."""
    n = T.dynamic("n")

    @T.prim_func
    def left_of_the_author(x: T.Tensor((n,), "int32"), y: T.Tensor((n,), "int32")):
        with T.Kernel(T.ceildiv(n, 8), threads=8) as block:
            t = T.get_thread_binding()
            if block * 8 + t < n:
                y[block * 8 + t] = T.__ldg(x[block * 8 + t - 1])

    return left_of_the_author


def inside_two(n: int, m: int, bx: int, t: int) -> bool:
    return bx < n and t < m


def inside_one(n: int, bx: int, t: int) -> bool:
    return 1 <= bx * 8 + t < n


TWO = [
    {"n": n, "m": m, "bx": bx, "t": t}
    for n, m in itertools.product((0, 1, 3, 4, 5), (0, 1, 7, 8, 9))
    for bx in range(4)
    for t in range(8)
]
ONE = [{"n": n, "bx": bx, "t": t} for n in (0, 1, 7, 8, 9, 17) for bx in range(3) for t in range(8)]
TABLE = [(Case(both_dimensions_open, 2), TWO, inside_two), (Case(left_of_the_author, 1), ONE, inside_one)]
EACH = pytest.mark.parametrize(("case", "every", "inside"), TABLE, ids=[case.name for case, _, _ in TABLE])


@EACH
def test_right(case: Case, every: list[dict[str, int]], inside: Callable[..., bool]) -> None:
    lowered = case.lowered()
    checks.guard_count(case)
    checks.runs_exactly_when(lowered.after, "tl.__ldg", every, inside)
    assert depth_of(lowered.kernel, "__ldg(&(x[") >= 2


@EACH
def test_tilelang_is_wrong(case: Case, every: list[dict[str, int]], inside: Callable[..., bool]) -> None:
    with pytest.raises(Exception, match="__ldg expects a BufferLoad"):
        case.lowered("tilelang")
