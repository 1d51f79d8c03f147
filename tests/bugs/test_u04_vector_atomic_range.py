"""A vector atomic touches two or four elements: TileLang's pass checks the first one alone."""

from typing import Any

import tilelang.language as T

from tests.helpers import checks
from tests.helpers.case import Case, each, shapes


def add_quads() -> Any:
    """The last column group of a row is partly outside."""
    n, m = T.dynamic("n, m")

    @T.prim_func
    def add_quads(total: T.Tensor((n, m), "float32"), part: T.Tensor((16,), "float32")):
        with T.Kernel(n, threads=4) as row:
            t = T.get_thread_binding()
            T.atomic_addx4(total[row, t * 4], part[t * 4])

    return add_quads


def add_pairs() -> Any:
    """Pairs from an odd offset: the last pair hangs over by one."""
    n = T.dynamic("n")

    @T.prim_func
    def add_pairs(total: T.Tensor((n,), "float32"), part: T.Tensor((n + 16,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            T.atomic_addx2(total[t * 2], part[t * 2])

    return add_pairs


CASES = [
    Case(add_quads, 4, shapes(n=2, m=16)),
    Case(add_pairs, 2, shapes(n=16)),
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
