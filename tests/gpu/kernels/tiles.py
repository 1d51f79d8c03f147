"""Loads and stores: vectors and their tails, stencils, gathers, several types and ranks."""

from functools import partial
from typing import Any

import numpy as np
import tilelang.language as T

from tests.gpu.case import Arrays, Env, GpuCase, normal, sizes, small, taken

LENGTHS = sizes(n=(1, 7, 8, 9, 255, 1023, 1024, 1025, 2051, 3001))


def added(dtype: str) -> Any:
    """Vectors of 16 bytes and a tail."""
    n = T.dynamic("n")

    @T.prim_func
    def added(a: T.Tensor((n,), dtype), b: T.Tensor((n,), dtype), c: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, 1024), threads=64) as block:
            for i in T.Parallel(1024):
                c[block * 1024 + i] = a[block * 1024 + i] + b[block * 1024 + i]

    return added


def added_case(dtype: str) -> GpuCase:
    return GpuCase(
        f"1-D add of {dtype}",
        partial(added, dtype),
        LENGTHS,
        lambda env, a, b, c: {"c": a + b},
        {"a": small(), "b": small()},
        name_=f"add_{dtype}",
    )


def converted() -> Any:
    """Types of two widths in one vector loop."""
    n = T.dynamic("n")

    @T.prim_func
    def converted(x: T.Tensor((n,), "float16"), w: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 512), threads=64) as block:
            for i in T.Parallel(512):
                y[block * 512 + i] = T.Cast("float32", x[block * 512 + i]) * w[block * 512 + i]

    return converted


def shifted_vectors() -> Any:
    """Each side ragged at another place: offset by three."""
    n = T.dynamic("n")

    @T.prim_func
    def shifted_vectors(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 256), threads=64) as block:
            for i in T.Parallel(256):
                y[block * 256 + i] = x[block * 256 + i - 3]

    return shifted_vectors


def shifted_vectors_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    return {"y": taken(x, np.arange(env["n"]) - 3)}


def lanes() -> Any:
    """Explicit vectors that hang over both ends."""
    n = T.dynamic("n")

    @T.prim_func
    def lanes(x: T.Tensor((n,), "float32"), y: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=32):
            t = T.get_thread_binding()
            y[T.Ramp(t * 4, 1, 4)] = x[T.Ramp(t * 4 - 4, 1, 4)]

    return lanes


def scaled() -> Any:
    """Two dimensions, both ragged."""
    m, n = T.dynamic("m, n")

    @T.prim_func
    def scaled(x: T.Tensor((m, n), "float16"), y: T.Tensor((m, n), "float16")):
        with T.Kernel(T.ceildiv(n, 128), T.ceildiv(m, 16), threads=128) as (bx, by):
            for i, j in T.Parallel(16, 128):
                y[by * 16 + i, bx * 128 + j] = x[by * 16 + i, bx * 128 + j] * T.float16(2)

    return scaled


def scaled_eights() -> Any:
    m, n = T.dynamic("m, n")

    @T.prim_func
    def scaled_eights(x: T.Tensor((m, n), "float16"), y: T.Tensor((m, n), "float16")):
        T.assume(n % 8 == 0)
        with T.Kernel(T.ceildiv(n, 128), T.ceildiv(m, 16), threads=128) as (bx, by):
            for i, j in T.Parallel(16, 128):
                y[by * 16 + i, bx * 128 + j] = x[by * 16 + i, bx * 128 + j] * T.float16(2)

    return scaled_eights


def doubled(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    return {"y": 2 * x}


def five_points() -> Any:
    m, n = T.dynamic("m, n")

    @T.prim_func
    def five_points(x: T.Tensor((m, n), "float32"), y: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, 64), T.ceildiv(m, 16), threads=128) as (bx, by):
            for i, j in T.Parallel(16, 64):
                y[by * 16 + i, bx * 64 + j] = (
                    x[by * 16 + i, bx * 64 + j] * T.float32(4)
                    - x[by * 16 + i - 1, bx * 64 + j]
                    - x[by * 16 + i + 1, bx * 64 + j]
                    - x[by * 16 + i, bx * 64 + j - 1]
                    - x[by * 16 + i, bx * 64 + j + 1]
                )

    return five_points


def five_points_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    wide = np.pad(x, 1)
    return {"y": 4 * x - wide[:-2, 1:-1] - wide[2:, 1:-1] - wide[1:-1, :-2] - wide[1:-1, 2:]}


def far_stencil() -> Any:
    """Offsets wider than a tile, in three dimensions."""
    a, b, c = T.dynamic("a, b, c")

    @T.prim_func
    def far_stencil(x: T.Tensor((a, b, c), "int32"), y: T.Tensor((a, b, c), "int32")):
        with T.Kernel(T.ceildiv(c, 32), b, a, threads=32) as (bx, by, bz):
            t = T.get_thread_binding()
            y[bz, by, bx * 32 + t] = x[bz - 1, by + 2, bx * 32 + t - 40] + x[bz + 1, by - 2, bx * 32 + t + 1]

    return far_stencil


def far_stencil_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    wide = np.pad(x, ((1, 1), (2, 2), (40, 1)))
    a, b, c = x.shape
    return {"y": wide[:a, 4 : 4 + b, :c] + wide[2 : 2 + a, :b, 41 : 41 + c]}


