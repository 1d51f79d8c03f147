"""A load inside an atomic's value stands under the author's condition: TileLang's pass puts one on the atomic."""

from typing import Any

import tilelang.language as T

from tests.helpers import checks
from tests.helpers.case import Case, each, shapes, zeros


def running_maximum() -> Any:
    """The first lane has no left neighbour and offers a constant."""

    @T.prim_func
    def running_maximum(x: T.Tensor((16,), "int32"), best: T.Tensor((16,), "int32")):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            T.atomic_max(best[t], T.if_then_else(t >= 1, x[t - 1], 1000))

    return running_maximum


def padded_histogram() -> Any:
    """Behind the end of x a default is counted: no lane is left out."""
    n = T.dynamic("n")

    @T.prim_func
    def padded_histogram(x: T.Tensor((n,), "int32"), acc: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            T.atomic_add(acc[t % 4], T.if_then_else(t + 1 < n, x[t + 1], 100))

    return padded_histogram


CASES = [
    Case(running_maximum, 0, fill={"best": zeros}),
    Case(padded_histogram, 0, shapes(n=16)),
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
