"""Rows of a table by index, as an embedding does; -1 and other indices out of range give zeros."""

from typing import Any

import numpy as np
import tilelang.language as T
from common import GPU, Arrays, Example, Storage, extent

ROWS, COLUMNS = 8, 32


def make(storage: Storage = GPU, m: int | None = None, n: int | None = None, t: int | None = None) -> Any:
    """y[i, :] = table[index[i], :] for m indices into a table of t rows of n."""
    m, n, t = extent("m", m), extent("n", n), extent("t", t)
    each = storage.each

    @T.prim_func
    def gather(table: T.Tensor((t, n), "float16"), index: T.Tensor((m,), "int32"), y: T.Tensor((m, n), "float16")):
        with T.Kernel(T.ceildiv(n, COLUMNS), T.ceildiv(m, ROWS), threads=128) as (bx, by):
            for i, j in each(ROWS, COLUMNS):
                y[by * ROWS + i, bx * COLUMNS + j] = table[index[by * ROWS + i], bx * COLUMNS + j]

    return gather


def inputs(rng: np.random.Generator, m: int, n: int, t: int) -> Arrays:
    table = rng.standard_normal((t, n)).astype(np.float16)
    # About a third of the entries is out of range: the sentinel, just outside, and far away.
    index = rng.integers(0, max(t, 1), m).astype(np.int32)
    outside = np.array([-1, -2, t, t + 1, -(2**31), 2**31 - 1], dtype=np.int32)
    wrong = rng.random(m) < 1 / 3
    index[wrong] = rng.choice(outside, int(wrong.sum()))
    return {"table": table, "index": index}


def reference(table: np.ndarray, index: np.ndarray) -> np.ndarray:
    result = np.zeros((len(index), table.shape[1]), table.dtype)
    right = (index >= 0) & (index < len(table))
    result[right] = table[index[right]]
    return result


EXAMPLE = Example(
    name="gather",
    make=make,
    tile={"m": ROWS, "n": COLUMNS, "t": COLUMNS},
    odd=({"m": 37, "n": 61, "t": 13}, {"m": 9, "n": 31, "t": 1}),
    inputs=inputs,
    reference=reference,
)
