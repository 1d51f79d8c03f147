"""Taking single comparisons out of a module."""

from __future__ import annotations

import functools
from typing import Any

from tilelang import tvm
from tvm import tirx
from tvm.tirx.functor import PyStmtExprMutator, mutator

NAMES = ("lt", "le", "gt", "ge", "eq", "ne")


@functools.cache
def _remover_class() -> Any:
    def visit(self: Any, node: Any) -> Any:
        number = len(self.seen)
        self.seen.append(node)
        if number == self.remove:
            return tirx.const(True, "bool")
        return type(node)(self.visit_expr(node.a), self.visit_expr(node.b))

    def start(self: Any) -> None:
        self.seen, self.remove = [], -1

    members = {"__init__": start, **{f"visit_{name}_": visit for name in NAMES}}
    return mutator(type("Remover", (PyStmtExprMutator,), members))


def _visited(func: Any, remove: int) -> tuple[Any, list[Any]]:
    remover = _remover_class()()
    remover.remove = remove
    body = remover.visit_stmt(func.body)
    return func.with_body(body), remover.seen


def added(before: Any, after: Any) -> list[int]:
    """The places, in visiting order, of the comparisons in `after` that `before` does not have.

    A comparison as in `before` is the author's; where `after` has more of the same, all of them count, so that
    a superfluous one cannot hide behind the author's.
    """
    theirs = _visited(_function(before), -1)[1]
    ours = _visited(_function(after), -1)[1]
    places = []
    for place, atom in enumerate(ours):
        alike = [other for other in ours if _alike(atom, other)]
        if len(alike) > sum(_alike(atom, other) for other in theirs):
            places.append(place)
    return places


def without(module: Any, place: int) -> tuple[Any, str]:
    """The module with one comparison replaced by true, and the text of that comparison."""
    func, seen = _visited(_function(module), place)
    return tvm.IRModule({"main": func}), str(seen[place])


def _function(module: Any) -> Any:
    (func,) = (f for f in module.functions.values() if isinstance(f, tirx.PrimFunc))
    return func


def _alike(one: Any, other: Any) -> bool:
    return bool(one.same_as(other) or tvm.ir.structural_equal(one, other))
