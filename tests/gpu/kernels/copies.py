"""Copies through shared memory: cp.async by hand and by T.copy, pipelines, TMA, matrix products, reductions."""

from functools import partial
from typing import Any

import numpy as np
import tilelang.language as T

from tests.gpu.case import Arrays, Env, GpuCase, normal, padded, sizes, small, taken

HALF = "float16"


def staged(count: int, dtype: str, safe: int) -> Any:
    """One cp.async of `count` elements a thread, and what arrived in shared memory."""
    n = T.dynamic("n")

    @T.prim_func
    def staged(src: T.Tensor((n,), dtype), dst: T.Tensor((32 * count,), dtype)):
        with T.Kernel(1, threads=32):
            T.annotate_safe_value({src: T.Cast(dtype, safe)})
            t = T.get_thread_binding()
            tile = T.alloc_shared((32 * count,), dtype)
            T.ptx_cp_async(T.access_ptr(tile[t * count], "w", count), T.access_ptr(src[t * count], "r", count), count)
            T.ptx_commit_group()
            T.ptx_wait_group(0)
            for k in T.serial(count):
                dst[t * count + k] = tile[t * count + k]

    return staged


def staged_case(count: int, dtype: str, safe: int) -> GpuCase:
    def reference(env: Env, src: np.ndarray, dst: np.ndarray) -> Arrays:
        return {"dst": taken(src, np.arange(32 * count), safe)}

    edges = sorted(
        {0, 1, count - 1, count, count + 1, 31 * count, 31 * count + 1, 32 * count - 1, 32 * count, 300} - {0}
    )
    return GpuCase(
        f"cp.async of {count} {dtype}, safe value {safe}",
        partial(staged, count, dtype, safe),
        sizes(n=tuple(edges)),
        reference,
        name_=f"cp_async_{count}_{dtype}_{safe}".replace("-", "minus_"),
    )


