"""A right-hand side with an effect is evaluated also where its store is skipped: TileLang's pass drops it."""

from typing import Any

import tilelang.language as T

from tests.helpers import checks
from tests.helpers.case import Case, each, shapes, zeros


def largest_so_far() -> Any:
    """The maximum is taken by every lane, the answer kept by those with room."""
    room = T.dynamic("room")

    @T.prim_func
    def largest_so_far(x: T.Tensor((16,), "int32"), best: T.Tensor((1,), "int32"), out: T.Tensor((room,), "int32")):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            out[t] = T.atomic_max(best[0], x[t], return_prev=True)

    return largest_so_far


def count_by_parity() -> Any:
    """The effect stands deep in the value; the store is out in either dimension."""
    n, m = T.dynamic("n, m")

    @T.prim_func
    def count_by_parity(count: T.Tensor((2,), "int32"), out: T.Tensor((n, m), "int32")):
        with T.Kernel(3, threads=8) as row:
            t = T.get_thread_binding()
            out[row, t] = 10 * T.atomic_add(count[t % 2], 1, return_prev=True) + row

    return count_by_parity


CASES = [
    Case(largest_so_far, 1, shapes(room=16), {"best": zeros}),
    Case(count_by_parity, 2, shapes(n=3, m=8)),
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
