"""Index arithmetic in mathematical integers, as the contract's "in bounds" asks.

Only the operators of one index expression are exact; what they start from (variables, loads,
calls, conditions, narrowing casts) has the value its own type gives it.  int64 serves as long
as a static bound on the magnitude allows; past it, Python integers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .state import DEAD, State, narrow, note_zero
from .values import as_index, col

_ROOM = 2**62
_NODES: dict[str, Callable[..., tuple[Any, int]]] = {}
_LEAF64 = 2**40


def _magnitude(v: Any) -> int:
    if type(v) is int:
        return abs(v)
    return max(int(v.max()), -int(v.min())) if v.size else 0


def exactly(fn: Callable[[Any, Any], Any], grow: Callable[[int, int], int]) -> Callable[[Any, Any], Any]:
    """`fn` on indices, switching to Python integers when int64 could overflow."""

    def run(a: Any, b: Any) -> Any:
        if type(a) is int and type(b) is int:
            return fn(a, b)
        big = any(isinstance(x, np.ndarray) and x.dtype == object for x in (a, b))
        if big or grow(_magnitude(a), _magnitude(b)) >= _ROOM:
            a = a.astype(object) if isinstance(a, np.ndarray) else a
            b = b.astype(object) if isinstance(b, np.ndarray) else b
        return fn(a, b)

    return run


def _zero_safe(fn: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Division that yields 0 for a zero divisor."""

    def run(a: Any, b: Any) -> Any:
        if type(b) is int:
            return fn(a, b) if b != 0 else (a * 0)
        zero = b == 0
        if not zero.any():
            return fn(a, b)
        return np.where(zero, 0, fn(a, np.where(zero, 1, b)))

    return run


def _tdiv(a: Any, b: Any) -> Any:
    if type(a) is int and type(b) is int:
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    q = abs(a) // abs(b)
    return np.where((a < 0) == (b < 0), q, -q)


