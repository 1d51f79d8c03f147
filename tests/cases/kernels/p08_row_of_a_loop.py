"""A test on the row does not belong into the loop over the columns."""

from typing import Any

import tilelang.language as T

from tests.helpers.case import Case, shapes


def row_maximum() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def row_maximum(x: T.Tensor((n, 24), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 16), threads=16) as block:
            t = T.get_thread_binding()
            best = T.alloc_var("float32")
            best = T.float32(-1)
            for j in T.serial(24):
                best = T.max(best, x[block * 16 + t, j])
            y[block * 16 + t] = best

    return row_maximum


def column_scale() -> Any:
    """Stores alone in the loop: outside of the bounds there is nothing to do."""
    m = T.dynamic("m")

    @T.prim_func
    def column_scale(x: T.Tensor((12, m), "float32"), y: T.Tensor((12, m), "float32")):
        with T.Kernel(T.ceildiv(m, 16), threads=16) as block:
            t = T.get_thread_binding()
            for j in T.serial(12):
                y[j, block * 16 + t] = x[j, block * 16 + t] * T.float32(3)

    return column_scale


CASES = [Case(row_maximum, 2, shapes(n=16)), Case(column_scale, 1, shapes(m=16))]
# How many tests there are in the generated code, all outside of the loop: of the loop and of the store, or of both.
TESTS = [(CASES[0], 2), (CASES[1], 1)]