def gathered() -> Any:
    """Rows by index; -1 and other wrong ones give zeros."""
    m, n, t = T.dynamic("m, n, t")

    @T.prim_func
    def gathered(table: T.Tensor((t, n), "float16"), index: T.Tensor((m,), "int32"), y: T.Tensor((m, n), "float16")):
        with T.Kernel(T.ceildiv(n, 64), T.ceildiv(m, 8), threads=128) as (bx, by):
            for i, j in T.Parallel(8, 64):
                y[by * 8 + i, bx * 64 + j] = table[index[by * 8 + i], bx * 64 + j]

    return gathered


def gathered_reference(env: Env, table: np.ndarray, index: np.ndarray, y: np.ndarray) -> Arrays:
    out = np.zeros_like(y)
    for row, which in enumerate(index):
        if 0 <= which < len(table):
            out[row] = table[which]
    return {"y": out}


def paged() -> Any:
    """A page table: page of a position, row of a page; pages and entries that are not there read as zero, as page 0."""
    seq, pages, entries = T.dynamic("seq, pages, entries")

    @T.prim_func
    def paged(
        cache: T.Tensor((pages, 16, 64), "float16"),
        table: T.Tensor((entries,), "int32"),
        y: T.Tensor((seq, 64), "float16"),
    ):
        with T.Kernel(T.ceildiv(seq, 32), threads=128) as block:
            for i, j in T.Parallel(32, 64):
                y[block * 32 + i, j] = cache[table[(block * 32 + i) // 16], (block * 32 + i) % 16, j]

    return paged


def paged_reference(env: Env, cache: np.ndarray, table: np.ndarray, y: np.ndarray) -> Arrays:
    out = np.zeros_like(y)
    for at in range(env["seq"]):
        page = taken(table, at // 16)
        if 0 <= page < env["pages"]:
            out[at] = cache[page, at % 16]
    return {"y": out}


def scattered() -> Any:
    """Stores through an index, each to a cell of its own; cells that are not there are skipped."""
    n, m = T.dynamic("n, m")

    @T.prim_func
    def scattered(index: T.Tensor((n,), "int32"), x: T.Tensor((n,), "int32"), y: T.Tensor((m,), "int32")):
        with T.Kernel(T.ceildiv(n, 128), threads=128) as block:
            for i in T.Parallel(128):
                if block * 128 + i < n:
                    y[index[block * 128 + i]] = x[block * 128 + i]

    return scattered


def one_cell_each(shape: tuple[int, ...], env: Env) -> np.ndarray:
    return np.random.default_rng(3).permutation(shape[0] + 5)[: shape[0]] - 5


def scattered_reference(env: Env, index: np.ndarray, x: np.ndarray, y: np.ndarray) -> Arrays:
    out = y.copy()
    for to, value in zip(index, x, strict=True):
        if 0 <= to < env["m"]:
            out[to] = value
    return {"y": out}


def long_index() -> Any:
    """Shapes and indices of 64 bits."""
    n = T.dynamic("n", "int64")

    @T.prim_func
    def long_index(x: T.Tensor((n,), "float16"), y: T.Tensor((n,), "float16")):
        with T.Kernel(T.ceildiv(n, T.int64(256)), threads=32) as block:
            for i in T.Parallel(256):
                y[T.Cast("int64", block) * 256 + i] = x[T.Cast("int64", block) * 256 + i] * T.float16(2)

    return long_index


TWO = sizes(m=(1, 15, 16, 17, 37, 61), n=(1, 127, 128, 129, 61, 257))
TWO_EIGHTS = sizes(m=(1, 15, 16, 17, 37), n=(8, 120, 128, 136, 264))
X = {"x": small()}
CASES = [
    *(added_case(dtype) for dtype in ("float16", "bfloat16", "float32", "int8", "int32", "float64")),
    GpuCase(
        "vectors of two types", converted, LENGTHS, lambda env, x, w, y: {"y": x.astype(np.float32) * w}, {"w": normal}
    ),
    GpuCase("vectors, shifted", shifted_vectors, LENGTHS, shifted_vectors_reference),
    GpuCase(
        "explicit lanes",
        lanes,
        sizes(n=(1, 2, 3, 4, 61, 63, 126, 130)),
        lambda env, x, y: {"y": taken(x, np.arange(128) - 4)},
    ),
    GpuCase("2-D scale, all ragged", scaled, TWO, doubled, X),
    GpuCase("2-D scale, n % 8 == 0 assumed", scaled_eights, TWO_EIGHTS, doubled, X),
    GpuCase("2-D stencil", five_points, TWO, five_points_reference, X),
    GpuCase(
        "3-D stencil, far offsets",
        far_stencil,
        sizes(a=(1, 2, 3, 5), b=(1, 2, 5, 3), c=(1, 33, 61, 100)),
        far_stencil_reference,
    ),
    GpuCase(
        "gather of rows",
        gathered,
        sizes(m=(1, 7, 9, 37), n=(1, 63, 65, 61), t=(1, 3, 13, 20)),
        gathered_reference,
        {"index": small(-3, 16)},
    ),
    GpuCase(
        "page table",
        paged,
        sizes(seq=(1, 15, 33, 100), pages=(1, 2, 3, 5), entries=(1, 1, 2, 9)),
        paged_reference,
        {"table": small(-1, 7)},
    ),
    GpuCase(
        "scatter",
        scattered,
        sizes(n=(1, 100, 129, 300), m=(1, 60, 128, 400)),
        scattered_reference,
        {"index": one_cell_each},
    ),
    GpuCase("indices of 64 bits", long_index, LENGTHS, doubled, X),
]
