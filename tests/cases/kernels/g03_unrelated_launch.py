"""A launch that says nothing about the tensor: every dimension is guarded."""

from typing import Any

import tilelang.language as T

from tests.helpers.case import Case

SIZES = (0, 1, 3, 7, 8, 9)


def fill_corner() -> Any:
    n, m = T.dynamic("n, m")

    @T.prim_func
    def fill_corner(y: T.Tensor((n, m), "int32"), blocks: T.int32):
        with T.Kernel(blocks, threads=8) as block:
            t = T.get_thread_binding()
            y[block, t] = block * 8 + t

    return fill_corner


def copy_window() -> Any:
    """A scalar parameter moves the window anywhere: both ends of the load are open, the store is exact."""
    n = T.dynamic("n")

    @T.prim_func
    def copy_window(x: T.Tensor((n,), "int32"), y: T.Tensor((8,), "int32"), start: T.int32):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[t] = x[start + t]

    return copy_window


CASES = [
    Case(fill_corner, 2, tuple({"n": n, "m": m, "blocks": 9} for n in SIZES for m in SIZES)),
    Case(copy_window, 2, tuple({"n": n, "start": at} for n in SIZES for at in (-(2**31), -9, -3, 0, 8, 2**31 - 4))),
]
