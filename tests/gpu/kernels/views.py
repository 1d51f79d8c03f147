"""Views of other types and shapes, shared memory, rows that are normalised."""

from typing import Any

import numpy as np
import tilelang.language as T

from tests.gpu.case import Arrays, Env, GpuCase, normal, padded, sizes, taken

LENGTHS = sizes(n=(1, 31, 32, 33, 61, 64, 65, 127))


def bits_of_floats() -> Any:
    """A view of another type: exact bits inside, the safe value's bits outside."""
    n = T.dynamic("n")

    @T.prim_func
    def bits_of_floats(x: T.Tensor((n,), "float32"), y: T.Tensor((128,), "int32")):
        with T.Kernel(2, threads=64) as block:
            T.annotate_safe_value({x: T.float32(1.0)})
            t = T.get_thread_binding()
            raw = T.view(x, (n,), "int32")
            y[block * 64 + t] = raw[block * 64 + t + 1]

    return bits_of_floats


def bits_of_floats_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    return {"y": taken(x, np.arange(128) + 1, 1.0).view(np.int32)}


def reshaped() -> Any:
    """Rows of a flat buffer."""
    m = T.dynamic("m")

    @T.prim_func
    def reshaped(x: T.Tensor((m * 6,), "int32"), y: T.Tensor((m, 8), "int32")):
        with T.Kernel(m, threads=8) as row:
            t = T.get_thread_binding()
            rows = T.view(x, (m, 6))
            y[row, t] = rows[row, t]

    return reshaped


def reshaped_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    return {"y": padded(x.reshape(-1, 6), y.shape)}


def shared_neighbours() -> Any:
    """Shared memory past its end, guarded on request."""
    n = T.dynamic("n")

    @T.prim_func
    def shared_neighbours(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 64), threads=64) as block:
            t = T.get_thread_binding()
            s = T.alloc_shared((64,), "float32")
            s[t] = x[block * 64 + t]
            T.sync_threads()
            y[block * 64 + t] = s[t + 1] + s[t - 1]

    return shared_neighbours


def shared_neighbours_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    n = env["n"]
    rows = padded(x, (-(-n // 64) * 64,)).reshape(-1, 64)
    wide = np.pad(rows, ((0, 0), (1, 1)))
    return {"y": (wide[:, 2:] + wide[:, :-2]).reshape(-1)[:n]}


def softmax_rows() -> Any:
    """Rows of any length in two sweeps; exponentials, so within a tolerance."""
    m, n = T.dynamic("m, n")

    @T.prim_func
    def softmax_rows(x: T.Tensor((m, n), "float32"), y: T.Tensor((m, n), "float32")):
        with T.Kernel(m, threads=128) as row:
            T.annotate_safe_value({x: -T.infinity("float32")})
            tile = T.alloc_fragment((512,), "float32")
            top = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            for j in T.Parallel(512):
                tile[j] = x[row, j]
            T.reduce_max(tile, top, dim=0)
            for j in T.Parallel(512):
                tile[j] = T.exp(tile[j] - top[0])
            T.reduce_sum(tile, total, dim=0)
            for j in T.Parallel(512):
                y[row, j] = tile[j] / total[0]

    return softmax_rows


def softmax_rows_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return {"y": (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)}


SHARED = {"tileguard.guard_scopes": "global,shared.dyn"}
CASES = [
    GpuCase("view of another type", bits_of_floats, LENGTHS, bits_of_floats_reference, {"x": normal}),
    GpuCase("view of another shape", reshaped, sizes(m=(1, 2, 5, 9)), reshaped_reference),
    GpuCase("shared memory, on request", shared_neighbours, LENGTHS, shared_neighbours_reference, configs=SHARED),
    GpuCase(
        "softmax",
        softmax_rows,
        sizes(m=(1, 3, 5), n=(1, 61, 509)),
        softmax_rows_reference,
        {"x": normal},
        tolerance=2e-6,
    ),
]
