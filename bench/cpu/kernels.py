# mypy: disable-error-code="valid-type, no-redef, no-untyped-def, untyped-decorator"
"""The kernels whose instructions are counted: sums of vectors, and the examples that TileLang's pass guards."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tilelang.language as T

# The examples import one another by plain name, as a user's script would.
sys.path.append(str(Path(__file__).parents[2] / "examples"))

import gather
import softmax
import stencil
from common import CPU, Arrays, Example, Shape, extent

TILE = 256


@dataclass(frozen=True)
class Work:
    """One kernel and the shapes it is called with: each with symbols, and compiled for its numbers alone."""

    name: str
    make: Callable[..., Any]
    """make(**shape) -> PrimFunc; a dimension that is left out becomes a symbol."""
    shapes: tuple[Shape, ...]
    """None a multiple of the tile in every dimension."""
    inputs: Callable[..., Arrays]
    """inputs(rng, **shape) -> the arguments but the last, in order."""
    output: Callable[..., np.ndarray]
    """output(*inputs) -> an array like the last argument."""


def add(dtype: str) -> Work:
    def make(n: int | None = None) -> Any:
        n = extent("n", n)

        @T.prim_func
        def add(a: T.Tensor((n,), dtype), b: T.Tensor((n,), dtype), c: T.Tensor((n,), dtype)):
            with T.Kernel(T.ceildiv(n, TILE), threads=1) as block:
                for i in T.serial(TILE):
                    c[block * TILE + i] = a[block * TILE + i] + b[block * TILE + i]

        return add

    def inputs(rng: np.random.Generator, n: int) -> Arrays:
        return {name: (8 * rng.standard_normal(n)).astype(dtype) for name in ("a", "b")}

    shapes = tuple({"n": n} for n in (1, 255, 257, 1021, 4099))
    return Work(f"add {dtype}", make, shapes, inputs, lambda a, b: a)


def of(
    example: Example, shapes: tuple[Shape, ...], output: Callable[..., np.ndarray] = lambda *given: given[-1]
) -> Work:
    return Work(example.name, lambda **shape: example.make(CPU, **shape), shapes, example.inputs, output)


def works() -> tuple[Work, ...]:
    """All of them; every shape is called on a kernel with symbols and on one of that constant shape."""
    planes = tuple({"m": m, "n": n} for m, n in ((1, 1), (7, 31), (9, 33), (37, 61), (64, 97), (101, 128), (67, 257)))
    rows = tuple({**plane, "t": t} for plane, t in zip(planes, (1, 2, 13, 64, 5, 100, 31), strict=True))
    gathered = of(gather.EXAMPLE, rows, lambda table, index: np.empty((len(index), table.shape[1]), table.dtype))
    return (add("float32"), add("int8"), of(stencil.EXAMPLE, planes), of(softmax.EXAMPLE, planes), gathered)
