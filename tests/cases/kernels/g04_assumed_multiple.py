"""A length that is assumed to be a multiple of the vector: vectors, one test that no lane is in."""

from typing import Any

import tilelang.language as T

from tests.helpers.case import Case


def scale_by_eights() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def scale_by_eights(x: T.Tensor((n,), "float16"), y: T.Tensor((n,), "float16")):
        T.assume(n % 8 == 0)
        with T.Kernel(T.ceildiv(n, 256), threads=32) as block:
            for i in T.Parallel(256):
                y[block * 256 + i] = x[block * 256 + i] * T.float16(2)

    return scale_by_eights


def add_rows_by_fours() -> Any:
    n, m = T.dynamic("n, m")

    @T.prim_func
    def add_rows_by_fours(x: T.Tensor((n, m), "float32"), y: T.Tensor((n, m), "float32")):
        T.assume(m % 4 == 0)
        with T.Kernel(n, T.ceildiv(m, 128), threads=32) as (row, block):
            for j in T.Parallel(128):
                y[row, block * 128 + j] = x[row, block * 128 + j] + T.float32(1)

    return add_rows_by_fours


CASES = [
    Case(scale_by_eights, 1, tuple({"n": n} for n in (0, 8, 248, 256, 264, 296))),
    Case(add_rows_by_fours, 1, tuple({"n": n, "m": m} for n in (0, 1, 3) for m in (0, 4, 124, 128, 132, 148))),
]
TEXT = [
    (CASES[0], 16, {"x": (1, 0), "y": (1, 0)}),
    (CASES[1], 16, {"x": (1, 0), "y": (1, 0)}),
]
