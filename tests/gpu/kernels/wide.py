"""Accesses of several elements by one address: ldg and stg of every width, __ldg, foreign functions, vector atomics."""

from functools import partial
from typing import Any

import numpy as np
import tilelang.language as T

from tests.gpu.case import Arrays, Env, GpuCase, sizes, small, taken

EVERY_EDGE = (1, 2, 3, 4, 7, 8, 9, 61, 64, 126, 127, 128, 131)


def copy_by_words(width: int, dtype: str) -> Any:
    """Both sides ragged; an access of `width` bits."""
    n = T.dynamic("n")
    count = width // int(np.dtype(dtype).itemsize * 8)
    load, store = {32: (T.ldg32, T.stg32), 64: (T.ldg64, T.stg64), 128: (T.ldg128, T.stg128)}[width]

    @T.prim_func
    def words(x: T.Tensor((n,), dtype), y: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, 32 * count), threads=32) as block:
            t = T.get_thread_binding()
            at = (block * 32 + t) * count
            store(y[at : at + count], load(x[at : at + count]))

    return words


def whole_words(count: int) -> Any:
    """A store that is partly outside keeps the elements inside; so does a load."""

    def reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
        return {"y": x.copy()}

    return reference


def load_into_fixed() -> Any:
    """Loads from two elements before the start to behind the end; zeros outside."""
    n = T.dynamic("n")

    @T.prim_func
    def load_into_fixed(x: T.Tensor((n,), "int32"), y: T.Tensor((128,), "int32")):
        with T.Kernel(1, threads=32):
            t = T.get_thread_binding()
            T.stg128(y[t * 4 : t * 4 + 4], T.ldg128(x[t * 4 - 4 : t * 4]))

    return load_into_fixed


def load_into_fixed_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    return {"y": taken(x, np.arange(128) - 4)}


