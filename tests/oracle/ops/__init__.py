"""The table of operators: op name -> fn(compiler, call) -> closure.

To teach the oracle an op, write one function in a module of this package and decorate it
with `@op("tl.name")`; the module must be listed at the bottom of this file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

OPS: dict[str, Callable[[Any, Any], Callable[[Any, Any], Any]]] = {}


def op(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a compile function under op names."""

    def put(fn: Callable[..., Any]) -> Callable[..., Any]:
        for n in names:
            assert n not in OPS, n
            OPS[n] = fn
        return fn

    return put


from . import atomics, control, copies, math, scalar  # noqa: E402,F401
