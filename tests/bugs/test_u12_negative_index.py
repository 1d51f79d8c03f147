"""A negative index means the same whatever the tile width: with TileLang it wraps where it is provably negative."""

from typing import Any

import numpy as np
import pytest
import tilelang.language as T

from tests.helpers import checks, meaning
from tests.helpers.case import Case, each, shapes


def shifted_in(width: int) -> Any:
    """x moved right by eight: what comes in on the left is zero."""

    @T.prim_func
    def shifted_in(x: T.Tensor((32,), "float32"), y: T.Tensor((width,), "float32")):
        with T.Kernel(1, threads=width):
            t = T.get_thread_binding()
            y[t] = x[t - 8]

    return shifted_in


def eight_wide() -> Any:
    return shifted_in(8)


def sixteen_wide() -> Any:
    return shifted_in(16)


def scatter_to_the_left() -> Any:
    """Stores before the start are skipped."""

    @T.prim_func
    def scatter_to_the_left(x: T.Tensor((8,), "int32"), y: T.Tensor((40,), "int32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[t - 12] = x[t]

    return scatter_to_the_left


def row_above() -> Any:
    """The row above the first one, for every column."""
    n = T.dynamic("n")

    @T.prim_func
    def row_above(x: T.Tensor((n, 8), "float32"), y: T.Tensor((2, 8), "float32")):
        with T.Kernel(2, threads=8) as row:
            t = T.get_thread_binding()
            y[row, t] = x[row - 2, t]

    return row_above


def last_element() -> Any:
    """A literal -1 counts from the end, as in Python."""
    n = T.dynamic("n")

    @T.prim_func
    def last_element(x: T.Tensor((n,), "int32"), y: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[t] = x[-1] + x[-2]

    return last_element


SIXTEEN = Case(sixteen_wide, 1)
CASES = [Case(eight_wide, 0), Case(scatter_to_the_left, 0), Case(row_above, 0, shapes(n=4))]
LAST = Case(last_element, 2, shapes(n=2), reference="pipeline")


@each([*CASES, SIXTEEN, LAST])
def test_right(case: Case) -> None:
    checks.right_with_ours(case)


@each([*CASES, SIXTEEN, LAST])
def test_guards(case: Case) -> None:
    checks.guard_count(case)


def test_one_meaning_for_both_widths() -> None:
    narrow, wide = (run(case)["y"] for case in (CASES[0], SIXTEEN))
    assert np.array_equal(narrow, np.zeros(8))
    assert np.array_equal(narrow, wide[:8])


def test_literal_counts_from_the_end() -> None:
    x = np.array([3, 5, 700], np.int32)
    for n, expected in ((3, 705), (2, 8), (1, 3), (0, 0)):
        args = {"x": x[:n], "y": np.zeros(8, np.int32)}
        outputs = meaning.strict(LAST.lowered().after).run(named(LAST, args)).outputs
        assert outputs["y"].tolist() == [expected] * 8


def run(case: Case) -> dict[str, np.ndarray]:
    return meaning.strict(case.lowered().after).run(case.arguments({})).outputs


def named(case: Case, args: dict[str, np.ndarray]) -> dict[str, Any]:
    """Arguments by parameter, which carry the buffers' names with a suffix."""
    return {next(key for key in case.arguments({"n": 2}) if key.split("_")[0] == name): args[name] for name in args}


@each(CASES)
def test_tilelang_is_wrong(case: Case) -> None:
    checks.wrong_with_tilelang(case)


@pytest.mark.parametrize("case", [SIXTEEN])
def test_tilelang_is_right_when_nothing_is_provable(case: Case) -> None:
    """Which makes the meaning depend on the width."""
    assert case.faults(case.lowered("tilelang").after) == []
