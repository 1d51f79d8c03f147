"""The claims that every kernel of tests/bugs makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tilelang  # noqa: F401  (makes tvm importable)
from tvm import arith, tirx

from tests.helpers.case import Case
from tests.helpers.lowered import equal
from tests.helpers.meaning import only_function


def right_with_ours(case: Case) -> None:
    """Nothing out of bounds, every bit right: after the pass, after the host simplifies, without the optimisations."""
    lowered = case.lowered()
    assert case.faults(lowered.after) == []
    assert case.faults(lowered.simplified()) == []
    assert case.faults(case.plain().after) == []
    assert equal(lowered.again(), lowered.after)


def wrong_with_tilelang(case: Case) -> None:
    """The same judge finds a fault when TileLang's pass ran in its own pipeline."""
    assert case.faults(case.lowered("tilelang").after) != []


def guard_count(case: Case) -> None:
    assert case.plain().guards == case.guards


def conditions_around(module: Any, name: str) -> list[list[tuple[Any, bool]]]:
    """For every call of op (or extern function) `name`: the conditions it stands under, and whether each must hold."""
    found: list[list[tuple[Any, bool]]] = []

    def expr(node: Any, under: list[tuple[Any, bool]]) -> None:
        if isinstance(node, tirx.Call):
            called = str(getattr(node.op, "name", node.op))
            if called == "tirx.call_extern" and isinstance(node.args[0], tirx.StringImm):
                called = str(node.args[0].value)
            if called == name:
                found.append(under)
            if called == "tirx.if_then_else":
                expr(node.args[0], under)
                expr(node.args[1], [*under, (node.args[0], True)])
                expr(node.args[2], [*under, (node.args[0], False)])
                return
        for child in _children(node):
            expr(child, under)

    def stmt(node: Any, under: list[tuple[Any, bool]]) -> None:
        if isinstance(node, tirx.IfThenElse):
            expr(node.condition, under)
            stmt(node.then_case, [*under, (node.condition, True)])
            if node.else_case is not None:
                stmt(node.else_case, [*under, (node.condition, False)])
            return
        for key in ("value", "extent"):
            if isinstance(getattr(node, key, None), tirx.PrimExpr):
                expr(getattr(node, key), under)
        for index in getattr(node, "indices", ()):
            expr(index, under)
        for key in ("body", "block", "init"):
            child = getattr(node, key, None)
            if isinstance(child, tirx.Stmt):
                stmt(child, under)
        for child in getattr(node, "seq", ()):
            stmt(child, under)

    stmt(only_function(module).body, [])
    return found


def _children(node: Any) -> list[Any]:
    named = [getattr(node, key, None) for key in ("a", "b", "value", "condition", "true_value", "false_value", "base")]
    listed = [*getattr(node, "args", ()), *getattr(node, "indices", ()), *getattr(node, "vectors", ())]
    return [child for child in (*named, *listed) if isinstance(child, tirx.PrimExpr)]


def runs_exactly_when(
    module: Any, name: str, values: Sequence[Mapping[str, int]], expected: Callable[..., bool]
) -> None:
    """Every call of `name` is executed exactly for those values of the variables for which `expected(**values)` holds.

    For ops the oracle cannot execute: the conditions around the call are evaluated by themselves.
    """
    places = conditions_around(module, name)
    assert places, f"no call of {name}"
    for under in places:
        for env in values:
            got = all(holds(condition, env) == must for condition, must in under)
            assert got == expected(**env), (name, dict(env), [str(condition) for condition, _ in under])


def holds(condition: Any, env: Mapping[str, int]) -> bool:
    """The value of a condition that mentions no variables but those of `env`."""
    known: dict[Any, Any] = {}

    def see(node: Any) -> None:
        if isinstance(node, tirx.Var) and str(node.name) in env:
            known[node] = tirx.IntImm(node.dtype, env[str(node.name)])

    tirx.stmt_functor.post_order_visit(condition, see)
    value = arith.Analyzer().simplify(tirx.stmt_functor.substitute(condition, known))
    assert isinstance(value, tirx.IntImm), f"{condition} depends on more than {sorted(env)}"
    return bool(value.value)
