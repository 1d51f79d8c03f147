"""How messages speak of kernels and errors."""

from __future__ import annotations

from typing import Any


def name_of(func: Any) -> str:
    """What to call a kernel in a message."""
    attrs = getattr(func, "attrs", None)
    if attrs and "global_symbol" in attrs:
        return str(attrs["global_symbol"])
    if hasattr(func, "functions"):
        return " and ".join(str(var.name_hint) for var in func.functions)
    return str(getattr(func, "__name__", type(func).__name__))


def place_of(func: Any) -> str:
    """Where a kernel was written, as ` (FILE:LINE)`; empty when it does not say."""
    span = getattr(func, "span", None)
    if span is None:
        spans = [place_of(f) for f in func.functions.values()] if hasattr(func, "functions") else []
        return spans[0] if spans else ""
    return f" ({span.source_name.name}:{span.line})"


def first_line(error: BaseException) -> str:
    """The message of an error without what follows it: stack frames, source excerpts."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
