# mypy: disable-error-code="valid-type, no-redef, no-untyped-def, untyped-decorator"
"""The kernels that are timed. Each maker takes its sizes; one that is None becomes a symbol, bound at run time."""

from typing import Any

import tilelang.language as T

BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "int8": 1}
# TileLang's own limit: three stages of cp.async with an open trip count end in an error of its code generator.
GEMM_STAGES = 2


def size(name: str, given: int | None) -> Any:
    """The number, or a symbol of that name."""
    return T.dynamic(name) if given is None else given


def add(n: int | None, dtype: str) -> Any:
    """c = a + b, 16 bytes a thread."""
    n = size("n", n)
    block = 256 * 16 // BYTES[dtype]

    @T.prim_func
    def add(a: T.Tensor((n,), dtype), b: T.Tensor((n,), dtype), c: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, block), threads=256) as at:
            for i in T.Parallel(block):
                c[at * block + i] = a[at * block + i] + b[at * block + i]

    return add


def chain(n: int | None) -> Any:
    """y = half(exp(a + b * c)): three loads of two types, an exponential, a conversion, a store."""
    n = size("n", n)

    @T.prim_func
    def chain(
        a: T.Tensor((n,), "float16"),
        b: T.Tensor((n,), "float16"),
        c: T.Tensor((n,), "float32"),
        y: T.Tensor((n,), "float16"),
    ):
        with T.Kernel(T.ceildiv(n, 2048), threads=256) as at:
            for i in T.Parallel(2048):
                y[at * 2048 + i] = T.Cast(
                    "float16",
                    T.exp(T.Cast("float32", a[at * 2048 + i]) + T.Cast("float32", b[at * 2048 + i]) * c[at * 2048 + i]),
                )

    return chain


def scale(m: int | None, n: int | None, eights: bool = False) -> Any:
    """y = 2 * x in tiles of 64 x 128; `eights` assumes n % 8 == 0."""
    m, n = size("m", m), size("n", n)

    @T.prim_func
    def scale(x: T.Tensor((m, n), "float16"), y: T.Tensor((m, n), "float16")):
        if eights:
            T.assume(n % 8 == 0)
        with T.Kernel(T.ceildiv(n, 128), T.ceildiv(m, 64), threads=128) as (bx, by):
            for i, j in T.Parallel(64, 128):
                y[by * 64 + i, bx * 128 + j] = x[by * 64 + i, bx * 128 + j] * T.float16(2)

    return scale


def stencil(m: int | None, n: int | None, eights: bool = False) -> Any:
    """Five points, zero border, tiles of 32 x 128."""
    m, n = size("m", m), size("n", n)

    @T.prim_func
    def stencil(x: T.Tensor((m, n), "float32"), y: T.Tensor((m, n), "float32")):
        if eights:
            T.assume(n % 8 == 0)
        with T.Kernel(T.ceildiv(n, 128), T.ceildiv(m, 32), threads=128) as (bx, by):
            for i, j in T.Parallel(32, 128):
                y[by * 32 + i, bx * 128 + j] = (
                    x[by * 32 + i, bx * 128 + j] * T.float32(4)
                    - x[by * 32 + i - 1, bx * 128 + j]
                    - x[by * 32 + i + 1, bx * 128 + j]
                    - x[by * 32 + i, bx * 128 + j - 1]
                    - x[by * 32 + i, bx * 128 + j + 1]
                )

    return stencil


def softmax(m: int | None, n: int | None, eights: bool = False) -> Any:
    """A row of at most 8192 elements a block, held in registers."""
    m, n = size("m", m), size("n", n)

    @T.prim_func
    def softmax(x: T.Tensor((m, n), "float16"), y: T.Tensor((m, n), "float16")):
        if eights:
            T.assume(n % 8 == 0)
        with T.Kernel(m, threads=256) as row:
            T.annotate_safe_value({x: -T.infinity("float16")})
            tile = T.alloc_fragment((8192,), "float32")
            top = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            for j in T.Parallel(8192):
                tile[j] = T.Cast("float32", x[row, j])
            T.reduce_max(tile, top, dim=0)
            for j in T.Parallel(8192):
                tile[j] = T.exp(tile[j] - top[0])
            T.reduce_sum(tile, total, dim=0)
            for j in T.Parallel(8192):
                y[row, j] = T.Cast("float16", tile[j] / total[0])

    return softmax


def rmsnorm(m: int | None, n: int | None, eights: bool = False) -> Any:
    """y = x / sqrt(mean(x^2) + 1e-6) * w, a row of at most 8192 elements a block."""
    m, n = size("m", m), size("n", n)

    @T.prim_func
    def rmsnorm(x: T.Tensor((m, n), "float16"), w: T.Tensor((n,), "float16"), y: T.Tensor((m, n), "float16")):
        if eights:
            T.assume(n % 8 == 0)
        with T.Kernel(m, threads=256) as row:
            tile = T.alloc_fragment((8192,), "float32")
            square = T.alloc_fragment((8192,), "float32")
            total = T.alloc_fragment((1,), "float32")
            for j in T.Parallel(8192):
                tile[j] = T.Cast("float32", x[row, j])
            for j in T.Parallel(8192):
                square[j] = tile[j] * tile[j]
            T.reduce_sum(square, total, dim=0)
            for j in T.Parallel(8192):
                y[row, j] = T.Cast(
                    "float16", tile[j] * T.rsqrt(total[0] / T.Cast("float32", n) + 1e-6) * T.Cast("float32", w[j])
                )

    return rmsnorm


def paged(seq: int | None, pages: int | None, entries: int | None) -> Any:
    """Rows of a cache of pages of 16 rows, by a page table; a page that is not there gives zeros."""
    seq, pages, entries = size("seq", seq), size("pages", pages), size("entries", entries)

    @T.prim_func
    def paged(
        cache: T.Tensor((pages, 16, 1024), "float16"),
        table: T.Tensor((entries,), "int32"),
        y: T.Tensor((seq, 1024), "float16"),
    ):
        with T.Kernel(T.ceildiv(seq, 8), threads=128) as block:
            for i, j in T.Parallel(8, 1024):
                y[block * 8 + i, j] = cache[table[(block * 8 + i) // 16], (block * 8 + i) % 16, j]

    return paged


def gemm(m: int | None, n: int | None, k: int | None, eights: bool = False) -> Any:
    """c = a @ b in tiles of 128 x 128 x 64 by cp.async, no TMA."""
    m, n, k = size("m", m), size("n", n), size("k", k)

    @T.prim_func
    def gemm(a: T.Tensor((m, k), "float16"), b: T.Tensor((k, n), "float16"), c: T.Tensor((m, n), "float16")):
        if eights:
            T.assume(k % 8 == 0)
            T.assume(n % 8 == 0)
        with T.Kernel(T.ceildiv(n, 128), T.ceildiv(m, 128), threads=128) as (bx, by):
            left = T.alloc_shared((128, 64), "float16")
            right = T.alloc_shared((64, 128), "float16")
            sums = T.alloc_fragment((128, 128), "float32")
            T.clear(sums)
            for step in T.Pipelined(T.ceildiv(k, 64), num_stages=GEMM_STAGES):
                T.copy(a[by * 128, step * 64], left, disable_tma=True)
                T.copy(b[step * 64, bx * 128], right, disable_tma=True)
                T.gemm(left, right, sums)
            T.copy(sums, c[by * 128, bx * 128], disable_tma=True)

    return gemm
