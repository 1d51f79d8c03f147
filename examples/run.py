"""Lowers every example through TileLang's real pipelines with TileGuard's pass, runs it on the CPU, prints one table.

Exits with status 1 when a run differs from numpy, writes outside its arrays, or cannot be made.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter
from typing import Any

# The disk cache would skip the very lowering this program is about.
os.environ["TILELANG_DISABLE_CACHE"] = "1"
os.environ.setdefault("TILELANG_PRINT_ON_COMPILATION", "0")

import gather
import numpy as np
import ragged_gemm
import softmax
import stencil
import tilelang
import torch
import typer
from common import CPU, GPU, Example, Shape, Storage
from rich import box
from rich.console import Console
from rich.table import Table

import tileguard
from tileguard import atoms, hook, lowering, messages

EXAMPLES = (ragged_gemm.EXAMPLE, stencil.EXAMPLE, softmax.EXAMPLE, gather.EXAMPLE)
TARGETS: tuple[tuple[str, Any, Storage], ...] = (
    ("cuda sm_90", lowering.DEFAULT_TARGET, GPU),
    ("c", "c", CPU),
)
PRIMES = (37, 61)
# Elements in front of and behind every array that the kernel must leave alone; keeps 64-byte alignment.
BAND = 64


@dataclass
class Row:
    """One line of the table: an example, compiled for one shape and one target."""

    example: str
    shape: str
    target: str
    report: tileguard.Report
    guards: tuple[int, int]
    """Comparisons added by TileLang's pass and by ours."""
    milliseconds: tuple[float, float]
    runs: list[str | None] = field(default_factory=list)
    """For each execution what was wrong, or None."""


def main(repeats: int = 9, execute: bool = True) -> int:
    """The table; `repeats` for each time, `execute` to run the kernels too. Returns the exit status."""
    rows = [row for example in EXAMPLES for row in rows_of(example, repeats, execute)]
    print_table(rows)
    print_summary(rows, repeats)
    failures = [f"{row.example}, {row.shape}: {why}" for row in rows for why in row.runs if why]
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if failures else 0


def rows_of(example: Example, repeats: int, execute: bool) -> Iterator[Row]:
    for shape in ({}, *example.odd):
        for label, target, storage in TARGETS:
            func = example.make(storage, **shape)
            row = measured(example, shape, label, func, target, repeats)
            with tileguard.installed():
                lowering.lower(func, target)  # all the way to source text
                if execute and target == "c":
                    row.runs.extend(executed(example, shape, func))
            yield row


def measured(example: Example, shape: Shape, label: str, func: Any, target: Any, repeats: int = 1) -> Row:
    """Both passes on the module that reaches them in the pipeline of `target`."""
    module = lowering.module_at_pass(func, target)
    before = atoms.comparisons(module)
    guards, milliseconds = [], []
    for factory in (hook.original(), tileguard.transform.LegalizeSafeMemoryAccess):
        guards.append(atoms.comparisons(factory()(module)) - before)
        milliseconds.append(median_ms(factory, module, repeats))
    words = ", ".join(f"{name}={size}" for name, size in shape.items()) or "dynamic"
    return Row(
        example.name,
        words,
        label,
        tileguard.analyze(module),
        (guards[0], guards[1]),
        (milliseconds[0], milliseconds[1]),
    )


