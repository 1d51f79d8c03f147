"""An index that the author has chosen or clamped: only what the choice leaves open is tested."""

from typing import Any

import tilelang.language as T

from tests.helpers.case import Case, indices, shapes


def clamped_neighbour() -> Any:
    """min(t + 1, n - 1) is inside as soon as there is an element at all."""
    n = T.dynamic("n")

    @T.prim_func
    def clamped_neighbour(x: T.Tensor((n,), "float32"), y: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            y[t] = x[T.min(t + 1, n - 1)]

    return clamped_neighbour


def select_between_rows() -> Any:
    """Either row is open above: one guard, on the row that was selected; the selection in its words is the second."""
    n = T.dynamic("n")

    @T.prim_func
    def select_between_rows(flag: T.Tensor((8,), "int32"), x: T.Tensor((n, 8), "int32"), y: T.Tensor((8, 8), "int32")):
        with T.Kernel(8, threads=8) as block:
            t = T.get_thread_binding()
            y[block, t] = x[T.if_then_else(flag[block] > 0, block, 3), t]

    return select_between_rows


def clamped_both_sides() -> Any:
    """max(min(i, n - 1), 0) of an index from memory: only 0 < n is open."""
    n = T.dynamic("n")

    @T.prim_func
    def clamped_both_sides(where: T.Tensor((16,), "int32"), x: T.Tensor((n,), "int32"), y: T.Tensor((16,), "int32")):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            y[t] = x[T.max(T.min(where[t], n - 1), 0)]

    return clamped_both_sides


CASES = [
    Case(clamped_neighbour, 1, shapes(n=16)),
    Case(select_between_rows, 2, shapes(n=8), {"flag": indices(1, 0, -5, 2)}),
    Case(clamped_both_sides, 1, shapes(n=16), {"where": indices(-1, 20, -(2**31), 2**31 - 1)}),
]
