"""Counts comparisons, the unit in which guards are measured."""

from __future__ import annotations

import functools
from typing import Any

from tileguard import _lib


def comparisons(module: Any) -> int:
    """How many comparison nodes (<, <=, >, >=, ==, !=) the functions of an IRModule hold.

    A node reached along two ways counts twice, as it is evaluated twice.
    """
    from tvm.tirx import PrimFunc

    visitor = _visitor_class()()
    for function in module.functions.values():
        if isinstance(function, PrimFunc):
            visitor.visit_stmt(function.body)
    return int(visitor.count)


@functools.cache
def _visitor_class() -> Any:
    _lib.load()
    from tvm.tirx.functor import PyStmtExprVisitor, visitor

    def visit(self: Any, node: Any) -> None:
        self.count += 1
        self.visit_expr(node.a)
        self.visit_expr(node.b)

    def start(self: Any) -> None:
        self.count = 0

    names = ("lt", "le", "gt", "ge", "eq", "ne")
    members = {"__init__": start, **{f"visit_{name}_": visit for name in names}}
    return visitor(type("ComparisonCounter", (PyStmtExprVisitor,), members))
