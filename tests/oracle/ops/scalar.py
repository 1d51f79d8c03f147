"""Integer and bit operators, constants, hints: everything pure that is not floating point."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..values import col, is_float, reinterpret, split_dtype
from . import OPS, op

Run = Callable[[Any, Any], Any]


def _binary(fn: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Run]:
    def compile_(c: Any, e: Any) -> Run:
        fa, fb = c.expr(e.args[0]), c.expr(e.args[1])
        return lambda S, m: fn(fa(S, m), fb(S, m))

    return compile_


OPS["tirx.bitwise_and"] = _binary(operator.and_)
OPS["tirx.bitwise_or"] = _binary(operator.or_)
OPS["tirx.bitwise_xor"] = _binary(operator.xor)
OPS["tirx.shift_left"] = _binary(operator.lshift)
OPS["tirx.shift_right"] = _binary(operator.rshift)


@op("tirx.bitwise_not")
def _not(c: Any, e: Any) -> Run:
    f = c.expr(e.args[0])
    return lambda S, m: ~f(S, m)


@op("tirx.if_then_else")
def _if_then_else(c: Any, e: Any) -> Run:
    from ..exprs import lazy_choice

    return lazy_choice(c, list(e.args))


@op("tirx.likely", "tirx.tvm_thread_invariant", "tl.conflict_hint")
def _same(c: Any, e: Any) -> Run:
    return c.expr(e.args[0])


@op("tirx.reinterpret")
def _reinterpret(c: Any, e: Any) -> Run:
    f, dt = c.expr(e.args[0]), split_dtype(e.dtype)[0]
    return lambda S, m: reinterpret(f(S, m), dt)


@op("tirx.large_uint_imm")
def _large(c: Any, e: Any) -> Run:
    v = np.uint64(int(e.args[0].value) + (int(e.args[1].value) << 32)).astype(split_dtype(e.dtype)[0])
    return lambda S, m: v


@op("tl.infinity")
def _infinity(c: Any, e: Any) -> Run:
    dt = split_dtype(e.dtype)[0]
    v = np.asarray(np.inf).astype(dt)[()] if is_float(dt) else dt.type(np.iinfo(dt).max)
    return lambda S, m: v


@op("tirx.popcount")
def _popcount(c: Any, e: Any) -> Run:
    f, dt = c.expr(e.args[0]), split_dtype(e.dtype)[0]

    def run(S: Any, m: Any) -> Any:
        v = f(S, m)
        return np.bitwise_count(v.view(f"u{v.dtype.itemsize}")).astype(dt)

    return run


@op("tl.clamp")
def _clamp(c: Any, e: Any) -> Run:
    fv, fl, fh = (c.expr(a) for a in list(e.args)[:3])
    return lambda S, m: np.minimum(np.maximum(fv(S, m), fl(S, m)), fh(S, m))


@op("tirx.vectorlow", "tirx.vectorhigh")
def _half(c: Any, e: Any) -> Run:
    f, n = c.expr(e.args[0]), int(e.dtype.lanes)
    cut = slice(None, n) if str(e.op.name).endswith("low") else slice(n, None)
    return lambda S, m: f(S, m)[:, cut]


@op("tirx.vectorcombine")
def _combine(c: Any, e: Any) -> Run:
    fa, fb = c.expr(e.args[0]), c.expr(e.args[1])
    return lambda S, m: np.concatenate(np.broadcast_arrays(col(fa(S, m)), col(fb(S, m))), axis=1)