def median_ms(factory: Callable[[], Any], module: Any, repeats: int) -> float:
    """Median wall time of a pass over a module, in milliseconds."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        factory()(module)
        times.append(1000 * (perf_counter() - start))
    return median(times)


def executed(example: Example, shape: Shape, func: Any) -> Iterator[str | None]:
    """Compiles for the C target and runs on several shapes; yields what was wrong with each run, or None."""
    kernel = tilelang.compile(func, target="c", execution_backend="cython")
    for number, sizes in enumerate([shape] if shape else shapes_to_try(example)):
        rng = np.random.default_rng(number)
        problem = run_once(example, kernel, sizes, rng)
        yield f"{dict(sizes)}: {problem}" if problem else None


def shapes_to_try(example: Example) -> list[Shape]:
    """All dimensions alike, and each on its own beside primes: 0, 1, a tile less one, a tile, one more, primes."""

    def sizes(tile: int) -> tuple[int, ...]:
        return (0, 1, tile - 1, tile, tile + 1, *PRIMES)

    dims = list(example.tile)
    alike = [{dim: sizes(example.tile[dim])[index] for dim in dims} for index in range(5 + len(PRIMES))]
    alone = [
        {dim: PRIMES[at % 2] for at, dim in enumerate(dims)} | {dim: size}
        for dim in dims
        for size in sizes(example.tile[dim])
    ]
    return [dict(shape) for shape in dict.fromkeys(tuple(shape.items()) for shape in (*alike, *alone))]


def run_once(example: Example, kernel: Any, sizes: Shape, rng: np.random.Generator) -> str | None:
    """One execution between bands of canaries, compared with numpy; returns what is wrong, or None."""
    arguments = example.inputs(rng, **sizes)
    expected = example.reference(*arguments.values())
    given = [Banded(array) for array in arguments.values()]
    result = Banded(np.full_like(expected, np.nan))
    try:
        kernel(*(banded.tensor for banded in given), result.tensor)
    except Exception as error:
        return f"not run: {messages.first_line(error)}"
    if any(banded.band_changed() for banded in (*given, result)):
        return "wrote outside an array"
    return difference(result.tensor.numpy(), expected, example, list(arguments.values()))


class Banded:
    """A tensor in the middle of a larger buffer of NaNs (or of a value no index should be)."""

    def __init__(self, array: np.ndarray) -> None:
        canary = float("nan") if array.dtype.kind == "f" else 0x7A7A7A7A
        self._whole = torch.full((array.size + 2 * BAND,), canary, dtype=torch.from_numpy(array[:0]).dtype)
        self._before = self._whole.clone()
        self.tensor = self._whole[BAND : BAND + array.size].view(array.shape)
        self.tensor.copy_(torch.from_numpy(array))

    def band_changed(self) -> bool:
        now, then = (whole.numpy().view(np.uint8) for whole in (self._whole, self._before))
        edge = BAND * self._whole.element_size()
        return bool((now[:edge] != then[:edge]).any() or (now[-edge:] != then[-edge:]).any())


def difference(found: np.ndarray, expected: np.ndarray, example: Example, arguments: list[np.ndarray]) -> str | None:
    if expected.size == 0:
        return None
    if example.tolerance is None:
        wrong = np.ascontiguousarray(found).view(f"u{found.itemsize}") != expected.view(f"u{expected.itemsize}")
    else:
        wrong = ~(np.abs(found.astype(np.float64) - expected) <= example.tolerance(*arguments))
    if not wrong.any():
        return None
    first = tuple(int(index) for index in np.argwhere(wrong)[0])
    return f"{int(wrong.sum())} of {wrong.size} elements differ, first {first}: {found[first]} for {expected[first]}"


def print_table(rows: list[Row]) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("example", "shape", "target"):
        table.add_column(heading, no_wrap=True)
    for heading in (
        "accesses",
        "proved",
        "guarded",
        "out of\nbounds",
        "unknown",
        "guards\nTileLang",
        "guards\nours",
        "pass ms\nTileLang",
        "pass ms\nours",
        "C runs\nright",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        counts = row.report.counts()
        table.add_row(
            row.example,
            row.shape,
            row.target,
            str(len(row.report.accesses)),
            *(str(count) for count in counts.values()),
            *(str(count) for count in row.guards),
            *(f"{time:.2f}" for time in row.milliseconds),
            f"{row.runs.count(None)}/{len(row.runs)}" if row.runs else "-",
            end_section=row.target == "c",
        )
    Console(width=150).print(table)


def print_summary(rows: list[Row], repeats: int) -> None:
    ratios = [row.milliseconds[1] / row.milliseconds[0] for row in rows]
    theirs, ours = (sum(row.guards[which] for row in rows) for which in (0, 1))
    print("guards: comparisons in the module after the pass less those before it")
    print(f"guards in all: TileLang {theirs}, ours {ours}")
    print(f"pass ms: median of {repeats} runs on the module that reaches the pass")
    print(f"pass time, ours by TileLang's: median {median(ratios):.2f}, worst {max(ratios):.2f}")
    for example in EXAMPLES:
        how = example.stated if example.tolerance is None else f"within {example.stated}"
        print(f"{example.name}: equal to numpy {how}")


def command(repeats: int = 9, execute: bool = True) -> None:
    """Lower, guard and run the examples."""
    try:
        status = main(repeats, execute)
    except tileguard.TileGuardError as error:
        sys.exit(str(error))
    sys.exit(status)


if __name__ == "__main__":
    typer.run(command)