def store_with_predicate() -> Any:
    """The author's own predicate stays in force beside the guard."""
    n = T.dynamic("n")

    @T.prim_func
    def store_with_predicate(x: T.Tensor((64,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=32):
            t = T.get_thread_binding()
            T.stg64(y[t * 2 : t * 2 + 2], T.ldg64(x[t * 2 : t * 2 + 2]), pred=t % 2 == 0)

    return store_with_predicate


def store_with_predicate_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    out = y.copy()
    for at in range(min(64, y.size)):
        if (at // 2) % 2 == 0:
            out[at] = x[at]
    return {"y": out}


def read_only_neighbours() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def read_only_neighbours(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 64), threads=64) as block:
            t = T.get_thread_binding()
            y[block * 64 + t] = T.__ldg(x[block * 64 + t + 1]) - T.__ldg(x[block * 64 + t - 1])

    return read_only_neighbours


def read_only_neighbours_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    at = np.arange(env["n"])
    return {"y": taken(x, at + 1) - taken(x, at - 1)}


def read_only_by_index() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def read_only_by_index(index: T.Tensor((64,), "int32"), x: T.Tensor((n,), "int32"), y: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64):
            t = T.get_thread_binding()
            y[t] = T.__ldg(x[index[t]])

    return read_only_by_index


def wild_indices(shape: tuple[int, ...], env: Env) -> np.ndarray:
    """Inside, just outside, far outside."""
    rng = np.random.default_rng(5)
    return rng.choice(np.array([-1, -(2**31), 2**31 - 1, env["n"], env["n"] + 1, *range(env["n"])]), shape)


def read_only_by_index_reference(env: Env, index: np.ndarray, x: np.ndarray, y: np.ndarray) -> Arrays:
    return {"y": taken(x, index)}


FOREIGN = """
__device__ void fill_four(float* to, int with) { for (int i = 0; i < 4; ++i) to[i] = 100.f * with + i; }
__device__ float sum_of_three(const float* from) { return from[0] + from[1] + from[2]; }
"""


def foreign_writer() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def foreign_writer(out: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 32), threads=8) as block:
            T.import_source(FOREIGN)
            t = T.get_thread_binding()
            T.call_extern("handle", "fill_four", T.access_ptr(out[block * 32 + t * 4], "w", 4), t)

    return foreign_writer


def foreign_writer_reference(env: Env, out: np.ndarray) -> Arrays:
    """A call whose span is partly outside does not take place."""
    whole = env["n"] // 4 * 4
    made = out.copy()
    at = np.arange(whole)
    made[:whole] = 100.0 * (at // 4 % 8) + at % 4
    return {"out": made}


def foreign_reader() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def foreign_reader(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 32), threads=32) as block:
            T.import_source(FOREIGN.replace("fill_four", "fill_four_").replace("sum_of_three", "sum_3"))
            t = T.get_thread_binding()
            y[block * 32 + t] = T.call_extern("float32", "sum_3", T.access_ptr(x[block * 32 + t - 1], "r", 3))

    return foreign_reader


def foreign_reader_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    n = env["n"]
    out = np.zeros(n, np.float32)
    if n >= 3:
        out[1:-1] = x[:-2] + x[1:-1] + x[2:]
    return {"y": out}


def pairs_of_sums() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def pairs_of_sums(total: T.Tensor((n,), "float32"), part: T.Tensor((n + 64,), "float32")):
        with T.Kernel(T.ceildiv(n, 64), threads=32) as block:
            t = T.get_thread_binding()
            T.atomic_addx2(total[block * 64 + t * 2], part[block * 64 + t * 2])

    return pairs_of_sums


def quads_of_sums() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def quads_of_sums(total: T.Tensor((n,), "float32"), part: T.Tensor((n + 128,), "float32")):
        with T.Kernel(T.ceildiv(n, 128), threads=32) as block:
            t = T.get_thread_binding()
            T.atomic_addx4(total[block * 128 + t * 4], part[block * 128 + t * 4])

    return quads_of_sums


def pairs_of_halves() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def pairs_of_halves(total: T.Tensor((n,), "float16"), part: T.Tensor((n + 64,), "float16")):
        with T.Kernel(T.ceildiv(n, 64), threads=32) as block:
            t = T.get_thread_binding()
            T.atomic_addx2(total[block * 64 + t * 2], part[block * 64 + t * 2])

    return pairs_of_halves


def sums_reference(env: Env, total: np.ndarray, part: np.ndarray) -> Arrays:
    return {"total": total + part[: env["n"]]}


SMALL = {"total": small(), "part": small()}
ONE = sizes(n=EVERY_EDGE)
CASES = [
    *(
        GpuCase(
            f"ldg{width}, stg{width}",
            partial(copy_by_words, width, dtype),
            ONE,
            whole_words(width),
            name_=f"words_{width}_{dtype}",
        )
        for width, dtype in ((32, "float16"), (32, "int32"), (64, "float32"), (128, "float16"), (128, "float32"))
    ),
    GpuCase("ldg128 with negative indices", load_into_fixed, ONE, load_into_fixed_reference),
    GpuCase("stg64 with a predicate", store_with_predicate, ONE, store_with_predicate_reference),
    GpuCase("__ldg", read_only_neighbours, ONE, read_only_neighbours_reference),
    GpuCase("__ldg by index", read_only_by_index, ONE, read_only_by_index_reference, {"index": wild_indices}),
    GpuCase("call_extern, written through", foreign_writer, ONE, foreign_writer_reference),
    GpuCase("call_extern, read through", foreign_reader, ONE, foreign_reader_reference),
    GpuCase("atomic x2, partly outside", pairs_of_sums, ONE, sums_reference, SMALL),
    GpuCase("atomic x4, partly outside", quads_of_sums, ONE, sums_reference, SMALL),
    GpuCase("atomic x2 of halves, partly outside", pairs_of_halves, ONE, sums_reference, SMALL),
]
