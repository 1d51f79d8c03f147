"""A trip count that ends at the edge needs no guard."""

from typing import Any

import tilelang.language as T

from tests.helpers.case import Case, shapes


def strided_copy() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def strided_copy(x: T.Tensor((n,), "int32"), y: T.Tensor((n,), "int32")):
        with T.Kernel(2, threads=8) as block:
            t = T.get_thread_binding()
            for i in T.serial(T.ceildiv(n - (block * 8 + t), 16)):
                y[block * 8 + t + i * 16] = x[block * 8 + t + i * 16]

    return strided_copy


def whole_tiles_only() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def whole_tiles_only(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(n // 16, threads=16) as block:
            t = T.get_thread_binding()
            y[block * 16 + t] = x[block * 16 + t] * T.float32(2)

    return whole_tiles_only


CASES = [Case(strided_copy, 0, shapes(n=16)), Case(whole_tiles_only, 0, shapes(n=16))]
