"""Every kernel of tests/cases/kernels: right, minimal, stable, no more guards than TileLang's where that is sound."""

from __future__ import annotations

import pytest

from tests.cases import kernels
from tests.helpers.case import Case, cases_of, each
from tests.helpers.lowered import equal

CASES = cases_of(kernels)
FREE = [case for case in CASES if case.guards == 0]


@each(CASES)
def test_right_on_every_shape(case: Case) -> None:
    assert case.faults(case.lowered().after) == []


@each(CASES)
def test_right_after_the_host_simplifies(case: Case) -> None:
    assert case.faults(case.lowered().simplified()) == []


@each(CASES)
def test_right_without_the_optimisations(case: Case) -> None:
    assert case.faults(case.plain().after) == []


@each(CASES, minimal=True)
def test_number_of_guards(case: Case) -> None:
    assert case.lowered().guards == case.guards


@each(FREE)
def test_proved_module_comes_back_equal(case: Case) -> None:
    assert equal(case.lowered().before, case.lowered().after)


@each(CASES)
def test_twice_is_once(case: Case) -> None:
    for lowered in (case.lowered(), case.plain()):
        assert equal(lowered.again(), lowered.after)


@each(CASES)
def test_no_more_guard_work_than_tilelang(case: Case) -> None:
    """In the text, when no loop is copied, and in comparisons executed over all shapes, when loops are."""
    theirs, ours = case.lowered("tilelang"), case.lowered()
    if case.faults(theirs.after):
        pytest.skip("TileLang's pass is wrong here")
    assert case.plain().guards <= theirs.guards
    assert case.executed(ours) <= case.executed(theirs)
