"""The kernels of tests/bugs and tests/cases whose meaning the oracle knows."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

from tests import bugs
from tests.cases import kernels
from tests.gpu.case import GpuCase, of_contract
from tests.gpu.library import symbols
from tests.helpers.case import Case

# Threads race there, or what a lane sees depends on the others' turn: the oracle takes them in order, the GPU does not.
RACY = {
    *("append_rows", "take_tickets", "count_by_parity", "scatter_checked", "sum_wrapped_in_an_arm"),
    "remainder_of_a_sum_times_a_symbol",
}
# As written they ask for a vector or a cp.async at an address that is not aligned for it, which no GPU does.
MISALIGNED = {
    "pairs_out",
    "quads_before_the_start",
    "stage_from_the_left",
    "stage_rows",
    "add_quads",
    "lane_shuffled_into_a_ragged_store",
}
# The author's own signed sum overflows, which C++ leaves undefined: nvcc takes `at + 1 < n` for `at < n - 1` and drops
# a guard behind it. Known and open (docs/semantics.md).
UNDEFINED = {"next_one_wraps"}
# Left alone by default, and a fault on the GPU.
GUARD_SHARED = {"tileguard.guard_scopes": "global,shared.dyn"}


def _cases_in(value: Any) -> Iterator[Case]:
    if isinstance(value, Case):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _cases_in(one)


def _has_shapes(case: Case) -> bool:
    """Without shapes a case of open sizes is one of those that the oracle cannot run."""
    return bool(case.shapes != ({},) or not symbols(case.make()))


def _of(package: ModuleType) -> Iterator[GpuCase]:
    for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(info.name)
        seen: dict[str, Case] = {}
        for value in vars(module).values():
            for case in _cases_in(value):
                seen.setdefault(case.name, case)
        for case in seen.values():
            if case.name not in RACY | MISALIGNED | UNDEFINED and _has_shapes(case):
                covers = info.name.removeprefix("tests.")
                configs = GUARD_SHARED if "shared_memory" in covers else {}
                yield of_contract(replace(case, configs={**case.configs, **configs}), covers)


CASES = [*_of(bugs), *_of(kernels)]
