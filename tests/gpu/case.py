"""One kernel for the GPU with its shapes, inputs, and what it should answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.helpers import lowered, meaning
from tests.helpers.case import Case, Fill

Arrays = dict[str, np.ndarray]
Env = Mapping[str, int]


@dataclass(frozen=True)
class GpuCase:
    """A kernel.

    covers: the row of the tables that it stands for, in words.
    make: gives the PrimFunc. shapes: values of its symbols and scalars.
    reference: env, inputs by name -> the arrays that the kernel writes; None: the oracle runs the kernel as written.
    fill: inputs that cannot hold just any values. tolerance: largest error allowed beside the largest magnitude.
    """

    covers: str
    make: Callable[[], Any]
    shapes: tuple[Env, ...]
    reference: Callable[..., Arrays] | None = None
    fill: Mapping[str, Fill] = field(default_factory=dict)
    tolerance: float = 0.0
    configs: Mapping[str, Any] = field(default_factory=dict)
    name_: str = ""
    oracle_reads: str = "raw"

    @property
    def name(self) -> str:
        return self.name_ or str(self.make.__name__)

    def runs(self) -> Iterable[tuple[Env, dict[str, Any], Arrays]]:
        """(shape, arguments by parameter name, what every buffer holds afterwards) for each shape."""
        func = self.make()
        module = lowered.raw(func)
        for env in self.shapes:
            args = by_buffer(module, meaning.arguments(module, env, self.fill))
            yield env, args, self._expected(func, module, env, args)

    def _expected(self, func: Any, module: Any, env: Env, args: dict[str, Any]) -> Arrays:
        if self.reference is not None:
            written = self.reference(env, **{name: value for name, value in args.items() if not np.isscalar(value)})
            return {
                name: np.asarray(written.get(name, value)) for name, value in args.items() if not np.isscalar(value)
            }
        meant = module if self.oracle_reads == "raw" else lowered.lower(func, configs=self.configs).before
        result = meaning.safe(meant).run(args)
        if result.notes:
            raise AssertionError(f"{self.name} is undefined at {dict(env)}: {dict(result.notes)}")
        return result.outputs


def by_buffer(module: Any, args: dict[str, Any]) -> dict[str, Any]:
    """Arguments under the names of their buffers, not of the parameters that hold these."""
    func = meaning.only_function(module)
    names = {str(param.name): str(func.buffer_map[param].name) for param in func.params if param in func.buffer_map}
    return {names.get(name, name): value for name, value in args.items()}


def of_contract(case: Case, covers: str) -> GpuCase:
    """A case of the contract's tests, judged by the oracle."""
    return GpuCase(
        covers,
        case.make,
        tuple(case.shapes),
        fill=case.fill,
        configs=case.configs,
        oracle_reads=case.reference,
    )


def sizes(**symbols: tuple[int, ...]) -> tuple[dict[str, int], ...]:
    """Shapes, one for each position of the given values."""
    return tuple(dict(zip(symbols, values, strict=True)) for values in zip(*symbols.values(), strict=True))


def small(low: int = -8, high: int = 9) -> Fill:
    """Small whole numbers, whose sums and products are exact in every type used here."""

    def fill(shape: tuple[int, ...], env: Env) -> np.ndarray:
        return np.random.default_rng(int(np.prod(shape, dtype=np.int64)) + 7).integers(low, high, shape)

    return fill


def normal(shape: tuple[int, ...], env: Env) -> np.ndarray:
    """Normally distributed values."""
    return np.random.default_rng(int(np.prod(shape, dtype=np.int64)) + 11).standard_normal(shape)


def taken(x: np.ndarray, index: Any, safe: Any = 0) -> np.ndarray:
    """Elements of a flat array by index; the safe value where there is none."""
    index = np.asarray(index, dtype=np.int64)
    inside = (index >= 0) & (index < x.size)
    if x.size == 0:
        return np.full(index.shape, safe, x.dtype)
    return np.where(inside, x[np.where(inside, index, 0)], np.asarray(safe, x.dtype))


def padded(x: np.ndarray, shape: tuple[int, ...], safe: Any = 0) -> np.ndarray:
    """An array in the corner of a larger or smaller one."""
    out = np.full(shape, safe, x.dtype)
    part = tuple(slice(0, min(a, b)) for a, b in zip(x.shape, shape, strict=True))
    out[part] = x[part]
    return out
