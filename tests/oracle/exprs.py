"""Expressions: each PrimExpr becomes a closure f(State, mask) -> value at its own type."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .access import Access, Buf, Closure
from .errors import UnsupportedByOracle
from .ops import OPS
from .state import DEAD, State, narrow, note_zero
from .values import as_index, cast, col, is_float, split_dtype, to_bool, trunc_div
from .wide import WideCompiler

_NODES: dict[str, Callable[[ExprCompiler, Any], Closure]] = {}


class ExprCompiler:
    """Turns PrimExprs into closures; variables and buffers are known by object identity."""

    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self.slots: dict[int, int] = {}
        self.bufs: dict[int, Buf] = {}
        self.bounds: dict[int, int] = {}
        self.wide = WideCompiler(self.expr, self.bounds)
        # IR wrappers whose address is a key above: kept so that no address is used twice.
        self.keep: list[Any] = []

    def slot(self, var: Any) -> int:
        """The place of a variable in `State.env`."""
        key = hash(var)
        s = self.slots.get(key)
        if s is None:
            s = self.slots[key] = len(self.slots)
            self.keep.append(var)
        return s

    def expr(self, e: Any) -> Closure:
        """The value of `e` at its own type."""
        fn = _NODES.get(type(e).__name__)
        if fn is None:
            raise UnsupportedByOracle(type(e).__name__)
        return fn(self, e)

    def cond(self, e: Any) -> Closure:
        """The value of `e` as a bool."""
        f = self.expr(e)
        if str(e.dtype) == "bool":
            return f
        return lambda S, m: to_bool(f(S, m))

    def index(self, e: Any) -> Closure:
        """An index: exact before the pass, at its own type after it."""
        if type(e).__name__ == "IntImm":
            v = int(e.value)
            return lambda S, m: v
        if not self.strict:
            return self.wide.index(e)
        f = self.expr(e)
        return lambda S, m: as_index(f(S, m))

    def extent(self, e: Any) -> Closure:
        """A shape, stride or offset: always exact."""
        return self.wide.index(e)

    def buffer(self, b: Any) -> Buf:
        """The compiled form of a buffer."""
        key = hash(b)
        buf = self.bufs.get(key)
        if buf is None:
            dtype, lanes = split_dtype(b.dtype)
            if lanes != 1:
                raise UnsupportedByOracle("buffer of vectors", str(b.name))
            self.keep.append(b)
            self.keep.append(b.data)
            buf = Buf(
                key, hash(b.data), str(b.name), str(b.scope()), dtype,
                [self.extent(d) for d in b.shape], [self.extent(d) for d in b.strides],
                self.extent(b.elem_offset) if b.elem_offset is not None else (lambda S, m: 0),
            )  # fmt: skip
            self.bufs[key] = buf
        return buf

    def access(self, node: Any) -> Access:
        """A BufferLoad or BufferStore as an access."""
        idx = list(node.indices)
        lanes = int(idx[-1].dtype.lanes) if idx else 1
        pred = getattr(node, "predicate", None)
        return Access(
            self.buffer(node.buffer), [self.index(i) for i in idx], lanes,
            self.cond(pred) if pred is not None else None,
        )  # fmt: skip

    def pointer(self, e: Any) -> tuple[Access, int | None]:
        """The element behind access_ptr or address_of, and the static extent if there is one."""
        name = getattr(getattr(e, "op", None), "name", type(e).__name__)
        if name == "tl.access_ptr":
            extent = e.args[1]
            return self.access(e.args[0]), int(extent.value) if hasattr(extent, "value") else None
        if name == "tirx.address_of":
            return self.access(e.args[0]), 1
        if name == "BufferLoad":
            return self.access(e), 1
        raise UnsupportedByOracle("pointer operand", str(name))


def _const(c: ExprCompiler, e: Any) -> Closure:
    dt, lanes = split_dtype(e.dtype)
    raw = e.value
    v = np.asarray(raw).astype(dt)[()] if is_float(dt) else np.asarray(int(raw)).astype(dt)[()]
    if lanes > 1:
        v = np.full((1, lanes), v)
    return lambda S, m: v


def _var(c: ExprCompiler, e: Any) -> Closure:
    s, name = c.slot(e), str(e.name)

    def run(S: State, m: Any) -> Any:
        v = S.env[s]
        if v is None:
            raise UnsupportedByOracle(f"variable {name!r} used before it has a value")
        return v

    return run


def _arith(fn: Callable[[Any, Any], Any]) -> Callable[[ExprCompiler, Any], Closure]:
    def compile_(c: ExprCompiler, e: Any) -> Closure:
        fa, fb = c.expr(e.a), c.expr(e.b)
        return lambda S, m: fn(fa(S, m), fb(S, m))

    return compile_


def _division(fn: Callable[[Any, Any], Any], ffn: Any) -> Callable[[ExprCompiler, Any], Closure]:
    def compile_(c: ExprCompiler, e: Any) -> Closure:
        fa, fb = c.expr(e.a), c.expr(e.b)
        if is_float(split_dtype(e.dtype)[0]):
            return lambda S, m: ffn(fa(S, m), fb(S, m))
        if type(e.b).__name__ == "IntImm" and int(e.b.value) != 0:
            return lambda S, m: fn(fa(S, m), fb(S, m))

        def run(S: State, m: Any) -> Any:
            a, b = fa(S, m), fb(S, m)
            note_zero(S, m, b)
            return fn(a, b)

        return run

    return compile_


def _compare(fn: Callable[[Any, Any], Any]) -> Callable[[ExprCompiler, Any], Closure]:
    def compile_(c: ExprCompiler, e: Any) -> Closure:
        fa, fb, lanes = c.expr(e.a), c.expr(e.b), int(e.dtype.lanes)

        def run(S: State, m: Any) -> Any:
            if not S.quiet:
                S.ncmp += lanes * (S.T if m is None else int(np.count_nonzero(m)))
            return fn(fa(S, m), fb(S, m))

        return run

    return compile_


def _logic(both: bool) -> Callable[[ExprCompiler, Any], Closure]:
    def compile_(c: ExprCompiler, e: Any) -> Closure:
        fa, fb = c.cond(e.a), c.cond(e.b)
        if int(e.dtype.lanes) > 1:
            op = operator.and_ if both else operator.or_
            return lambda S, m: op(fa(S, m), fb(S, m))

        def run(S: State, m: Any) -> Any:
            a = fa(S, m)
            if not isinstance(a, np.ndarray):
                return fb(S, m) if bool(a) == both else a
            rest = narrow(m, a if both else ~a)
            if rest is DEAD:
                return a
            return a & fb(S, rest) if both else a | fb(S, rest)

        return run

    return compile_


def _not(c: ExprCompiler, e: Any) -> Closure:
    f = c.cond(e.a)
    return lambda S, m: ~f(S, m)


def select(k: Any, a: Any, b: Any, vector: bool) -> Any:
    """Element-wise choice; `vector` when the arms have lanes."""
    if not isinstance(k, np.ndarray):
        return a if k else b
    return np.where(col(k) if vector else k, a, b)


def _select(c: ExprCompiler, e: Any) -> Closure:
    fk, fa, fb = c.cond(e.condition), c.expr(e.true_value), c.expr(e.false_value)
    vector = int(e.dtype.lanes) > 1
    return lambda S, m: select(fk(S, m), fa(S, m), fb(S, m), vector)


def lazy_choice(c: ExprCompiler, args: list[Any]) -> Closure:
    """if_then_else: an arm is evaluated only by the threads that take it."""
    fk, fa, fb = c.cond(args[0]), c.expr(args[1]), c.expr(args[2])
    vector = int(args[1].dtype.lanes) > 1

    def run(S: State, m: Any) -> Any:
        k = fk(S, m)
        if not isinstance(k, np.ndarray):
            return fa(S, m) if k else fb(S, m)
        yes, no = narrow(m, k), narrow(m, ~k)
        if yes is DEAD:
            return fb(S, m if no is DEAD else no)
        a = fa(S, yes)
        return a if no is DEAD else select(k, a, fb(S, no), vector)

    return run


def _cast(c: ExprCompiler, e: Any) -> Closure:
    f, dt = c.expr(e.value), split_dtype(e.dtype)[0]
    return lambda S, m: cast(f(S, m), dt)


def _load(c: ExprCompiler, e: Any) -> Closure:
    return c.access(e).load


def _ramp(c: ExprCompiler, e: Any) -> Closure:
    fb, fs = c.expr(e.base), c.expr(e.stride)
    step = np.arange(int(e.lanes)).astype(split_dtype(e.base.dtype)[0])[None, :]
    return lambda S, m: col(fb(S, m)) + col(fs(S, m)) * step


def _broadcast(c: ExprCompiler, e: Any) -> Closure:
    f, lanes = c.expr(e.value), int(e.lanes)

    def run(S: State, m: Any) -> Any:
        v = col(f(S, m))
        return np.broadcast_to(v, (v.shape[0], lanes))

    return run


def _shuffle(c: ExprCompiler, e: Any) -> Closure:
    parts = [c.expr(v) for v in e.vectors]
    take = [int(i) for i in e.indices]

    def run(S: State, m: Any) -> Any:
        cols = [col(f(S, m)) for f in parts]
        rows = max(v.shape[0] for v in cols)
        whole = np.concatenate([np.broadcast_to(v, (rows, v.shape[1])) for v in cols], axis=1)
        if len(take) == 1:
            one = whole[:, take[0]]
            return one if rows > 1 or (S.T == 1 and one.shape[0] > 1) else one[0]
        return whole[:, take]

    return run


def _let(c: ExprCompiler, e: Any) -> Closure:
    s, fv, fb = c.slot(e.var), c.expr(e.value), c.expr(e.body)

    def run(S: State, m: Any) -> Any:
        S.env[s] = fv(S, m)
        return fb(S, m)

    return run


def _call(c: ExprCompiler, e: Any) -> Closure:
    name = str(getattr(e.op, "name", "") or getattr(e.op, "name_hint", e.op))
    fn = OPS.get(name)
    if fn is None:
        raise UnsupportedByOracle(name)
    return fn(c, e)


_NODES.update(
    IntImm=_const, FloatImm=_const, Var=_var, SizeVar=_var, Cast=_cast, Select=_select,
    BufferLoad=_load, Ramp=_ramp, Broadcast=_broadcast, Shuffle=_shuffle, Let=_let, Call=_call,
    Not=_not, And=_logic(True), Or=_logic(False),
    Add=_arith(operator.add), Sub=_arith(operator.sub), Mul=_arith(operator.mul),
    Min=_arith(np.minimum), Max=_arith(np.maximum),
    FloorDiv=_division(np.floor_divide, np.floor_divide),
    FloorMod=_division(np.remainder, np.remainder),
    Div=_division(trunc_div, operator.truediv), Mod=_division(np.fmod, np.fmod),
    EQ=_compare(operator.eq), NE=_compare(operator.ne), LT=_compare(operator.lt),
    LE=_compare(operator.le), GT=_compare(operator.gt), GE=_compare(operator.ge),
)  # fmt: skip
