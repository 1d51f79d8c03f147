"""What the optimisations leave in the generated CUDA: vectors kept, tests outside of loops."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases.kernels import g04_assumed_multiple, p06_ragged_vector, p08_row_of_a_loop
from tests.helpers.case import Case, each
from tests.helpers.cuda_text import loops, scalar_accesses, wide_accesses

VECTORS = [*p06_ragged_vector.TEXT, *g04_assumed_multiple.TEXT]


@pytest.mark.parametrize(("case", "width", "expected"), VECTORS, ids=[case.name for case, _, _ in VECTORS])
def test_accesses_by_width(case: Case, width: int, expected: dict[str, Any]) -> None:
    kernel = case.lowered().kernel
    found = {name: (wide_accesses(kernel, name, width), scalar_accesses(kernel, name)) for name in expected}
    assert found == expected


@each(case for case, _, _ in p06_ragged_vector.TEXT)
def test_option_turns_vector_tails_off(case: Case) -> None:
    kernel = case.lowered("ours", **{"tileguard.vector_tails": False}).kernel
    assert wide_accesses(kernel, "x") + wide_accesses(kernel, "y") + wide_accesses(kernel, "c") == 0


@each(g04_assumed_multiple.CASES)
def test_no_lane_in_the_guard(case: Case) -> None:
    kernel = case.lowered().kernel
    assert kernel.count("if (") == 1
    assert "for (" not in kernel


@pytest.mark.parametrize(
    ("case", "tests"), p08_row_of_a_loop.TESTS, ids=[case.name for case, _ in p08_row_of_a_loop.TESTS]
)
def test_no_test_inside_the_loop(case: Case, tests: int) -> None:
    kernel = case.lowered().kernel
    bodies = loops(kernel, "j")
    assert bodies
    assert all("if (" not in body and "?" not in body for body in bodies)
    assert kernel.count("if (") == tests


def test_option_turns_hoisting_off() -> None:
    """Where the host does not hoist by itself, as it does around a lone store."""
    case = p08_row_of_a_loop.CASES[0]
    kernel = case.lowered("ours", **{"tileguard.hoist_guards": False}).kernel
    assert any("if (" in body for body in loops(kernel, "j"))
