"""What a random kernel is about: its dimensions, buffers and the way outputs are indexed.

Threads race on nothing: every output is written in one way only, so that the order in which
threads run (which a pass may change) cannot be seen.
  C  by its owner: one injective index of block and thread ("own");
  D  anywhere, with a value that is a function of the place;
  K  by one commutative atomic;
  R  by whatever a single serial thread likes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from .exprs import Scope, bin_, call, lit
from .tree import E, Param

VALUE_TYPES = ("float32", "float32", "float32", "float16", "int32", "int8", "uint8", "int64")


@dataclass
class Plan:
    """The fixed part of a kernel."""

    rng: random.Random
    style: str
    dtype: str
    tiles: tuple[int, ...]
    dims: list[E]
    params: list[Param]
    symbols: list[str]
    scalars: list[str]
    threads: int
    tileop: bool = False
    vector: int = 1
    tags: set[str] = field(default_factory=set)
    atomic: str = "add"

    def buf(self, name: str) -> Param | None:
        """A parameter by name."""
        return next((p for p in self.params if p.name == name), None)

    @property
    def serial(self) -> bool:
        """One thread only: order cannot matter."""
        return self.threads == 1

    def scope(self, ints: list[E], wild: float) -> Scope:
        """A scope over the read-only buffers."""
        roles: dict[str, list[Param]] = {"data": [], "valid": [], "wild": []}
        for p in self.params:
            roles.get(p.role, []).append(p)
        return Scope(
            self.rng, ints, list(self.dims), roles["data"], roles["valid"] + roles["wild"], self.scalars,
            wild=wild, script=self.style == "script",
        )  # fmt: skip


def _dim(rng: random.Random, tile: int, sym: str, fixed: bool) -> E:
    """An extent: constant around the tile, or made of a symbol."""
    if fixed:
        return lit(rng.choice([1, tile - 1, tile, tile + 1, 2 * tile, 13, 17]) or 1)
    s = E(sym)
    return rng.choice([s, s, s, s, bin_("+", s, lit(1)), bin_("*", lit(8), s), bin_("+", bin_("*", lit(2), s), lit(3))])


def make_plan(rng: random.Random, style: str) -> Plan:
    """Choose everything that statements will be built on."""
    rank = rng.choice([1, 1, 2, 2, 3])
    tiles = (rng.choice([4, 8, 16, 32]), rng.choice([4, 8, 16]), rng.choice([2, 3]))[:rank]
    if rank > 1:
        tiles = (min(tiles[0], 8), *tiles[1:])
    dtype = rng.choice(VALUE_TYPES)
    fixed = [rng.random() < 0.3 for _ in range(rank)]
    names = ["n", "m", "m"]
    dims = [_dim(rng, t, s, f) for t, s, f in zip(tiles, names, fixed, strict=False)]
    if rank == 1 and rng.random() < 0.15:
        dims = [bin_("*", E("n"), E("m"))]
    threads = rng.choice([1, 1, 8, 32, 32]) if style != "tile" else rng.choice([32, 32, 64])
    plan = Plan(rng, style, dtype, tiles, dims, [], [], [], threads)
    if style == "thread" and rng.random() < 0.2:
        plan.vector = rng.choice([2, 4])
    if style == "tile" and rng.random() < 0.45 and dtype != "int64":
        plan.tileop = True
    plan.atomic = rng.choice(["add", "add", "max", "min"])
    _buffers(plan)
    return plan


def _buffers(plan: Plan) -> None:
    rng, dims, ps = plan.rng, plan.dims, plan.params
    ps.append(Param("A", tuple(_near(rng, d) for d in dims), plan.dtype, "data"))
    if rng.random() < 0.5:
        other = rng.choice(dims)
        shape = rng.choice([(other,), (other, lit(rng.choice([3, 8, 16]))), (lit(rng.choice([5, 16, 33])),)])
        ps.append(Param("B", shape, rng.choice([plan.dtype, "int32", "float32"]), "data"))
    if rng.random() < 0.5:
        shape = rng.choice([(dims[0],), (lit(16),), (lit(7),)])
        ps.append(Param("I", shape, rng.choice(["int32", "int32", "int64"]), rng.choice(["valid", "wild", "wild"])))
    if rng.random() < 0.25:
        ps.append(Param("N", (rng.choice([lit(8), dims[0]]),), "int32", "count"))
    ps.append(Param("C", tuple(dims), plan.dtype, "out"))
    if rng.random() < 0.5:
        ps.append(Param("D", (rng.choice(dims), *([lit(5)] if rng.random() < 0.3 else [])), plan.dtype, "out"))
    if rng.random() < 0.35 and plan.style != "script":
        ps.append(Param("K", (rng.choice([dims[0], lit(1), lit(9)]),), "int32", "out"))
    if plan.serial and plan.style != "tile":
        ps.append(Param("R", (rng.choice([dims[0], lit(6)]),), plan.dtype, "out"))
    text = " ".join(str(d) for p in ps for d in p.shape)
    plan.symbols = [s for s in ("n", "m") if s in text]
    for s in plan.symbols:
        if not any(str(d) == s for p in ps for d in p.shape):
            ps.append(Param(f"Z{s}", (E(s),), "int32", "data"))
    if rng.random() < 0.25:
        plan.scalars = ["s"]
    for i, t in enumerate(plan.tiles[:2]):
        plan.tags.add(f"tile{i}={t}")


def _near(rng: random.Random, d: E) -> E:
    return d if rng.random() < 0.8 else bin_("+", d, lit(rng.choice([1, 2])))


def place_value(plan: Plan, idx: list[E]) -> E:
    """The value D holds at a place: a function of the place alone."""
    return call(f'T.Cast("{plan.dtype}", ({{0}}) % 100)', idx[-1], type_=plan.dtype)
