"""A vector whose lanes are shuffled from indices in memory: with TileLang's pass one lane outside drops the others.

Such indices come from outside of TileLang's own language, so the pass runs by itself, on a plain TIR function.
"""

from collections.abc import Callable
from typing import Any

import pytest
import tilelang  # noqa: F401  (makes tvm importable)
from tvm.script import tirx as T

import tileguard
from tests.helpers import lowered, meaning

INDICES = [0, 5, -1, 3, 12, 2, 4, 4, -9, 13, 1, 0, 99, -99, 2, 1]


def pairs_swapped() -> Any:
    @T.prim_func
    def pairs_swapped(x_: T.handle, y_: T.handle, at_: T.handle):
        m = T.int32()
        x = T.match_buffer(x_, (m,), "float32")
        y = T.match_buffer(y_, (16,), "float32")
        at = T.match_buffer(at_, (16,), "int32")
        for i in range(8):
            y[T.Ramp(i * 2, 1, 2)] = x[T.Shuffle([at[i * 2], at[i * 2 + 1]], [1, 0])]

    return pairs_swapped


def pairs_scattered() -> Any:
    @T.prim_func
    def pairs_scattered(x_: T.handle, y_: T.handle, at_: T.handle):
        m = T.int32()
        x = T.match_buffer(x_, (16,), "float32")
        y = T.match_buffer(y_, (m,), "float32")
        at = T.match_buffer(at_, (16,), "int32")
        for i in range(8):
            y[T.Shuffle([at[i * 2], at[i * 2 + 1]], [0, 1])] = x[T.Ramp(i * 2, 1, 2)]

    return pairs_scattered


EACH = pytest.mark.parametrize("make", [pairs_swapped, pairs_scattered])


def faults(make: Callable[[], Any], factory: Callable[[], Any]) -> list[str]:
    module = lowered.raw(make())
    after = lowered.run_pass(factory(), module, lowered.cuda(), {})
    fill = {"at": lambda shape, env: INDICES}
    runs = [({"m": m}, meaning.arguments(module, {"m": m}, fill)) for m in (0, 1, 3, 5, 13, 16)]
    return meaning.faults(module, after, runs)


@EACH
def test_right(make: Callable[[], Any]) -> None:
    assert faults(make, tileguard.transform.LegalizeSafeMemoryAccess) == []


@EACH
def test_tilelang_is_wrong(make: Callable[[], Any]) -> None:
    assert faults(make, tileguard.hook.original()) != []
