"""Lanes are judged one by one: with TileLang's pass one lane outside drops the good ones of its vector."""

from typing import Any

import tilelang.language as T

from tests.helpers import checks
from tests.helpers.case import Case, each, shapes


def pairs_out() -> Any:
    """A store of pairs at an odd offset."""
    n = T.dynamic("n")

    @T.prim_func
    def pairs_out(x: T.Tensor((16,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[T.Ramp(t * 2 + 1, 1, 2)] = x[T.Ramp(t * 2, 1, 2)]

    return pairs_out


def quads_before_the_start() -> Any:
    """A load of quads that begins two elements before the buffer."""
    n = T.dynamic("n")

    @T.prim_func
    def quads_before_the_start(x: T.Tensor((n,), "float32"), y: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[T.Ramp(t * 4, 1, 4)] = x[T.Ramp(t * 4 - 2, 1, 4)]

    return quads_before_the_start


def every_third() -> Any:
    """A strided load: single lanes of it are outside."""
    n = T.dynamic("n")

    @T.prim_func
    def every_third(x: T.Tensor((n,), "int32"), y: T.Tensor((16,), "int32")):
        with T.Kernel(1, threads=4):
            t = T.get_thread_binding()
            y[T.Ramp(t * 4, 1, 4)] = x[T.Ramp(t, 3, 4)]

    return every_third


CASES = [
    Case(pairs_out, 2, shapes(n=16)),
    Case(quads_before_the_start, 8, shapes(n=32)),
    Case(every_third, 4, shapes(n=12)),
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
