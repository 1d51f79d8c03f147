"""Storage, and reading and writing it lane by lane."""

from __future__ import annotations

from typing import Any

import numpy as np

from .state import DEAD, State

_PAD = 16


class Storage:
    """The bytes behind one data variable, seen through any dtype.

    Private storage (scope local*) has one row a thread, shape (T, bytes); all other
    storage is flat.
    """

    def __init__(self, raw: np.ndarray, private: bool, dtype: np.dtype) -> None:
        self.raw = raw
        self.private = private
        self.dtype = dtype
        self._views: dict[np.dtype, np.ndarray] = {}

    @staticmethod
    def fresh(elements: int, dtype: np.dtype, threads: int | None, fill: int) -> Storage:
        """Uninitialised memory: every byte is `fill`; `threads` None means not private."""
        size = -(-max(elements, 1) * dtype.itemsize // _PAD) * _PAD
        shape = (size,) if threads is None else (threads, size)
        return Storage(np.full(shape, fill, np.uint8), threads is not None, dtype)

    @staticmethod
    def of_array(flat: np.ndarray) -> Storage:
        """Take over a flat array."""
        return Storage(flat.view(np.uint8), False, flat.dtype)

    def view(self, dt: np.dtype) -> np.ndarray:
        """The storage as elements of `dt`; a trailing partial element is not visible."""
        v = self._views.get(dt)
        if v is None:
            n = self.raw.shape[-1] // dt.itemsize * dt.itemsize
            v = self.raw[..., :n].view(dt)
            self._views[dt] = v
        return v


def in_box(idx: list[Any], ext: list[int]) -> Any:
    """True, False, or a bool array: 0 <= i_d < ext_d in every dimension."""
    ok: Any = True
    for i, e in zip(idx, ext, strict=True):
        if type(i) is int:
            if not 0 <= i < e:
                return False
            continue
        c = i.view(np.uint64) < e if i.dtype == np.int64 else ((i >= 0) & (i < e)).astype(bool)
        ok = c if ok is True else ok & c
    if ok is not True and ok.all():
        return True
    return ok


def flatten(idx: list[Any], strides: list[int], offset: int) -> Any:
    """Element offset of an index; garbage where the index is out of bounds."""
    flat: Any = offset
    for i, s in zip(idx, strides, strict=True):
        flat = flat + (i if s == 1 else i * s)
    return flat


def both(a: Any, b: Any) -> Any:
    """Conjunction of lane selections, each True, False or a bool array."""
    if a is True:
        return b
    if b is True or a is False:
        return a
    return b if b is False else a & b


def lanes_of(m: Any, vector: bool) -> Any:
    """A thread mask as a lane selection."""
    if m is None:
        return True
    if m is DEAD:
        return False
    return m[:, None] if vector else m


def read(S: State, store: Storage, dt: np.dtype, flat: Any) -> Any:
    """Elements at `flat`, which must be inside; a copy."""
    arr = store.view(dt)
    if not store.private:
        return arr[flat]
    if type(flat) is int:
        return arr[:, flat].copy()
    return arr[S.tids[:, None] if flat.ndim == 2 else S.tids, flat]


def write(S: State, store: Storage, dt: np.dtype, flat: Any, value: Any, sel: Any, lanes: int, vector: bool) -> None:
    """Write the selected lanes; where threads collide the highest thread id wins."""
    if sel is False:
        return
    arr = store.view(dt)
    varies = isinstance(value, np.ndarray)
    if not vector and type(flat) is int and (sel is True or not (varies or store.private)):
        if store.private:
            arr[:, flat] = value
        elif sel is True or sel.any():
            arr[flat] = value[-1] if varies else value
        return
    shape = (S.T, lanes) if vector else (S.T,)
    at = np.broadcast_to(np.asarray(flat, np.int64), shape)
    what = np.broadcast_to(value, shape)
    rows: Any = None
    if store.private:
        rows = np.broadcast_to(S.tids[:, None] if vector else S.tids, shape)
    if sel is not True:
        keep = np.broadcast_to(sel, shape)
        at, what = at[keep], what[keep]
        rows = rows[keep] if rows is not None else None
    if rows is None:
        arr[at] = what
    else:
        arr[rows, at] = what


def count_lanes(S: State, sel: Any, lanes: int) -> tuple[int, int]:
    """(elements, accesses with at least one lane) of a selection."""
    if sel is True:
        return S.T * lanes, S.T
    if sel is False:
        return 0, 0
    if sel.ndim < 2:
        n = int(np.count_nonzero(sel))
        return n, n
    full = np.broadcast_to(sel, (S.T, lanes))
    return int(np.count_nonzero(full)), int(np.count_nonzero(full.any(axis=1)))
