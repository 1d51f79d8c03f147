"""Atomics that TileLang's pass does not know (`atomic_or`): it leaves them unguarded."""

from typing import Any

import tilelang.language as T

from tests.helpers import checks
from tests.helpers.case import Case, each, indices, shapes


def mark_cells() -> Any:
    """A bit map of two dimensions, both open."""
    n, m = T.dynamic("n, m")

    @T.prim_func
    def mark_cells(bits: T.Tensor((n, m), "int32")):
        with T.Kernel(4, threads=8) as row:
            t = T.get_thread_binding()
            T.atomic_or(bits[row, t], 1 << row)

    return mark_cells


def mark_listed() -> Any:
    """The cell comes from memory, read once."""
    n = T.dynamic("n")

    @T.prim_func
    def mark_listed(cell: T.Tensor((16,), "int32"), bits: T.Tensor((n,), "uint32")):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            T.atomic_or(bits[cell[t]], T.uint32(2))

    return mark_listed


CASES = [
    Case(mark_cells, 2, shapes(n=4, m=8)),
    Case(mark_listed, 2, shapes(n=16), {"cell": indices(-1, 16, 3, -(2**31), 2**31 - 1)}),
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
