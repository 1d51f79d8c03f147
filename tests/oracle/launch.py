"""Grids and thread blocks: blocks one after the other, the threads of one in lockstep."""

from __future__ import annotations

from typing import Any

import numpy as np

from .access import Closure
from .errors import UnsupportedByOracle
from .state import DEAD, State
from .values import as_index, split_dtype

_DIMS = ("threadIdx.x", "threadIdx.y", "threadIdx.z")


def _launch_dim(node: Any) -> tuple[str, Any, Any] | None:
    """(tag, var, extent) of a thread_extent attribute or a thread-binding loop, else None."""
    kind = type(node).__name__
    if kind == "AttrStmt" and str(node.attr_key) == "thread_extent":
        return str(node.node.thread_tag), node.node.var, node.value
    if kind == "For" and node.thread_binding is not None:
        return str(node.thread_binding.thread_tag), node.loop_var, node.extent
    return None


def compile_thread_extent(c: Any, node: Any) -> Closure:
    """A block dimension loops; the thread dimensions that follow each other run together."""
    dim = _launch_dim(node)
    assert dim is not None
    if dim[0].startswith("blockIdx"):
        return _compile_block(c, node, *dim)
    dims = []
    while dim is not None and dim[0] in _DIMS:
        dims.append(dim)
        node = node.body
        dim = _launch_dim(node)
    if not dims:
        raise UnsupportedByOracle(f"launch dimension {dim[0] if dim else '?'}")
    return _compile_threads(c, node, dims)


def _bound(c: Any, var: Any, extent: Any) -> None:
    if hasattr(extent, "value"):
        c.bounds[hash(var)] = max(int(extent.value) - 1, 0)


def _compile_block(c: Any, node: Any, tag: str, var: Any, extent: Any) -> Closure:
    _bound(c, var, extent)
    slot, dt, fext = c.slot(var), split_dtype(var.dtype)[0], c.expr(extent)
    body = c.stmt(node.body)

    def run(S: State, m: Any) -> Any:
        for i in range(int(as_index(fext(S, m)))):
            S.step()
            S.env[slot] = dt.type(i)
            S.block[tag] = i
            body(S, m)
        S.block.pop(tag, None)
        return m

    return run


def _compile_threads(c: Any, inner: Any, dims: list[tuple[str, Any, Any]]) -> Closure:
    for _, var, extent in dims:
        _bound(c, var, extent)
    made = [(tag, c.slot(v), split_dtype(v.dtype)[0], c.expr(e)) for tag, v, e in dims]
    body = c.stmt(inner)

    def run(S: State, m: Any) -> Any:
        ext = {tag: int(as_index(f(S, m))) for tag, _, _, f in made}
        if S.T != 1 or S.launch:
            return _again(S, m, made, ext, body)
        total = int(np.prod([ext.get(d, 1) for d in _DIMS]))
        if total < 1:
            return m
        S.T, S.tids = total, np.arange(total)
        left = S.tids
        for d in _DIMS:
            n = ext.get(d, 1)
            S.launch[d] = (left % n, n)
            left = left // n
        for tag, slot, dt, _ in made:
            v, n = S.launch[tag]
            S.env[slot] = v.astype(dt) if n > 1 else dt.type(0)
        # Threads share what they do, not how they leave: the host goes on with its own mask.
        body(S, None if m is None or m is not DEAD else m)
        S.T, S.tids = 1, np.arange(1)
        S.launch.clear()
        return m

    return run


def _again(S: State, m: Any, made: list[Any], ext: dict[str, int], body: Closure) -> Any:
    """A thread dimension bound a second time inside of its block names the same threads."""
    for tag, slot, dt, _ in made:
        known = S.launch.get(tag)
        if known is None or known[1] != ext[tag]:
            raise UnsupportedByOracle(f"{tag} bound again with another extent")
        S.env[slot] = known[0].astype(dt) if known[1] > 1 else dt.type(0)
    return body(S, m)
