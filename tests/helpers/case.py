"""One kernel with what is expected of it."""

from __future__ import annotations

import functools
import importlib
import itertools
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.helpers import lowered, meaning
from tests.helpers.lowered import Lowered

Fill = Callable[[tuple[int, ...], Mapping[str, int]], Any]
PRIMES = (3, 37)
# Every access by itself: no second copy of a loop, so one comparison of the text is one atom of the plan.
PLAIN = {"tileguard.vector_tails": False, "tileguard.hoist_guards": False}


def around(tile: int) -> tuple[int, ...]:
    """0, 1, the edges of a tile, two primes."""
    return tuple(sorted({0, 1, tile - 1, tile, tile + 1, *PRIMES}))


def shapes(**tiles: int) -> tuple[dict[str, int], ...]:
    """The edges of each symbol's tile in every combination, and the primes together."""
    edges = [sorted({0, 1, tile - 1, tile, tile + 1}) for tile in tiles.values()]
    some = [dict(zip(tiles, values, strict=True)) for values in itertools.product(*edges)]
    return (*some, *(dict.fromkeys(tiles, prime) for prime in PRIMES))


@dataclass(frozen=True)
class Case:
    """A kernel.

    make: gives the PrimFunc. guards: the comparisons that the pass adds to it, by text.
    shapes: values of its symbols and scalars. fill: inputs of the buffers that cannot hold just any values.
    needed: whether every comparison must be needed in `shapes` (see tests/cases/test_mutation.py).
    imprecise: why there are more guards than there should be, as long as there are.
    """

    make: Callable[[], Any]
    guards: int
    shapes: tuple[Mapping[str, int], ...] = ({},)
    fill: Mapping[str, Fill] = field(default_factory=dict)
    arch: str = "sm_90"
    configs: Mapping[str, Any] = field(default_factory=dict)
    reference: str = "raw"
    needed: bool = True
    imprecise: str = ""

    @property
    def name(self) -> str:
        return self.make.__name__

    def lowered(self, maker: str = "ours", **configs: Any) -> Lowered:
        """The kernel through TileLang's pipeline with a pass: "ours", "tilelang" or "none"."""
        return _lowered(self, maker, tuple(sorted(configs.items())))

    def plain(self) -> Lowered:
        """With ours, each access guarded by itself."""
        return _lowered(self, "ours", tuple(sorted(PLAIN.items())))

    def arguments(self, env: Mapping[str, int]) -> dict[str, Any]:
        return meaning.arguments(self.reference_module(), env, self.fill)

    def reference_module(self) -> Any:
        """The module that says what the kernel means."""
        return _raw(self) if self.reference == "raw" else self.lowered().before

    def faults(self, module: Any) -> list[str]:
        """What a rewritten module does wrong, over all shapes; empty when it is right."""
        return meaning.faults(self.reference_module(), module, [(env, self.arguments(env)) for env in self.shapes])

    def executed(self, lowered: Lowered) -> int:
        """Comparisons that the pass makes a kernel execute, over all shapes; the author's own are not counted."""
        total = 0
        for env in self.shapes:
            args = self.arguments(env)
            before, after = meaning.safe(lowered.before).run(args), meaning.strict(lowered.after).run(args)
            total += after.counts["compare"] - before.counts["compare"]
        return total


@functools.lru_cache(maxsize=256)
def _lowered_by_key(make: Any, arch: str, configs: tuple[Any, ...], maker: str) -> Lowered:
    return lowered.lower(make(), maker, arch, dict(configs))


def _lowered(case: Case, maker: str, configs: tuple[Any, ...]) -> Lowered:
    merged = tuple(sorted({**case.configs, **dict(configs)}.items()))
    return _lowered_by_key(case.make, case.arch, merged, maker)


@functools.lru_cache(maxsize=256)
def _raw_of(make: Any) -> Any:
    return lowered.raw(make())


def _raw(case: Case) -> Any:
    return _raw_of(case.make)


def each(cases: Iterable[Case], minimal: bool = False) -> Any:
    """Runs a test for every case, under the kernel's name; `minimal` tests are known to fail for imprecise ones."""
    return pytest.mark.parametrize(
        "case", [pytest.param(case, id=case.name, marks=_marks(case, minimal)) for case in cases]
    )


def _marks(case: Case, minimal: bool) -> Any:
    return [pytest.mark.xfail(strict=True, reason=case.imprecise)] if minimal and case.imprecise else []


def cases_of(package: ModuleType) -> list[Case]:
    """The cases of all modules of a package, in order."""
    found: list[Case] = []
    for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        found.extend(getattr(importlib.import_module(info.name), "CASES", []))
    return found


def indices(*special: int) -> Fill:
    """Index tensors: every element of [0, shape) in turn with `special` in between, the first ones first."""

    def fill(shape: tuple[int, ...], env: Mapping[str, int]) -> np.ndarray:
        top = max([value for value in env.values() if value > 0] or [16])
        size = int(np.prod(shape, dtype=np.int64))
        return np.resize(np.array([*special, *range(top)]), size).reshape(shape)

    return fill


def zeros(shape: tuple[int, ...], env: Mapping[str, int]) -> np.ndarray:
    """All zero."""
    return np.zeros(shape)
