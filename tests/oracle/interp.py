"""The oracle's door: bind arguments, run, collect what came out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from . import memory
from .access import Buf, Closure
from .errors import BadArguments, OobEvent
from .state import State
from .stmts import StmtCompiler
from .values import split_dtype

Mode = Literal["safe", "strict"]


@dataclass
class Result:
    """What one run did.

    outputs:    every buffer argument after the run, by buffer name, in its own shape.
    counts:     "load:NAME", "store:NAME", "atomic:NAME": elements touched inside the bounds;
                "load.vL:NAME" and so on: accesses that were L lanes wide; "compare": comparisons
                evaluated, one a lane and thread; "outside.KIND:NAME": lanes outside.
    oob_events: accesses outside (safe mode: any buffer; strict mode: shared and local ones).
    notes:      "division by zero", "false assumption", counted.
    """

    outputs: dict[str, np.ndarray]
    counts: Counter[str]
    oob_events: list[OobEvent]
    notes: Counter[str] = field(default_factory=Counter)

    def count(self, kind: str) -> int:
        """The sum of a kind of count over all buffers, e.g. count("load")."""
        return sum(n for k, n in self.counts.items() if k.partition(":")[0] == kind)


class Program:
    """A PrimFunc compiled once, to be run on many arguments."""

    def __init__(self, func: Any, mode: Mode = "safe") -> None:
        if mode not in ("safe", "strict"):
            raise BadArguments(f"mode is 'safe' or 'strict', not {mode!r}")
        self.func = func
        self._c = StmtCompiler(strict=mode == "strict")
        self._strict = mode == "strict"
        self._buffers: list[tuple[str, Buf, Any]] = []
        self._scalars: list[tuple[str, int, np.dtype]] = []
        for p in func.params:
            if p in func.buffer_map:
                b = func.buffer_map[p]
                self._buffers.append((str(p.name), self._c.buffer(b), b))
            else:
                self._scalars.append((str(p.name), self._c.slot(p), split_dtype(p.dtype)[0]))
        self._symbols = [self._symbols_of(b) for _, _, b in self._buffers]
        self._body: Closure = self._c.stmt(func.body)

    def _symbols_of(self, b: Any) -> list[tuple[str, int, int, np.dtype]]:
        """(where, dimension, slot, type) of each plain variable in a buffer's shape and strides."""
        out = []
        for where, dims in (("shape", b.shape), ("strides", b.strides)):
            for d, e in enumerate(dims):
                if type(e).__name__ in ("Var", "SizeVar"):
                    out.append((where, d, self._c.slot(e), split_dtype(e.dtype)[0]))
        return out

    def run(self, args: dict[str, Any], *, max_steps: int = 2_000_000, fill: int = 0xA5) -> Result:
        """Run on `args` (arrays by buffer or parameter name, integers by name); inputs are kept.

        `fill` is the byte that uninitialised shared and local memory holds.
        """
        S = State(len(self._c.slots), self._strict, max_steps, fill)
        with np.errstate(all="ignore"):
            arrays = self._bind(S, args)
            self._body(S, None)
        S.counts["compare"] = S.ncmp
        outputs = {
            buf.name: S.mem[buf.data].view(buf.dtype).reshape(shape)
            for (_, buf, _), shape in zip(self._buffers, arrays, strict=True)
        }
        return Result(outputs, S.counts, S.events, S.notes)

    def _bind(self, S: State, args: dict[str, Any]) -> list[tuple[int, ...]]:
        left = dict(args)
        arrays = []
        for pname, buf, _ in self._buffers:
            a = left.pop(pname) if pname in left else left.pop(buf.name, None)
            if a is None:
                raise BadArguments(f"no array for buffer {buf.name!r}")
            a = np.asarray(a)
            if a.dtype != buf.dtype:
                raise BadArguments(f"{buf.name!r} wants {buf.dtype}, got {a.dtype}")
            if a.ndim != len(buf.shape):
                raise BadArguments(f"{buf.name!r} wants {len(buf.shape)} dimensions, got {a.ndim}")
            arrays.append(a)
        for name, slot, dt in self._scalars:
            if name not in left:
                raise BadArguments(f"no value for parameter {name!r}")
            S.env[slot] = np.asarray(left.pop(name)).astype(dt)[()]
        if left:
            raise BadArguments(f"unknown argument {sorted(left)[0]!r}")
        for a, symbols, (_, buf, _) in zip(arrays, self._symbols, self._buffers, strict=True):
            for where, d, slot, dt in symbols:
                got = a.shape[d] if where == "shape" else int(np.prod(a.shape[d + 1 :], dtype=np.int64))
                have = S.env[slot]
                if have is not None and int(have) != got:
                    raise BadArguments(f"{buf.name!r} dimension {d}: {got} is not {int(have)}")
                S.env[slot] = dt.type(got)
        for a, (_, buf, _) in zip(arrays, self._buffers, strict=True):
            buf.declare(S)
            ext, strides, off = S.geo[buf.key]
            if tuple(ext) != a.shape:
                raise BadArguments(f"{buf.name!r} wants shape {tuple(ext)}, got {a.shape}")
            flat = np.array(a, copy=True, order="C").reshape(-1)
            if off or buf.elements(S) > flat.size:
                raise BadArguments(f"{buf.name!r}: strides {strides} do not fit a compact array")
            S.mem[buf.data] = memory.Storage.of_array(flat)
        return [a.shape for a in arrays]


def run(func: Any, args: dict[str, Any], mode: Mode = "safe", **options: Any) -> Result:
    """Execute `func` on `args` once; see Program.run for the options and Result for the answer."""
    return Program(func, mode).run(args, **options)
