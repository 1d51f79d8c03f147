"""Pure floating-point functions, computed in float64 and rounded once to their type.

One rounding makes them the same whichever path (scalar or array) evaluates them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..values import split_dtype
from . import OPS, op


def _erf(x: Any) -> Any:
    from math import erf

    return np.vectorize(erf, otypes=[np.float64])(x)


def _round_away(x: Any) -> Any:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


UNARY: dict[str, Callable[[Any], Any]] = {
    "exp": np.exp, "exp2": np.exp2, "exp10": lambda x: np.power(10.0, x), "log": np.log,
    "log2": np.log2, "log10": np.log10, "log1p": np.log1p, "sqrt": np.sqrt,
    "rsqrt": lambda x: 1.0 / np.sqrt(x), "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "fabs": np.abs, "nearbyint": np.rint,
    "round": _round_away, "erf": _erf, "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
}  # fmt: skip
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "pow": np.power, "fmod": np.fmod, "atan2": np.arctan2, "hypot": np.hypot,
    "copysign": np.copysign, "fmax": np.fmax, "fmin": np.fmin,
}  # fmt: skip
_FAST = {"exp", "exp10", "log", "log2", "log10", "sin", "cos", "tan"}


def rounded(fn: Callable[..., Any], args: list[Any], dt: np.dtype) -> Any:
    """fn in double precision, rounded to `dt`."""
    return np.asarray(fn(*(a.astype(np.float64) for a in args))).astype(dt)[()]


def pure(fn: Callable[..., Any]) -> Callable[[Any, Any], Callable[[Any, Any], Any]]:
    """A compile function for a float function of the call's own arguments."""

    def compile_(c: Any, e: Any) -> Callable[[Any, Any], Any]:
        fs, dt = [c.expr(a) for a in e.args], split_dtype(e.dtype)[0]
        return lambda S, m: rounded(fn, [f(S, m) for f in fs], dt)

    return compile_


def _fabs_any(c: Any, e: Any) -> Callable[[Any, Any], Any]:
    f = c.expr(e.args[0])
    return lambda S, m: np.abs(f(S, m))


for _name, _fn in UNARY.items():
    if _name == "fabs":
        OPS["tirx.fabs"] = _fabs_any
        continue
    OPS[f"tirx.{_name}"] = pure(_fn)
    if _name in _FAST:
        OPS[f"tl.__{_name}"] = pure(_fn)
for _name, _fn2 in BINARY.items():
    OPS[f"tirx.{_name}"] = pure(_fn2)
OPS["tirx.fma"] = pure(lambda a, b, x: a * b + x)
OPS["tl.ieee_add"] = pure(lambda a, b, *r: a + b)
OPS["tl.ieee_sub"] = pure(lambda a, b, *r: a - b)
OPS["tl.ieee_mul"] = pure(lambda a, b, *r: a * b)
OPS["tl.ieee_fdiv"] = pure(lambda a, b, *r: a / b)
OPS["tl.ieee_fsqrt"] = pure(lambda a, *r: np.sqrt(a))


@op("tirx.isnan", "tirx.isinf", "tirx.isfinite")
def _classify(c: Any, e: Any) -> Callable[[Any, Any], Any]:
    fn = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite}[str(e.op.name)[5:]]
    f = c.expr(e.args[0])
    return lambda S, m: np.asarray(fn(f(S, m).astype(np.float64)))[()]


@op("tirx.call_pure_extern")
def _extern(c: Any, e: Any) -> Callable[[Any, Any], Any]:
    from ..errors import UnsupportedByOracle

    name = str(e.args[0].value)
    base = name[:-1] if name.endswith("f") and name[:-1] in {**UNARY, **BINARY} else name
    fn: Any = UNARY.get(base) or BINARY.get(base)
    if name in ("abs", "llabs"):
        return _abs_int(c, e)
    if fn is None:
        raise UnsupportedByOracle(f"call_pure_extern {name!r}")
    fs, dt = [c.expr(a) for a in list(e.args)[1:]], split_dtype(e.dtype)[0]
    return lambda S, m: rounded(fn, [f(S, m) for f in fs], dt)


def _abs_int(c: Any, e: Any) -> Callable[[Any, Any], Any]:
    f = c.expr(e.args[1])
    return lambda S, m: np.abs(f(S, m))