def rows_by_index() -> Any:
    """Rows chosen by a table, of a length that is a multiple of 8."""
    n = T.dynamic("n")

    @T.prim_func
    def rows_by_index(pick: T.Tensor((8,), "int32"), src: T.Tensor((n, 64), HALF), dst: T.Tensor((8, 64), HALF)):
        with T.Kernel(1, threads=64):
            T.annotate_safe_value({src: T.float16(-3)})
            t = T.get_thread_binding()
            tile = T.alloc_shared((8, 64), HALF)
            at = t % 8 * 8
            T.ptx_cp_async(T.access_ptr(tile[t // 8, at], "w", 8), T.access_ptr(src[pick[t // 8], at], "r", 8), 8)
            T.ptx_commit_group()
            T.ptx_wait_group(0)
            for k in T.serial(8):
                dst[t // 8, at + k] = tile[t // 8, at + k]

    return rows_by_index


def rows_by_index_reference(env: Env, pick: np.ndarray, src: np.ndarray, dst: np.ndarray) -> Arrays:
    out = np.full((8, 64), -3, np.float16)
    for row, which in enumerate(pick):
        if 0 <= which < env["n"]:
            out[row] = src[which]
    return {"dst": out}


def summed_in_a_pipeline(stages: int, eights: bool, tma: bool) -> Any:
    """Sums of tiles along a ragged row; cp.async or TMA, two or three stages."""
    n, length = T.dynamic("n, length")

    @T.prim_func
    def summed(x: T.Tensor((n, length), HALF), y: T.Tensor((n, 32), HALF)):
        if eights:
            T.assume(length % 8 == 0)
        with T.Kernel(T.ceildiv(n, 32), threads=128) as block:
            tile = T.alloc_shared((32, 32), HALF)
            acc = T.alloc_fragment((32, 32), HALF)
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(length, 32), num_stages=stages):
                T.copy(x[block * 32, k * 32], tile, disable_tma=not tma)
                for i, j in T.Parallel(32, 32):
                    acc[i, j] = acc[i, j] + tile[i, j]
            for i, j in T.Parallel(32, 32):
                y[block * 32 + i, j] = acc[i, j]

    return summed


def summed_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    n, length = x.shape
    wide = padded(x, (n, -(-length // 32) * 32))
    return {"y": wide.reshape(n, -1, 32).sum(axis=1, dtype=np.float32).astype(np.float16)}


def product(dtype: str, eights: bool, tma: bool, stages: int = 2) -> Any:
    """c = a @ b, all sizes open."""
    m, n, k = T.dynamic("m, n, k")

    @T.prim_func
    def product(a: T.Tensor((m, k), dtype), b: T.Tensor((k, n), dtype), c: T.Tensor((m, n), "float32")):
        if eights:
            T.assume(k % 8 == 0)
            T.assume(n % 8 == 0)
        with T.Kernel(T.ceildiv(n, 64), T.ceildiv(m, 64), threads=128) as (bx, by):
            left = T.alloc_shared((64, 32), dtype)
            right = T.alloc_shared((32, 64), dtype)
            acc = T.alloc_fragment((64, 64), "float32")
            T.clear(acc)
            for step in T.Pipelined(T.ceildiv(k, 32), num_stages=stages):
                T.copy(a[by * 64, step * 32], left, disable_tma=not tma)
                T.copy(b[step * 32, bx * 64], right, disable_tma=not tma)
                T.gemm(left, right, acc)
            T.copy(acc, c[by * 64, bx * 64], disable_tma=not tma)

    return product


def product_by_eights() -> Any:
    """Rows of 8 * k and 8 * n elements: TMA may be used, and every tile is ragged."""
    m, n, k = T.dynamic("m, n, k")

    @T.prim_func
    def product_by_eights(
        a: T.Tensor((m, 8 * k), HALF), b: T.Tensor((8 * k, 8 * n), HALF), c: T.Tensor((m, 8 * n), HALF)
    ):
        with T.Kernel(T.ceildiv(8 * n, 128), T.ceildiv(m, 128), threads=128) as (bx, by):
            left = T.alloc_shared((128, 64), HALF)
            right = T.alloc_shared((64, 128), HALF)
            acc = T.alloc_fragment((128, 128), "float32")
            T.clear(acc)
            for step in T.Pipelined(T.ceildiv(8 * k, 64), num_stages=3):
                T.copy(a[by * 128, step * 64], left)
                T.copy(b[step * 64, bx * 128], right)
                T.gemm(left, right, acc)
            T.copy(acc, c[by * 128, bx * 128])

    return product_by_eights


def product_reference(env: Env, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> Arrays:
    return {"c": (a.astype(np.float64) @ b.astype(np.float64)).astype(c.dtype)}


def copied(tma: bool, safe: int) -> Any:
    """There and back through shared memory, with a safe value that shows in a wider output."""
    m, n = T.dynamic("m, n")

    @T.prim_func
    def copied(x: T.Tensor((m, n), HALF), y: T.Tensor((64, 128), HALF)):
        with T.Kernel(2, 2, threads=128) as (bx, by):
            T.annotate_safe_value({x: T.float16(safe)})
            tile = T.alloc_shared((32, 64), HALF)
            T.copy(x[by * 32, bx * 64], tile, disable_tma=not tma)
            T.copy(tile, y[by * 32, bx * 64], disable_tma=not tma)

    return copied


def copied_reference(safe: int) -> Any:
    return lambda env, x, y: {"y": padded(x, (64, 128), safe)}


def row_sums() -> Any:
    m, n = T.dynamic("m, n")

    @T.prim_func
    def row_sums(x: T.Tensor((m, n), "float32"), y: T.Tensor((m,), "float32")):
        with T.Kernel(T.ceildiv(m, 8), threads=128) as block:
            tile = T.alloc_fragment((8, 64), "float32")
            part = T.alloc_fragment((8,), "float32")
            total = T.alloc_fragment((8,), "float32")
            T.clear(total)
            for step in T.serial(T.ceildiv(n, 64)):
                T.copy(x[block * 8, step * 64], tile)
                T.reduce_sum(tile, part, dim=1)
                for i in T.Parallel(8):
                    total[i] = total[i] + part[i]
            T.copy(total, y[block * 8])

    return row_sums


def row_sums_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    return {"y": x.sum(axis=1)}


def row_maxima() -> Any:
    """A safe value that matters: minus infinity."""
    m, n = T.dynamic("m, n")

    @T.prim_func
    def row_maxima(x: T.Tensor((m, n), "float32"), y: T.Tensor((m,), "float32")):
        with T.Kernel(m, threads=64) as row:
            T.annotate_safe_value({x: -T.infinity("float32")})
            tile = T.alloc_fragment((128,), "float32")
            top = T.alloc_fragment((1,), "float32")
            for j in T.Parallel(128):
                tile[j] = x[row, j]
            T.reduce_max(tile, top, dim=0)
            y[row] = top[0]

    return row_maxima


def row_maxima_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    return {"y": x[:, :128].max(axis=1)}


SMALL = {"x": small(), "a": small(-3, 4), "b": small(-3, 4)}
ROWS = sizes(n=(1, 33, 32, 31, 7), length=(8, 40, 64, 72, 200))
ANY_ROWS = sizes(n=(1, 33, 32, 31, 7, 5), length=(1, 31, 37, 63, 65, 129))
PRODUCTS = sizes(m=(1, 63, 65, 64, 130, 37), n=(8, 72, 64, 56, 136, 8), k=(8, 40, 32, 72, 96, 200))
ANY_PRODUCTS = sizes(m=(1, 63, 65, 37), n=(1, 67, 65, 61), k=(1, 31, 33, 131))
BY_EIGHTS = sizes(m=(1, 127, 129, 200), n=(1, 15, 17, 3), k=(1, 7, 9, 25))
TWO = sizes(m=(1, 31, 32, 33, 63, 64, 70), n=(8, 56, 64, 72, 120, 128, 136))
ANY_TWO = sizes(m=(1, 7, 8, 9, 37, 20), n=(1, 63, 65, 128, 61, 200))
CASES = [
    *(staged_case(*which) for which in ((8, HALF, 0), (8, HALF, 3), (4, HALF, 0), (2, "float32", -1), (4, "int32", 7))),
    GpuCase(
        "cp.async of indexed rows",
        rows_by_index,
        sizes(n=(1, 3, 8)),
        rows_by_index_reference,
        {"pick": small(-2, 10)},
    ),
    *(
        GpuCase(
            f"pipeline of {stages} stages, {'TMA' if tma else 'cp.async'}",
            partial(summed_in_a_pipeline, stages, True, tma),
            ROWS,
            summed_reference,
            SMALL,
            name_=f"pipeline_{stages}_{'tma' if tma else 'cp_async'}",
        )
        for stages, tma in ((1, False), (2, False), (3, False), (2, True))
    ),
    GpuCase(
        "pipeline of rows of any length",
        partial(summed_in_a_pipeline, 2, False, False),
        ANY_ROWS,
        summed_reference,
        SMALL,
        name_="pipeline_any_length",
    ),
    GpuCase(
        "GEMM, cp.async, k % 8 == 0",
        partial(product, HALF, True, False),
        PRODUCTS,
        product_reference,
        SMALL,
        name_="gemm_cp_async",
    ),
    GpuCase(
        "GEMM, any size",
        partial(product, HALF, False, False),
        ANY_PRODUCTS,
        product_reference,
        SMALL,
        name_="gemm_any_size",
    ),
    GpuCase(
        "GEMM, TMA, assumed multiples of 8",
        partial(product, HALF, True, True),
        PRODUCTS,
        product_reference,
        SMALL,
        name_="gemm_tma",
    ),
    GpuCase("GEMM, TMA, ragged tiles", product_by_eights, BY_EIGHTS, product_reference, SMALL),
    *(
        GpuCase(
            f"T.copy, {'TMA' if tma else 'no TMA'}, safe value {safe}",
            partial(copied, tma, safe),
            TWO,
            copied_reference(safe),
            name_=f"copy_{'tma' if tma else 'simt'}_{safe}",
        )
        for tma, safe in ((True, 0), (False, 0), (False, 5))
    ),
    GpuCase("T.reduce_sum", row_sums, ANY_TWO, row_sums_reference, SMALL),
    GpuCase("T.reduce_max, safe value -inf", row_maxima, ANY_TWO, row_maxima_reference, {"x": normal}),
]
