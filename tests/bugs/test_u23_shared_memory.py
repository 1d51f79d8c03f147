"""Shared memory is analysed and reported, and guarded on request: TileLang's pass is silent about it."""

from typing import Any

import pytest
import tilelang.language as T

import tileguard
from tests import oracle
from tests.helpers import meaning
from tests.helpers.case import Case, each, shapes


def right_neighbour() -> Any:
    """The last thread looks behind the buffer."""

    @T.prim_func
    def right_neighbour(x: T.Tensor((32,), "float32"), y: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=32):
            t = T.get_thread_binding()
            s = T.alloc_shared((32,), "float32")
            s[t] = x[t]
            T.sync_threads()
            y[t] = s[t + 1]

    return right_neighbour


def wide_store() -> Any:
    """Threads of the second half store behind their row."""

    @T.prim_func
    def wide_store(x: T.Tensor((16,), "int32"), y: T.Tensor((16,), "int32")):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            s = T.alloc_shared((4, 16), "int32")
            s[1, t] = x[t]
            s[2, t * 2] = x[t]
            T.sync_threads()
            y[t] = s[1, t]

    return wide_store


def unknown_trip() -> Any:
    """How far the loop goes is a shape's affair."""
    n = T.dynamic("n")

    @T.prim_func
    def unknown_trip(x: T.Tensor((n,), "int32"), y: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            s = T.alloc_shared((8,), "int32")
            s[t] = 0
            T.sync_threads()
            if t == 0:
                for i in T.serial(n):
                    s[i] = x[i]
            T.sync_threads()
            y[t] = s[t]

    return unknown_trip


NEIGHBOUR, STORE, TRIP = CASES = [Case(right_neighbour, 0), Case(wide_store, 0), Case(unknown_trip, 0, shapes(n=8))]
FOUND = [
    (NEIGHBOUR, "load", {"t": 31}, 32, 32),
    (STORE, "store", {"t": 8}, 16, 16),
    (TRIP, "store", {"n": 9, "i": 8}, 8, 8),
]


@pytest.mark.parametrize(("case", "kind", "least", "index", "extent"), FOUND, ids=[found[0].name for found in FOUND])
def test_reported_with_an_example(case: Case, kind: str, least: dict[str, int], index: int, extent: int) -> None:
    accesses = [access for access in tileguard.analyze(case.make()).accesses if access.buffer == "s"]
    (access,) = (access for access in accesses if access.verdict != "Proved")
    assert access.kind == kind
    assert access.scope.startswith("shared")
    example = access.counterexample
    assert example is not None
    assert example.index >= index
    assert example.extent == extent
    values = {**example.shapes, **example.block, **example.thread, **example.loops}
    for name, smallest in least.items():
        assert values[name] >= smallest
    assert access.location is not None
    assert "test_u23_shared_memory.py:" in access.location


@each(CASES)
def test_left_alone_unless_asked(case: Case) -> None:
    assert case.lowered().guards == 0


@pytest.mark.parametrize("scopes", ["global,shared", "global,shared.dyn"])
@each(CASES)
def test_guarded_when_asked(case: Case, scopes: str) -> None:
    lowered = case.lowered("ours", **{"tileguard.guard_scopes": scopes})
    assert lowered.guards == 1
    assert case.faults(lowered.after) == []
    assert not any(events(lowered.after, case, env) for env in case.shapes)


@each(CASES)
def test_tilelang_lets_it_happen(case: Case) -> None:
    assert any(events(case.lowered("tilelang").after, case, env) for env in case.shapes)


def events(module: Any, case: Case, env: Any) -> list[oracle.OobEvent]:
    return meaning.strict(module).run(case.arguments(env)).oob_events
