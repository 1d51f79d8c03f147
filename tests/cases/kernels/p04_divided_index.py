"""Indices split by division: what bounds the whole bounds the parts."""

from typing import Any

import tilelang.language as T

from tests.helpers.case import Case, shapes


def transpose_flat() -> Any:
    n, m = T.dynamic("n, m")

    @T.prim_func
    def transpose_flat(x: T.Tensor((n, m), "int32"), y: T.Tensor((m, n), "int32")):
        with T.Kernel(T.ceildiv(n * m, 32), threads=32) as block:
            t = T.get_thread_binding()
            k = block * 32 + t
            if k < n * m:
                y[k % m, k // m] = x[k // m, k % m]

    return transpose_flat


def group_of_heads() -> Any:
    """Four query heads read the row of one key head."""
    heads = T.dynamic("heads")

    @T.prim_func
    def group_of_heads(keys: T.Tensor((heads, 8), "float32"), out: T.Tensor((heads * 4, 8), "float32")):
        with T.Kernel(heads * 4, threads=8) as head:
            t = T.get_thread_binding()
            out[head, t] = keys[head // 4, t]

    return group_of_heads


def rows_past_the_end() -> Any:
    """The columns wrap around, which is always inside; the rows are open above: one test."""
    n = T.dynamic("n")

    @T.prim_func
    def rows_past_the_end(x: T.Tensor((n, 8), "float32"), y: T.Tensor((4, 32), "float32")):
        with T.Kernel(4, threads=32) as block:
            t = T.get_thread_binding()
            y[block, t] = x[(block * 32 + t) // 8, (block * 32 + t) % 8]

    return rows_past_the_end


CASES = [
    Case(transpose_flat, 0, tuple(env for env in shapes(n=5, m=7) if env["m"])),
    Case(group_of_heads, 0, shapes(heads=4)),
    Case(rows_past_the_end, 1, shapes(n=16)),
]
