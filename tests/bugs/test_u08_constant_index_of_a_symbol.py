"""A literal index into an extent that may be smaller: TileLang's pass skips constant indices."""

from typing import Any

import tilelang.language as T

from tests.helpers import checks
from tests.helpers.case import Case, each, shapes


def header_fields() -> Any:
    """Three fields in front of a buffer that may be empty: the largest index covers all."""
    n = T.dynamic("n")

    @T.prim_func
    def header_fields(x: T.Tensor((n,), "int32"), out: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            out[t] = x[0] + x[1] * t + x[6]

    return header_fields


def third_row() -> Any:
    """A fixed row of a matrix with a symbolic number of rows; loads and stores."""
    n = T.dynamic("n")

    @T.prim_func
    def third_row(x: T.Tensor((n, 8), "float32"), y: T.Tensor((n, 8), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[2, t] = x[3, t]

    return third_row


CASES = [
    Case(header_fields, 3, shapes(n=6)),
    Case(third_row, 2, shapes(n=3)),
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
