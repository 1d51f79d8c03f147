"""A return, break or continue of the author's leaves only the threads that are inside."""

from typing import Any

import tilelang.language as T

from tests.helpers.case import Case, shapes


def return_when_outside() -> Any:
    n, m = T.dynamic("n, m")

    @T.prim_func
    def return_when_outside(x: T.Tensor((n, m), "float32"), y: T.Tensor((n, m), "float32")):
        with T.Kernel(T.ceildiv(n, 4), T.ceildiv(m, 8), threads=8) as (row, column):
            t = T.get_thread_binding()
            if column * 8 + t >= m:
                T.thread_return()
            for i in T.serial(4):
                if row * 4 + i < n:
                    y[row * 4 + i, column * 8 + t] = x[row * 4 + i, column * 8 + t] + T.float32(1)

    return return_when_outside


def break_at_the_end() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def break_at_the_end(x: T.Tensor((n,), "int32"), y: T.Tensor((n,), "int32")):
        with T.Kernel(T.ceildiv(n, 64), threads=8) as block:
            t = T.get_thread_binding()
            for i in T.serial(8):
                if block * 64 + i * 8 + t >= n:
                    T.loop_break()
                y[block * 64 + i * 8 + t] = x[block * 64 + i * 8 + t] * 2

    return break_at_the_end


def return_from_one_side() -> Any:
    """The author's return bounds the index from above; the halo below stays open: one test."""
    n = T.dynamic("n")

    @T.prim_func
    def return_from_one_side(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 16), threads=16) as block:
            t = T.get_thread_binding()
            if block * 16 + t >= n:
                T.thread_return()
            y[block * 16 + t] = x[block * 16 + t - 2]

    return return_from_one_side


CASES = [
    Case(return_when_outside, 0, shapes(n=4, m=8)),
    Case(break_at_the_end, 0, shapes(n=64)),
    Case(return_from_one_side, 1, shapes(n=16)),
]
