"""Five-point stencil whose border reads zero: it simply reads one row and one column outside the array."""

from typing import Any

import numpy as np
import tilelang.language as T
from common import GPU, Arrays, Example, Storage, extent

ROWS, COLUMNS = 8, 32


def make(storage: Storage = GPU, m: int | None = None, n: int | None = None) -> Any:
    """y[i, j] = x[i, j] / 2 + (the four neighbours of x[i, j], zero outside) / 8."""
    m, n = extent("m", m), extent("n", n)
    each = storage.each

    @T.prim_func
    def stencil(x: T.Tensor((m, n), "float32"), y: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, COLUMNS), T.ceildiv(m, ROWS), threads=128) as (bx, by):
            for i, j in each(ROWS, COLUMNS):
                row = by * ROWS + i
                column = bx * COLUMNS + j
                upright = x[row - 1, column] + x[row + 1, column]
                across = x[row, column - 1] + x[row, column + 1]
                y[row, column] = x[row, column] * T.float32(0.5) + (upright + across) * T.float32(0.125)

    return stencil


def inputs(rng: np.random.Generator, m: int, n: int) -> Arrays:
    return {"x": rng.standard_normal((m, n)).astype(np.float32)}


def reference(x: np.ndarray) -> np.ndarray:
    padded = np.pad(x, 1)
    upright = padded[:-2, 1:-1] + padded[2:, 1:-1]
    across = padded[1:-1, :-2] + padded[1:-1, 2:]
    return x * np.float32(0.5) + (upright + across) * np.float32(0.125)


EXAMPLE = Example(
    name="stencil",
    make=make,
    tile={"m": ROWS, "n": COLUMNS},
    odd=({"m": 37, "n": 61}, {"m": 9, "n": 31}),
    inputs=inputs,
    reference=reference,
)
