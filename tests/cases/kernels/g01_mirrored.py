"""Mirrored indices n - 1 - i with i < n need no guard."""

from typing import Any

import tilelang.language as T

from tests.helpers.case import Case, shapes


def rotate_half_turn() -> Any:
    n, m = T.dynamic("n, m")

    @T.prim_func
    def rotate_half_turn(x: T.Tensor((n, m), "int32"), y: T.Tensor((n, m), "int32")):
        with T.Kernel(n, m, threads=1) as (i, j):
            y[n - 1 - i, m - 1 - j] = x[i, j]

    return rotate_half_turn


def suffixes() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def suffixes(x: T.Tensor((n,), "int32"), y: T.Tensor((n,), "int32")):
        with T.Kernel(n, threads=1) as i:
            total = T.alloc_var("int32")
            total = 0
            for k in T.serial(i + 1):
                total = total + x[n - 1 - k]
            y[n - 1 - i] = total

    return suffixes


CASES = [
    Case(rotate_half_turn, 0, shapes(n=2, m=4)),
    Case(suffixes, 0, shapes(n=8)),
]
