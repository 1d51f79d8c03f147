"""Atomics: threads take their turns by thread id; outside of the bounds nothing happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import memory
from ..access import tally
from ..values import cast, col, split_dtype
from . import OPS, op

Run = Callable[[Any, Any], Any]

COMBINE: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda old, v: old + v,
    "max": lambda old, v: max(old, v),
    "min": lambda old, v: min(old, v),
    "or": lambda old, v: old | v,
    "store": lambda old, v: v,
}


def atomic(kind: str, lanes: int, returns: bool) -> Callable[[Any, Any], Run]:
    """The compile function of one read-modify-write form over `lanes` consecutive elements."""
    fold = COMBINE[kind]

    def compile_(c: Any, e: Any) -> Run:
        dst = c.pointer(e.args[0])[0].span(lanes)
        value = _value(c, e.args[1], lanes)
        buf, result = dst.buf, split_dtype(e.dtype)[0] if returns else None

        def run(S: Any, m: Any) -> Any:
            idx = dst.spread(S, m)
            v = value(S, m)
            p = dst.locate(S, m, "atomic", idx)
            sel = memory.both(p.ok, memory.lanes_of(m, True))
            tally(S, "atomic", buf, sel, lanes)
            prev = np.full((S.T, lanes), buf.safe_value(S))
            if sel is not False:
                v = np.broadcast_to(cast(v, buf.dtype), (S.T, lanes))
                _turns(S, buf, p, v, np.broadcast_to(sel, (S.T, lanes)), fold, prev)
            if result is None:
                return None
            out = cast(prev, result)
            if lanes > 1:
                return out
            return out[:, 0] if S.T > 1 else out[0, 0]

        return run

    return compile_


def _turns(S: Any, buf: Any, p: Any, v: Any, sel: Any, fold: Any, prev: Any) -> None:
    store = S.mem[buf.data]
    arr = store.view(buf.dtype)
    flat = np.broadcast_to(np.asarray(p.flat, np.int64), sel.shape)
    for t, k in zip(*np.nonzero(sel), strict=True):
        at = (t, flat[t, k]) if store.private else flat[t, k]
        old = arr[at]
        prev[t, k] = old
        arr[at] = fold(old, v[t, k])


def _value(c: Any, e: Any, lanes: int) -> Run:
    """The value operand as (T|1, lanes): an expression, or for vectors a pointer to its source."""
    if lanes > 1 and str(e.dtype) == "handle":
        src = c.pointer(e)[0].span(lanes)
        return lambda S, m: src.read(S, m, src.locate(S, m, "load", src.spread(S, m)))
    f = c.expr(e)
    return lambda S, m: col(f(S, m))


for _k in ("add", "max", "min"):
    OPS[f"tl.atomic_{_k}_elem_op"] = atomic(_k, 1, False)
    OPS[f"tl.atomic_{_k}_ret_elem_op"] = atomic(_k, 1, True)
OPS["tl.atomic_or_elem_op"] = atomic("or", 1, False)
OPS["tl.atomic_store_elem_op"] = atomic("store", 1, False)
for _n in (2, 4):
    OPS[f"tl.atomic_addx{_n}_elem_op"] = atomic("add", _n, False)
    OPS[f"tl.atomic_addx{_n}_ret_elem_op"] = atomic("add", _n, True)


@op("tl.atomic_load_elem_op")
def _load(c: Any, e: Any) -> Run:
    acc, _ = c.pointer(e.args[0])
    return acc.load
