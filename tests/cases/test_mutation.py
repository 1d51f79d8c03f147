"""Every comparison that our pass adds is needed: without it some small shape goes out of bounds or comes out wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests import bugs
from tests.cases import kernels
from tests.helpers import meaning, mutation
from tests.helpers.case import Case, cases_of, each

CASES = [case for case in (*cases_of(kernels), *cases_of(bugs)) if case.guards > 0 and case.needed]


@each(CASES, minimal=True)
def test_every_comparison_is_needed(case: Case) -> None:
    lowered = case.plain()
    places = mutation.added(lowered.before, lowered.after)
    assert len(places) >= lowered.guards
    superfluous = []
    for place in places:
        mutant, atom = mutation.without(lowered.after, place)
        if not any(_shows(case, mutant, env) for env in case.shapes):
            superfluous.append(atom)
    assert superfluous == []


def _shows(case: Case, mutant: Any, env: Mapping[str, int]) -> bool:
    args = case.arguments(env)
    want = meaning.safe(case.reference_module()).run(args, max_steps=meaning.MAX_STEPS)
    return meaning.fault_of(want, mutant, args) != ""
