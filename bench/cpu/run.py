"""Counts the instructions of kernels on the C target, TileLang's pass against ours, call by call.

usage: python -m bench.cpu.run [--only PART] [--json FILE]
Exits with 1 when ours executes more in any call or computes other bits, with 2 when g++ or valgrind is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("TILELANG_DISABLE_CACHE", "1")
os.environ.setdefault("TILELANG_PRINT_ON_COMPILATION", "0")

import numpy as np

from bench.cpu import harness
from bench.cpu.kernels import Work, works
from tileguard import lowering


@dataclass(frozen=True)
class Call:
    """One call of one kernel, compiled with either pass at one level of optimisation."""

    work: str
    shape: dict[str, int]
    dynamic: bool
    level: str
    tilelang: int
    ours: int
    """Instructions."""
    equal: bool
    """Both passes' outputs have the same bits."""

    @property
    def ratio(self) -> float:
        return self.ours / self.tilelang


def calls(work: Work) -> Iterator[Call]:
    symbolic = _sources(work.make())
    for number, shape in enumerate(work.shapes):
        rng = np.random.default_rng(number)
        inputs = work.inputs(rng, **shape)
        constant = _sources(work.make(**shape))
        for sources, dynamic in ((symbolic, True), (constant, False)):
            arrays = {**inputs, harness.output_name(sources[0]): np.zeros_like(work.output(*inputs.values()))}
            for level in harness.LEVELS:
                with tempfile.TemporaryDirectory() as folder:
                    (theirs, want), (ours, got) = (
                        harness.count(source, arrays, shape, level, Path(folder)) for source in sources
                    )
                yield Call(work.name, dict(shape), dynamic, level, theirs, ours, got.tobytes() == want.tobytes())


def _sources(func: Any) -> tuple[str, str]:
    return lowering.source_with_tilelang(func, "c"), lowering.source_with_tileguard(func, "c")


def table(found: list[Call]) -> Iterable[str]:
    """Sums over the shapes of each kernel, and the calls in which ours executes more."""
    yield "| kernel | shapes | level | calls | TileLang | ours | ratio | worst call |"
    yield "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |"
    for key in dict.fromkeys((call.work, call.dynamic, call.level) for call in found):
        these = [call for call in found if (call.work, call.dynamic, call.level) == key]
        theirs, ours = sum(call.tilelang for call in these), sum(call.ours for call in these)
        kind = "dynamic" if key[1] else "constant"
        ratios = f"{ours / theirs:.3f} | {max(call.ratio for call in these):.3f}"
        yield f"| {key[0]} | {kind} | {key[2]} | {len(these)} | {theirs} | {ours} | {ratios} |"
    theirs, ours = sum(call.tilelang for call in found), sum(call.ours for call in found)
    yield f"\ninstructions in all: TileLang {theirs}, ours {ours}, ratio {ours / theirs:.3f}"
    more = [call for call in found if call.ours > call.tilelang]
    yield f"calls in which ours executes more: {len(more)} of {len(found)}"
    yield from (
        f"  {call.work} {call.shape} {'dynamic' if call.dynamic else 'constant'} {call.level}: {call.ratio:.3f}"
        for call in more
    )
    yield f"calls whose outputs differ: {sum(not call.equal for call in found)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="PART", help="the kernel's name contains PART")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every call")
    options = parser.parse_args()
    missing = harness.missing_tools()
    if missing:
        print(f"{missing[0]} is not installed: apt-get install {missing[0]}", file=sys.stderr)
        return 2
    chosen = [work for work in works() if not options.only or any(part in work.name for part in options.only)]
    if not chosen:
        print(f"no kernel is named like {options.only[0]}", file=sys.stderr)
        return 2
    try:
        found = [call for work in chosen for call in calls(work)]
    except harness.HarnessError as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(table(found)))
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(call) for call in found], indent=1) + "\n")
    return int(any(call.ours > call.tilelang or not call.equal for call in found))


if __name__ == "__main__":
    sys.exit(main())
