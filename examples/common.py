"""What the examples share: where tiles live on a target, and what an example is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import tilelang.language as T

Arrays = dict[str, np.ndarray]
Shape = Mapping[str, int]


@dataclass(frozen=True)
class Storage:
    """The constructs one kernel text needs to run on a GPU and on the C target.

    TileLang's C target has no thread blocks: tiles are plain local arrays there, and loops over them run in order.
    """

    shared: Callable[..., Any]
    fragment: Callable[..., Any]
    each: Callable[..., Any]


GPU = Storage(T.alloc_shared, T.alloc_fragment, T.Parallel)
CPU = Storage(T.alloc_local, T.alloc_local, T.grid)


def extent(name: str, size: int | None) -> Any:
    """`size`, or for None a symbol that is bound at run time."""
    return T.dynamic(name) if size is None else size


@dataclass(frozen=True)
class Example:
    """One kernel with everything needed to run and check it."""

    name: str
    make: Callable[..., Any]
    """make(storage, **shape) -> PrimFunc; a dimension that is left out becomes T.dynamic."""
    tile: Shape
    """Every dimension with its tile size."""
    odd: tuple[Shape, ...]
    """Constant shapes to compile for: none a multiple of the tile."""
    inputs: Callable[..., Arrays]
    """inputs(rng, **shape) -> the kernel's arguments but the last, in order."""
    reference: Callable[..., np.ndarray]
    """reference(*inputs) -> the last argument, as numpy computes it."""
    tolerance: Callable[..., Any] | None = None
    """tolerance(*inputs) -> the largest absolute error allowed, per element or for all; None: the same bits."""
    stated: str = "bit for bit"
    """The tolerance in words."""
