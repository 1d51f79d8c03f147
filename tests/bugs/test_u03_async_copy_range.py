"""A cp.async moves many elements: TileLang's pass checks the first one alone."""

from typing import Any

import tilelang.language as T

from tests.helpers import checks
from tests.helpers.case import Case, each, shapes


def stage_rows() -> Any:
    """Rows of four floats: the end of a row cuts through a copy."""
    n, m = T.dynamic("n, m")

    @T.prim_func
    def stage_rows(src: T.Tensor((n, m), "float32"), dst: T.Tensor((n, 32), "float32")):
        with T.Kernel(n, threads=8) as row:
            t = T.get_thread_binding()
            tile = T.alloc_shared((32,), "float32")
            T.ptx_cp_async(T.access_ptr(tile[t * 4], "w", 4), T.access_ptr(src[row, t * 4], "r", 4), 4)
            T.ptx_commit_group()
            T.ptx_wait_group(0)
            for k in T.serial(4):
                dst[row, t * 4 + k] = tile[t * 4 + k]

    return stage_rows


def stage_from_the_left() -> Any:
    """A window that begins before the buffer and ends behind it."""
    n = T.dynamic("n")

    @T.prim_func
    def stage_from_the_left(src: T.Tensor((n,), "float16"), dst: T.Tensor((64,), "float16")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            tile = T.alloc_shared((64,), "float16")
            T.ptx_cp_async(T.access_ptr(tile[t * 8], "w", 8), T.access_ptr(src[t * 8 - 4], "r", 8), 8)
            T.ptx_commit_group()
            T.ptx_wait_group(0)
            for k in T.serial(8):
                dst[t * 8 + k] = tile[t * 8 + k]

    return stage_from_the_left


CASES = [
    Case(stage_rows, 4, shapes(n=2, m=32)),
    Case(stage_from_the_left, 14, shapes(n=64)),
]


@each(CASES)
def test_right(case: Case) -> None:
    checks.right_with_ours(case)


@each(CASES, minimal=True)
def test_guards(case: Case) -> None:
    checks.guard_count(case)


@each(CASES)
def test_tilelang_is_wrong(case: Case) -> None:
    checks.wrong_with_tilelang(case)
