"""An access that is outside on every execution: TileLang's pass says nothing and lets it happen."""

from typing import Any

import pytest
import tilelang.language as T

import tileguard
from tests.helpers import checks
from tests.helpers.case import Case, each


def store_one_behind() -> Any:
    @T.prim_func
    def store_one_behind(y: T.Tensor((16,), "int32")):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            y[t] = t
            y[16] = 1

    return store_one_behind


def load_row_that_is_not_there() -> Any:
    @T.prim_func
    def load_row_that_is_not_there(x: T.Tensor((3, 8), "float32"), y: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[t] = x[3, t] + T.float32(1)

    return load_row_that_is_not_there


STORE, LOAD = CASES = [Case(store_one_behind, 0), Case(load_row_that_is_not_there, 0)]


@each(CASES)
def test_right(case: Case) -> None:
    checks.right_with_ours(case)


@each(CASES)
def test_guards(case: Case) -> None:
    checks.guard_count(case)


@pytest.mark.parametrize(("case", "buffer", "index", "extent"), [(STORE, "y", 16, 16), (LOAD, "x", 3, 3)])
def test_said_by_name_and_line(case: Case, buffer: str, index: int, extent: int, capfd: Any) -> None:
    report = tileguard.analyze(case.make())
    (access,) = (one for one in report.accesses if one.verdict == "OutOfBounds")
    assert access.buffer == buffer
    assert access.counterexample is not None
    assert (access.counterexample.index, access.counterexample.extent) == (index, extent)
    assert access.location is not None
    assert "test_u09_always_outside.py:" in access.location
    assert not report.ok
    capfd.readouterr()
    with tileguard.installed():
        tileguard.lowering.lower(case.make())
    warning = capfd.readouterr().err
    assert buffer in warning
    assert "test_u09_always_outside.py:" in warning


@each(CASES)
def test_tilelang_is_wrong(case: Case) -> None:
    checks.wrong_with_tilelang(case)
