"""How many comparisons a module evaluates, bounded from its loops."""

from __future__ import annotations

import functools
from typing import Any

import tilelang  # noqa: F401  (makes tvm importable)
import tvm
from tvm import tirx
from tvm.tirx.functor import PyStmtExprVisitor, visitor

SYMBOLIC = 8  # stands for an extent that is not constant; the same for both passes, so only ratios mean something


def evaluations(module: Any) -> int:
    """Comparisons that one thread of each function evaluates at most.

    Each counts once an iteration of the loops around it; of two branches the costlier one counts. Nothing is taken off
    for the second half of an `and` that is not reached.
    """
    counter = _counter_class()()
    for func in module.functions.values():
        if isinstance(func, tirx.PrimFunc):
            counter.visit_stmt(func.body)
    return int(counter.count)


@functools.cache
def _counter_class() -> Any:
    def start(self: Any) -> None:
        self.count, self.times = 0, 1

    def comparison(self: Any, node: Any) -> None:
        self.count += self.times
        self.visit_expr(node.a)
        self.visit_expr(node.b)

    def loop(self: Any, node: Any) -> None:
        self.visit_expr(node.min)
        self.visit_expr(node.extent)
        outside = self.times
        # A loop over threads is no loop of one thread.
        if node.kind != tirx.ForKind.THREAD_BINDING:
            self.times *= int(node.extent) if isinstance(node.extent, tirx.IntImm) else SYMBOLIC
        self.visit_stmt(node.body)
        self.times = outside

    def costlier(self: Any, visit: Any, branches: list[Any]) -> None:
        before, counts = self.count, []
        for branch in branches:
            self.count = before
            visit(branch)
            counts.append(self.count)
        self.count = max(counts)

    def statement(self: Any, node: Any) -> None:
        self.visit_expr(node.condition)
        costlier(
            self, self.visit_stmt, [node.then_case] if node.else_case is None else [node.then_case, node.else_case]
        )

    def call(self: Any, node: Any) -> None:
        if isinstance(node.op, tvm.ir.Op) and node.op.name == "tirx.if_then_else":
            self.visit_expr(node.args[0])
            costlier(self, self.visit_expr, list(node.args[1:3]))
            return
        for argument in node.args:
            self.visit_expr(argument)

    members = {"__init__": start, "visit_for_": loop, "visit_if_then_else_": statement, "visit_call_": call}
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        members[f"visit_{name}_"] = comparison
    return visitor(type("EvaluationCounter", (PyStmtExprVisitor,), members))
