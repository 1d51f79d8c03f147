"""Matrix product of any size: a pipelined loop of tile copies and T.gemm."""

from typing import Any

import numpy as np
import tilelang.language as T
from common import GPU, Arrays, Example, Storage, extent

TILE = 32


def make(storage: Storage = GPU, m: int | None = None, n: int | None = None, k: int | None = None) -> Any:
    """c[m, n] = a[m, k] @ b[k, n], half inputs, float sums."""
    m, n, k = extent("m", m), extent("n", n), extent("k", k)

    @T.prim_func
    def gemm(a: T.Tensor((m, k), "float16"), b: T.Tensor((k, n), "float16"), c: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, TILE), T.ceildiv(m, TILE), threads=128) as (bx, by):
            a_tile = storage.shared((TILE, TILE), "float16")
            b_tile = storage.shared((TILE, TILE), "float16")
            sums = storage.fragment((TILE, TILE), "float32")
            T.clear(sums)
            for step in T.Pipelined(T.ceildiv(k, TILE), num_stages=2):
                T.copy(a[by * TILE, step * TILE], a_tile)
                T.copy(b[step * TILE, bx * TILE], b_tile)
                T.gemm(a_tile, b_tile, sums)
            T.copy(sums, c[by * TILE, bx * TILE])

    return gemm


def inputs(rng: np.random.Generator, m: int, n: int, k: int) -> Arrays:
    return {
        "a": rng.standard_normal((m, k)).astype(np.float16),
        "b": rng.standard_normal((k, n)).astype(np.float16),
    }


def reference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)


def tolerance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    # The classic bound of a float sum of k exact products, whatever its order.
    magnitude = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    return (a.shape[1] + 1) * np.finfo(np.float32).eps * magnitude


EXAMPLE = Example(
    name="ragged GEMM",
    make=make,
    tile={"m": TILE, "n": TILE, "k": TILE},
    odd=({"m": 37, "n": 61, "k": 43}, {"m": 33, "n": 31, "k": 1}),
    inputs=inputs,
    reference=reference,
    tolerance=tolerance,
    stated="(k + 1) * 2^-23 * |a| @ |b|",
)