def _pick(better: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def run(a: Any, b: Any) -> Any:
        if type(a) is int and type(b) is int:
            return a if better(a, b) else b
        return np.where(better(a, b), a, b)

    return run


def _add(x: int, y: int) -> int:
    return x + y


def _most(x: int, y: int) -> int:
    return max(x, y)


BINARY: dict[str, tuple[Callable[[Any, Any], Any], Callable[[int, int], int]]] = {
    "Add": (lambda a, b: a + b, _add),
    "Sub": (lambda a, b: a - b, _add),
    "Mul": (lambda a, b: a * b, lambda x, y: x * y),
    "FloorDiv": (_zero_safe(lambda a, b: a // b), _add),
    "FloorMod": (_zero_safe(lambda a, b: a % b), _add),
    "Div": (_zero_safe(_tdiv), _add),
    "Mod": (_zero_safe(lambda a, b: a - _tdiv(a, b) * b), _add),
    "Min": (_pick(lambda a, b: a <= b), _most),
    "Max": (_pick(lambda a, b: a >= b), _most),
    "tirx.bitwise_and": (lambda a, b: a & b, _add),
    "tirx.bitwise_or": (lambda a, b: a | b, _add),
    "tirx.bitwise_xor": (lambda a, b: a ^ b, _add),
    "tirx.shift_right": (lambda a, b: a >> b, _most),
    "tirx.shift_left": (lambda a, b: a * 2**b, lambda x, y: x * 2 ** min(y, 64)),
}


def int_range(dt: np.dtype) -> tuple[int, int]:
    """Least and greatest value of an integer or bool type."""
    if dt == np.bool_:
        return 0, 1
    info = np.iinfo(dt)
    return int(info.min), int(info.max)


def wrap(v: Any, dt: np.dtype) -> Any:
    """An exact value wrapped into `dt`."""
    lo, hi = int_range(dt)
    span = hi - lo + 1
    if type(v) is int:
        return (v - lo) % span + lo
    if dt.itemsize == 8:
        return (v.astype(object) - lo) % span + lo
    if v.dtype == object:
        return ((v - lo) % span + lo).astype(np.int64)
    return v.astype(dt).astype(np.int64)


_DIVISIONS = {"FloorDiv", "FloorMod", "Div", "Mod"}
_RING = {"Add", "Sub", "Mul", "tirx.shift_left"}


def _noted(run: Callable[[Any, Any], Any], fa: Any, fb: Any) -> Callable[[State, Any], Any]:
    """A division that notes a zero divisor on an active thread."""

    def divided(S: State, m: Any) -> Any:
        a, b = fa(S, m), fb(S, m)
        if type(b) is not int or b == 0:
            note_zero(S, m, b)
        return run(a, b)

    return divided


class WideCompiler:
    """Compiles an integer PrimExpr to (closure -> exact index, bound on its magnitude)."""

    def __init__(self, typed: Callable[[Any], Callable[[State, Any], Any]], bounds: dict[int, int]) -> None:
        self.typed = typed
        self.bounds = bounds

    def index(self, e: Any) -> Callable[[State, Any], Any]:
        """The exact value of an index expression."""
        return self._visit(e)[0]

    def _visit(self, e: Any) -> tuple[Any, int]:
        name = type(e).__name__
        if name == "Call":
            name = getattr(e.op, "name", "")
        if name in BINARY and e.dtype.type_code in _INTEGER:
            a, b = (e.args[0], e.args[1]) if name[0] == "t" else (e.a, e.b)
            take = self._visit if name in _RING else self._operand
            return self._binary(name, take(a), take(b))
        fn = _NODES.get(name)
        return fn(self, e) if fn else self._leaf(e)

    def _operand(self, e: Any) -> tuple[Any, int]:
        """A value that is looked at: unsigned arithmetic has wrapped, as it does by definition."""
        from .values import split_dtype

        f, bound = self._visit(e)
        dt = split_dtype(e.dtype)[0]
        if dt.kind != "u" or dt.itemsize < 4:
            return f, bound
        return (lambda S, m: wrap(f(S, m), dt)), 2 ** (8 * dt.itemsize)

    def _binary(self, name: str, left: tuple[Any, int], right: tuple[Any, int]) -> tuple[Any, int]:
        op, grow = BINARY[name]
        (fa, ma), (fb, mb) = left, right
        bound = grow(ma, mb)
        run = op if bound < _ROOM else exactly(op, grow)
        if name in _DIVISIONS:
            return _noted(run, fa, fb), bound
        return (lambda S, m: run(fa(S, m), fb(S, m))), bound

    def _leaf(self, e: Any) -> tuple[Any, int]:
        f = self.typed(e)
        if e.dtype.bits < 64:
            return (lambda S, m: as_index(f(S, m))), 2 ** int(e.dtype.bits)

        def load64(S: State, m: Any) -> Any:
            v = as_index(f(S, m))
            return v if type(v) is int or _magnitude(v) < _LEAF64 else v.astype(object)

        return load64, _LEAF64


def _code(name: str) -> int:
    from tvm_ffi import dtype

    return int(dtype(name).type_code)


_INTEGER = {_code("int32"), _code("uint32")}


def _imm(c: WideCompiler, e: Any) -> tuple[Any, int]:
    v = int(e.value)
    return (lambda S, m: v), abs(v)


def _var(c: WideCompiler, e: Any) -> tuple[Any, int]:
    f, bound = c._leaf(e)
    return f, min(bound, c.bounds.get(hash(e), bound))


def _cast(c: WideCompiler, e: Any) -> tuple[Any, int]:
    from .values import split_dtype

    src, dst = split_dtype(e.value.dtype)[0], split_dtype(e.dtype)[0]
    if src.kind not in "iub":
        return c._leaf(e)
    f, bound = c._operand(e.value)
    (slo, shi), (dlo, dhi) = int_range(src), int_range(dst)
    if dlo <= slo and shi <= dhi:
        return f, bound
    return (lambda S, m: wrap(f(S, m), dst)), 2 ** (dst.itemsize * 8)


def _ramp(c: WideCompiler, e: Any) -> tuple[Any, int]:
    fb, mb = c._visit(e.base)
    fs, ms = c._visit(e.stride)
    step = np.arange(int(e.lanes), dtype=np.int64)[None, :]
    mul, add = (exactly(*BINARY[k]) for k in ("Mul", "Add"))

    def run(S: State, m: Any) -> Any:
        base, stride = fb(S, m), fs(S, m)
        base = col(base) if isinstance(base, np.ndarray) else base
        stride = col(stride) if isinstance(stride, np.ndarray) else stride
        return add(mul(step, stride), base)

    return run, mb + ms * int(e.lanes)


def _broadcast(c: WideCompiler, e: Any) -> tuple[Any, int]:
    f, bound = c._visit(e.value)
    lanes = int(e.lanes)

    def run(S: State, m: Any) -> Any:
        v = f(S, m)
        v = col(v) if isinstance(v, np.ndarray) else np.asarray([[v]], np.int64 if abs(v) < _ROOM else object)
        return np.broadcast_to(v, (v.shape[0], lanes))

    return run, bound


def _choose(lazy: bool) -> Callable[[WideCompiler, Any], tuple[Any, int]]:
    def compile_(c: WideCompiler, e: Any) -> tuple[Any, int]:
        parts = list(e.args) if lazy else [e.condition, e.true_value, e.false_value]
        cond = c.typed(parts[0])
        (ft, mt), (ff, mf) = c._visit(parts[1]), c._visit(parts[2])
        vector = parts[1].dtype.lanes > 1

        def run(S: State, m: Any) -> Any:
            k = cond(S, m)
            if not isinstance(k, np.ndarray):
                if lazy:
                    return ft(S, m) if k else ff(S, m)
                a, b = ft(S, m), ff(S, m)
                return a if k else b
            mt_, mf_ = (narrow(m, k), narrow(m, ~k)) if lazy else (m, m)
            if mt_ is DEAD:
                return ff(S, m if mf_ is DEAD else mf_)
            a = ft(S, mt_)
            if mf_ is DEAD:
                return a
            return np.where(col(k) if vector else k, a, ff(S, mf_))

        return run, max(mt, mf)

    return compile_


_NODES.update(
    IntImm=_imm, Var=_var, SizeVar=_var, Cast=_cast, Ramp=_ramp, Broadcast=_broadcast,
    Select=_choose(lazy=False),
)  # fmt: skip
_NODES["tirx.if_then_else"] = _choose(lazy=True)
