"""A cp.async outside fills every element with the safe value: TileLang's pass fills the first one."""

from typing import Any

import tilelang.language as T

from tests.helpers import checks
from tests.helpers.case import Case, each, indices, shapes


def stage_with_minus_one() -> Any:
    """Whole copies outside, a safe value other than zero."""
    n = T.dynamic("n")

    @T.prim_func
    def stage_with_minus_one(src: T.Tensor((n,), "int32"), dst: T.Tensor((32,), "int32")):
        with T.Kernel(1, threads=8):
            T.annotate_safe_value({src: -1})
            t = T.get_thread_binding()
            tile = T.alloc_shared((32,), "int32")
            T.ptx_cp_async(T.access_ptr(tile[t * 4], "w", 4), T.access_ptr(src[t * 4], "r", 4), 4)
            T.ptx_commit_group()
            T.ptx_wait_group(0)
            for k in T.serial(4):
                dst[t * 4 + k] = tile[t * 4 + k]

    return stage_with_minus_one


def stage_listed_rows() -> Any:
    """Rows chosen by an index tensor; a row that is not there reads as ones."""
    n = T.dynamic("n")

    @T.prim_func
    def stage_listed_rows(
        pick: T.Tensor((4,), "int32"), src: T.Tensor((n, 8), "float16"), dst: T.Tensor((4, 8), "float16")
    ):
        with T.Kernel(1, threads=4):
            T.annotate_safe_value({src: T.float16(1)})
            t = T.get_thread_binding()
            tile = T.alloc_shared((4, 8), "float16")
            T.ptx_cp_async(T.access_ptr(tile[t, 0], "w", 8), T.access_ptr(src[pick[t], 0], "r", 8), 8)
            T.ptx_commit_group()
            T.ptx_wait_group(0)
            for k in T.serial(8):
                dst[t, k] = tile[t, k]

    return stage_listed_rows


CASES = [
    Case(stage_with_minus_one, 4, shapes(n=32)),
    Case(stage_listed_rows, 2, shapes(n=4), {"pick": indices(-1, 4, 0, 2)}),
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
