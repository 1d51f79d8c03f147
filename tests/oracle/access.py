"""One compiled access: buffer, index closures, and what happens outside of the bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import memory
from .state import DEAD, State
from .values import col, reinterpret

Closure = Callable[[State, Any], Any]


@dataclass
class Buf:
    """What is fixed about a buffer; its extents live in `State.geo[key]` once declared."""

    key: int
    data: int
    name: str
    scope: str
    dtype: np.dtype
    shape: list[Closure]
    strides: list[Closure]
    offset: Closure
    names: list[str] = field(default_factory=list)

    @property
    def is_global(self) -> bool:
        """Only global buffers are guarded."""
        return self.scope == "global"

    def declare(self, S: State) -> None:
        """Evaluate extents, strides and offset under the present variables."""
        ext = [int(f(S, None)) for f in self.shape]
        strides = [int(f(S, None)) for f in self.strides]
        if not strides:
            step = 1
            for e in reversed(ext):
                strides.insert(0, step)
                step *= e
        S.geo[self.key] = (ext, strides, int(self.offset(S, None)))

    def elements(self, S: State) -> int:
        """How many elements an allocation of this buffer holds."""
        ext, strides, off = S.geo[self.key]
        return 0 if 0 in ext else off + 1 + sum((e - 1) * s for e, s in zip(ext, strides, strict=True))

    def allocate(self, S: State) -> None:
        """Give the data variable memory of its own, as an allocation in the IR does."""
        self.declare(S)
        private = S.T > 1 and self.scope.startswith("local")
        fill = 0 if self.scope == "local.var" else S.fill
        S.mem[self.data] = memory.Storage.fresh(self.elements(S), self.dtype, S.T if private else None, fill)

    def safe_value(self, S: State) -> Any:
        """What a load out of bounds reads: the annotated value in the bits of the declared type."""
        v = S.safe.get(self.data)
        if v is None:
            return self.dtype.type(0)
        v = v.astype(S.mem[self.data].dtype)
        return v if v.dtype == self.dtype else reinterpret(v, self.dtype)


@dataclass
class Place:
    """Where an access goes: flat offsets valid where `ok` (True, False or bool lanes)."""

    buf: Buf
    idx: list[Any]
    flat: Any
    ok: Any
    lanes: int


@dataclass
class Access:
    """An access of `lanes` elements of `buf`.

    `vector` says that its values are matrices (T, lanes); by default those of more than one
    lane are.
    """

    buf: Buf
    idx: list[Closure]
    lanes: int
    pred: Closure | None = None
    vector: bool | None = None

    def __post_init__(self) -> None:
        if self.vector is None:
            self.vector = self.lanes > 1

    def span(self, lanes: int) -> Access:
        """`lanes` consecutive elements of the last dimension, from this one on."""
        return Access(self.buf, self.idx, lanes, None, True)

    def spread(self, S: State, m: Any) -> list[Any]:
        """Evaluate the indices of the first element and lay the lanes out as columns."""
        idx = [f(S, m) for f in self.idx]
        idx = [col(i) if isinstance(i, np.ndarray) else i for i in idx]
        if idx and not (isinstance(idx[-1], np.ndarray) and idx[-1].shape[1] == self.lanes > 1):
            idx[-1] = idx[-1] + np.arange(self.lanes, dtype=np.int64)[None, :]
        return idx

    def indices(self, S: State, m: Any) -> list[Any]:
        """Evaluate the indices once, left to right."""
        out = [f(S, m) for f in self.idx]
        if self.vector:
            out = [col(i) if isinstance(i, np.ndarray) else i for i in out]
        return out

    def place(self, S: State, m: Any, kind: str, idx: list[Any] | None = None) -> Place:
        """Evaluate the indices, check them, record what is outside."""
        return self.locate(S, m, kind, self.indices(S, m) if idx is None else idx)

    def locate(self, S: State, m: Any, kind: str, idx: list[Any]) -> Place:
        """Check evaluated indices and turn them into offsets."""
        buf = self.buf
        geo = S.geo.get(buf.key)
        if geo is None:
            buf.declare(S)
            geo = S.geo[buf.key]
        ok = memory.in_box(idx, geo[0])
        flat = memory.flatten(idx, geo[1], geo[2])
        if ok is not True:
            who = memory.lanes_of(m, bool(self.vector))
            if self.pred is not None:
                who = memory.both(who, self.pred(S, m))
            bad = who if ok is False else memory.both(who, ~ok)
            if bad is True or (bad is not False and bad.any()):
                S.outside(kind, buf, idx, bad, self.lanes, bool(self.vector))
            if not buf.is_global:
                # Shared and local memory has no guard: the hardware sees the flat offset.
                ok = memory.in_box([flat], [S.mem[buf.data].view(buf.dtype).shape[-1]])
            if ok is False:
                flat = 0
            elif ok is not True:
                flat = np.where(ok, flat, 0).astype(np.int64)
        return Place(buf, idx, flat, ok, self.lanes)

    def load(self, S: State, m: Any) -> Any:
        """Read; lanes outside get the safe value."""
        return self.read(S, m, self.place(S, m, "load"))

    def read(self, S: State, m: Any, p: Place, kind: str = "load") -> Any:
        """Read a place that was located before."""
        buf = self.buf
        sel = memory.both(p.ok, memory.lanes_of(m, bool(self.vector)))
        tally(S, kind, buf, sel, self.lanes)
        if p.ok is False or S.mem[buf.data].view(buf.dtype).shape[-1] == 0:
            safe = buf.safe_value(S)
            return np.full((1, self.lanes), safe) if self.vector else safe
        v = memory.read(S, S.mem[buf.data], buf.dtype, p.flat)
        if self.vector and (not isinstance(v, np.ndarray) or v.ndim < 2):
            v = np.broadcast_to(col(v), (np.shape(col(v))[0], self.lanes))
        if p.ok is not True:
            v = np.where(p.ok, v, buf.safe_value(S))
        return v

    def store(self, S: State, m: Any, p: Place, value: Any, kind: str = "store") -> None:
        """Write the lanes that are inside; `value` was evaluated before."""
        if m is DEAD:
            return
        sel = memory.both(p.ok, memory.lanes_of(m, bool(self.vector)))
        if self.pred is not None:
            sel = memory.both(sel, self.pred(S, m))
        tally(S, kind, self.buf, sel, self.lanes)
        memory.write(S, S.mem[self.buf.data], self.buf.dtype, p.flat, value, sel, self.lanes, bool(self.vector))


def tally(S: State, kind: str, buf: Buf, sel: Any, lanes: int) -> None:
    """Count executed elements and, by width, executed accesses."""
    if S.quiet:
        return
    elements, accesses = memory.count_lanes(S, sel, lanes)
    if elements:
        S.counts[f"{kind}:{buf.name}"] += elements
        S.counts[f"{kind}.v{lanes}:{buf.name}"] += accesses
