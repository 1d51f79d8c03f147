"""A ragged length costs the last vector its form, not the others."""

from typing import Any

import tilelang.language as T

from tests.helpers.case import Case, shapes


def scale_ragged() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def scale_ragged(x: T.Tensor((n,), "float16"), y: T.Tensor((n,), "float16")):
        with T.Kernel(T.ceildiv(n, 256), threads=32) as block:
            for i in T.Parallel(256):
                y[block * 256 + i] = x[block * 256 + i] * T.float16(2)

    return scale_ragged


def blend_ragged() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def blend_ragged(a: T.Tensor((n,), "float32"), b: T.Tensor((n,), "float32"), c: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 128), threads=32) as block:
            for i in T.Parallel(128):
                c[block * 128 + i] = T.max(a[block * 128 + i], b[block * 128 + i]) - a[block * 128 + i]

    return blend_ragged


def fill_ragged() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def fill_ragged(y: T.Tensor((n,), "int32")):
        with T.Kernel(T.ceildiv(n, 128), threads=32) as block:
            for i in T.Parallel(128):
                y[block * 128 + i] = 7

    return fill_ragged


# Two comparisons each: one of the last lane, one of each element of the tail.
CASES = [
    Case(scale_ragged, 2, shapes(n=256)),
    Case(blend_ragged, 2, shapes(n=128)),
    Case(fill_ragged, 2, shapes(n=128)),
]
# (kernel, width in bytes, vector accesses and scalar accesses of each buffer)
TEXT = [
    (CASES[0], 16, {"x": (1, 1), "y": (1, 1)}),
    (CASES[1], 16, {"a": (2, 2), "b": (1, 1), "c": (1, 1)}),
    (CASES[2], 16, {"y": (1, 1)}),
]
