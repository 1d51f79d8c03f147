"""Small kernels that several tests of the package use."""

from __future__ import annotations

from typing import Any

import tilelang.language as T


def ragged_add(tile: int = 128, size: int | None = None) -> Any:
    """c = a + 1 over n elements, n a symbol unless given: each block takes a tile, the last one less."""
    n = T.dynamic("n") if size is None else size

    @T.prim_func
    def add(a: T.Tensor((n,), "float32"), c: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, tile), threads=tile) as block:
            for i in T.Parallel(tile):
                c[block * tile + i] = a[block * tile + i] + T.float32(1)

    return add


def padded_fill(tile: int = 128) -> Any:
    """Fills n elements padded to whole tiles: in bounds on every shape, which no bound of one variable shows."""
    n = T.dynamic("n")

    @T.prim_func
    def fill(c: T.Tensor((T.ceildiv(n, tile) * tile,), "float32")):
        with T.Kernel(T.ceildiv(n, tile), threads=tile) as block:
            for i in T.Parallel(tile):
                c[block * tile + tile - 1 - i] = T.float32(1)

    return fill


def one_store() -> Any:
    """Stores one element a block; lowers on every backend TileLang has."""

    @T.prim_func
    def store(a: T.Tensor((100,), "float32")):
        with T.Kernel(4) as block:
            a[block * 32] = T.float32(1)

    return store


def beyond_the_end() -> Any:
    """Writes one element behind its buffer on every execution."""

    @T.prim_func
    def beyond(a: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=1):
            a[32] = T.float32(1)

    return beyond
