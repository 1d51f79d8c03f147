"""Several accesses wait on one bound: one test."""

from typing import Any

import tilelang.language as T

from tests.helpers.case import Case, shapes


def weighted_sum() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def weighted_sum(
        a: T.Tensor((n,), "float32"), w: T.Tensor((n,), "float32"), b: T.Tensor((n, 2), "float32"),
        out: T.Tensor((32,), "float32"),
    ):  # fmt: skip
        with T.Kernel(1, threads=32):
            t = T.get_thread_binding()
            out[t] = a[t] * w[t] + b[t, 0] * b[t, 1]

    return weighted_sum


def store_and_loads() -> Any:
    """The store's bound bounds the loads of its right-hand side."""
    n = T.dynamic("n")

    @T.prim_func
    def store_and_loads(a: T.Tensor((n,), "int32"), b: T.Tensor((n,), "int32"), c: T.Tensor((n,), "int32")):
        with T.Kernel(T.ceildiv(n, 32), threads=32) as block:
            t = T.get_thread_binding()
            c[block * 32 + t] = a[block * 32 + t] - b[block * 32 + t]

    return store_and_loads


def halo_from_both_sides() -> Any:
    """The left and the right neighbour are open on one side each: two tests, no third for the middle."""
    n = T.dynamic("n")

    @T.prim_func
    def halo_from_both_sides(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(n, threads=1) as i:
            y[i] = x[i - 1] + x[i] + x[i + 1]

    return halo_from_both_sides


CASES = [
    Case(weighted_sum, 1, shapes(n=32)),
    Case(store_and_loads, 1, shapes(n=32)),
    Case(halo_from_both_sides, 2, shapes(n=8)),
]
