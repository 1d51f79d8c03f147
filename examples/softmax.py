"""Softmax of rows of any length, in two sweeps; what lies beyond a row reads as minus infinity."""

from typing import Any

import numpy as np
import tilelang.language as T
from common import GPU, Arrays, Example, Storage, extent

ROWS, COLUMNS = 4, 32


def make(storage: Storage = GPU, m: int | None = None, n: int | None = None) -> Any:
    """y[i, :] = exp(x[i, :] - max) / sum, the maximum and the sum gathered tile by tile."""
    m, n = extent("m", m), extent("n", n)
    each = storage.each

    @T.prim_func
    def softmax(x: T.Tensor((m, n), "float32"), y: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(m, ROWS), threads=128) as block:
            T.annotate_safe_value({x: -T.infinity("float32")})
            tile = storage.fragment((ROWS, COLUMNS), "float32")
            top = storage.fragment((ROWS,), "float32")
            top_of_tile = storage.fragment((ROWS,), "float32")
            total = storage.fragment((ROWS,), "float32")
            total_of_tile = storage.fragment((ROWS,), "float32")
            T.fill(top, -T.infinity("float32"))
            T.clear(total)
            for step in T.serial(T.ceildiv(n, COLUMNS)):
                for i, j in each(ROWS, COLUMNS):
                    tile[i, j] = x[block * ROWS + i, step * COLUMNS + j]
                T.reduce_max(tile, top_of_tile, dim=1)
                for i in each(ROWS):
                    top_of_tile[i] = T.max(top_of_tile[i], top[i])
                for i, j in each(ROWS, COLUMNS):
                    tile[i, j] = T.exp(tile[i, j] - top_of_tile[i])
                T.reduce_sum(tile, total_of_tile, dim=1)
                for i in each(ROWS):
                    total[i] = total[i] * T.exp(top[i] - top_of_tile[i]) + total_of_tile[i]
                    top[i] = top_of_tile[i]
            for step in T.serial(T.ceildiv(n, COLUMNS)):
                for i, j in each(ROWS, COLUMNS):
                    tile[i, j] = x[block * ROWS + i, step * COLUMNS + j]
                for i, j in each(ROWS, COLUMNS):
                    y[block * ROWS + i, step * COLUMNS + j] = T.exp(tile[i, j] - top[i]) / total[i]

    return softmax


def inputs(rng: np.random.Generator, m: int, n: int) -> Arrays:
    return {"x": (4 * rng.standard_normal((m, n))).astype(np.float32)}


def reference(x: np.ndarray) -> np.ndarray:
    if x.size == 0:
        return x.copy()
    wide = x.astype(np.float64)
    powers = np.exp(wide - wide.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)


def tolerance(x: np.ndarray) -> np.ndarray:
    # Every step rounds once: the sum n times, each rescaling and exponential a few times more; exp also carries the
    # rounding of its argument, at most the largest difference.
    spread = np.ptp(x, axis=1, keepdims=True) if x.size else np.zeros((x.shape[0], 1))
    return 2 * (x.shape[1] + 8 + spread) * np.finfo(np.float32).eps * reference(x)


EXAMPLE = Example(
    name="softmax",
    make=make,
    tile={"m": ROWS, "n": COLUMNS},
    odd=({"m": 37, "n": 61}, {"m": 5, "n": 31}),
    inputs=inputs,
    reference=reference,
    tolerance=tolerance,
    stated="2 * (n + 8 + max - min) * 2^-23, relative",
)
