"""Shapes to try and the arrays that go with them: a function of the seed alone."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from .tree import Kernel, Param

INT_MIN, INT_MAX = -(2**31), 2**31 - 1
PRIMES = (2, 3, 5, 7, 11, 13, 17, 23, 31, 37)
MOST_ELEMENTS = 3_000


def sizes(rng: random.Random, tile: int) -> list[int]:
    """Interesting extents around a tile."""
    return [0, 1, tile - 1, tile, tile + 1, rng.choice(PRIMES), 2 * tile + 1]


def pick_shapes(rng: random.Random, k: Kernel, count: int) -> list[dict[str, int]]:
    """`count` assignments of the symbols and scalars (one when there are none)."""
    if not k.symbols and not k.scalars:
        return [{}]
    tile = {"n": _tag(k, "tile0", 8), "m": _tag(k, "tile1", 8)}
    out = []
    for _ in range(count):
        env = {s: max(0, rng.choice(sizes(rng, tile.get(s, 8)))) for s in k.symbols}
        near = list(env.values()) or [8]
        for s in k.scalars:
            env[s] = rng.choice([0, 1, -1, 5, rng.choice(near), rng.choice(near) - 1, INT_MAX, 65536, -7])
        if env not in out:
            out.append(env)
    return out


def _tag(k: Kernel, name: str, default: int) -> int:
    for t in k.tags:
        if t.startswith(name + "="):
            return int(t.split("=")[1])
    return default


def shape_of(p: Param, env: dict[str, int]) -> tuple[int, ...]:
    """A parameter's shape under an assignment."""
    return tuple(int(eval(str(d), {"__builtins__": {}}, dict(env))) for d in p.shape)


def fits(k: Kernel, env: dict[str, int]) -> bool:
    """Small enough to run."""
    return all(int(np.prod(shape_of(p, env), dtype=np.int64)) <= MOST_ELEMENTS for p in k.params)


def arguments(k: Kernel, env: dict[str, int], seed: str) -> dict[str, Any]:
    """Arrays for every buffer and the scalars."""
    args: dict[str, Any] = {p.name: fill(p, env, f"{seed}/{p.name}") for p in k.params}
    args.update({s: env[s] for s in k.scalars})
    return args


def fill(p: Param, env: dict[str, int], seed: str) -> np.ndarray:
    """One array by its role.

    data, out: distinct small values; valid: indices in [0, max(n, 1)); wild: those and -1,
    n, far out, the extremes; count: small non-negative loop bounds.
    """
    rng = np.random.default_rng(abs(hash_of(seed)))
    shape = shape_of(p, env)
    size = int(np.prod(shape, dtype=np.int64))
    if p.role in ("data", "out"):
        flat = rng.permutation(size) + 1
        return (flat % 120 if p.dtype in ("int8", "uint8") else flat).astype(p.dtype).reshape(shape)
    if p.role == "count":
        return rng.integers(0, 5, shape).astype(p.dtype)
    top = max([v for v in env.values() if 0 < v < 1000] or [16])
    flat = rng.integers(0, top, size)
    if p.role == "wild" and size:
        odd = np.array([-1, top, top + 3, INT_MIN, INT_MAX, -top, 65536, 2**30, -2], np.int64)
        where = rng.random(size) < 0.4
        flat = np.where(where, odd[rng.integers(0, len(odd), size)], flat)
    return flat.astype(p.dtype).reshape(shape)


def hash_of(text: str) -> int:
    """A hash that is the same in every process."""
    import zlib

    return zlib.crc32(text.encode())
