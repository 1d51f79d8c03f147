"""Values of the oracle and the arithmetic on them.

A value is one of
  * a numpy scalar: the same for every thread of the block ("uniform");
  * an array of shape (T,): one element a thread;
  * an array of shape (T, L) or (1, L): a vector of L lanes a thread.

An index is a Python int, or an int64 (object, where 64 bits do not suffice) array of the
same shapes.  All typed arithmetic wraps as the generated code would.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from .errors import UnsupportedByOracle

_SPECIAL = {
    "bool": np.dtype(np.bool_),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float8_e4m3fn": np.dtype(ml_dtypes.float8_e4m3fn),
    "float8_e4m3": np.dtype(ml_dtypes.float8_e4m3),
    "float8_e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "float8_e4m3fnuz": np.dtype(ml_dtypes.float8_e4m3fnuz),
    "float8_e5m2fnuz": np.dtype(ml_dtypes.float8_e5m2fnuz),
    "float8_e8m0fnu": np.dtype(ml_dtypes.float8_e8m0fnu),
}
_PLAIN = {
    name: np.dtype(name)
    for name in (
        ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
    )
}
_TABLE = {**_PLAIN, **_SPECIAL}


def split_dtype(dtype: Any) -> tuple[np.dtype, int]:
    """("float32x4") -> (np.float32, 4); raises UnsupportedByOracle on another type."""
    name = str(dtype)
    known = _TABLE.get(name)
    if known is not None:
        return known, 1
    base, sep, lanes = name.rpartition("x")
    if sep and lanes.isdigit() and base in _TABLE:
        return _TABLE[base], int(lanes)
    raise UnsupportedByOracle(f"dtype {name!r}")


def is_float(dt: np.dtype) -> bool:
    """True for every floating type, the narrow ones of ml_dtypes included."""
    return dt.kind == "f" or (dt.kind == "V" and dt in _SPECIAL.values())


def col(v: Any) -> Any:
    """A scalar value as a one-column matrix, so that lanes broadcast along axis 1."""
    if isinstance(v, np.ndarray):
        return v[:, None] if v.ndim == 1 else v
    return np.asarray(v).reshape(1, 1)


def cast(v: Any, dt: np.dtype) -> Any:
    """Convert to `dt` as a C cast does: truncating, wrapping; non-zero is true."""
    if v.dtype == dt:
        return v
    return v.astype(dt)


def reinterpret(v: Any, dt: np.dtype) -> Any:
    """The same bits read as `dt` (same width)."""
    if v.dtype.itemsize != dt.itemsize:
        raise UnsupportedByOracle("reinterpret between widths", f"{v.dtype} to {dt}")
    return v.view(dt) if isinstance(v, np.ndarray) else np.asarray(v).reshape(1).view(dt)[0]


def as_index(v: Any) -> Any:
    """A typed integer value as an exact index."""
    if not isinstance(v, np.ndarray):
        return int(v)
    if v.dtype == np.uint64 and v.size and int(v.max()) >= 2**63:
        return v.astype(object)
    return v.astype(np.int64)


def trunc_div(a: Any, b: Any) -> Any:
    """Integer division towards zero; x / 0 is 0 (recorded elsewhere)."""
    q = np.floor_divide(a, b)
    if a.dtype.kind == "u":
        return q
    fix = (np.remainder(a, b) != 0) & ((a < 0) != (b < 0))
    return (q + fix).astype(q.dtype)


def to_bool(v: Any) -> Any:
    """A condition as numpy bool."""
    return v if v.dtype == np.bool_ else v != 0
