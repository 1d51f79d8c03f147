"""Runs TileLang's pass and ours over the modules of a corpus, in one process, and compares time and guards.

usage: python -m bench.corpus.replay [DIR] [--repeats N] [--limit N] [--only PART ...] [--json FILE]
Our options are read from the environment (TILEGUARD_X). Exits with 1 when our pass fails on a module.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("TILELANG_DISABLE_CACHE", "1")

import tileguard
from bench.corpus.counts import evaluations
from bench.corpus.store import Entry, Store, structure
from tests.peer.source import cache_dir
from tileguard import _lib, atoms, transform

KNOWN = ("tl.disable_safe_memory_legalize", "tl.disable_out_of_bound_warning")  # config keys that the passes read
SLACK = 10.0  # ms that ours may take beyond twice TileLang's time
Pass = Callable[[Any], Any]


@dataclass
class Outcome:
    """What one pass made of one module. Atoms are comparisons, evaluations those of one thread at most."""

    ms: float = 0.0
    atoms: int = 0
    evaluations: int = 0
    simplified: int = 0
    """Comparisons left after the Simplify that follows the pass in every pipeline."""
    error: str | None = None


@dataclass
class Row:
    """One module under both passes, with the atoms and evaluations that came in and the verdicts of ours."""

    entry: Entry
    atoms: int = 0
    evaluations: int = 0
    theirs: Outcome = field(default_factory=Outcome)
    ours: Outcome = field(default_factory=Outcome)
    verdicts: dict[str, int] = field(default_factory=dict)
    idempotent: bool = True

    @property
    def compared(self) -> bool:
        return self.theirs.error is None and self.ours.error is None


def replay(store: Store, entry: Entry, repeats: int) -> Row:
    """Both passes on one module, under the target and the config it was recorded with."""
    import tvm
    from tvm.target import Target

    module = store.load(entry)
    row = Row(entry, atoms.comparisons(module), evaluations(module))
    config = {name: entry.config[name] for name in KNOWN if name in entry.config}
    with tvm.transform.PassContext(opt_level=3, config=config), Target(entry.target or {"kind": "c"}):
        their_pass, our_pass = tileguard.hook.original()(), transform.LegalizeSafeMemoryAccess()
        _run([(their_pass, row.theirs), (our_pass, row.ours)], module, repeats)
        if row.ours.error is None:
            row.verdicts = _verdicts(module)
            once = our_pass(module)
            row.idempotent = structure(our_pass(once)) == structure(once)
    return row


def _run(passes: Sequence[tuple[Pass, Outcome]], module: Any, repeats: int) -> None:
    """Times the passes by turns, so that a busy moment of the machine hits both; the median counts."""
    times: list[list[float]] = [[] for _ in passes]
    for _ in range(repeats):
        for (run, outcome), spent in zip(passes, times, strict=True):
            if outcome.error is not None:
                continue
            try:
                began = time.perf_counter()
                after = run(module)
                spent.append((time.perf_counter() - began) * 1e3)
            except Exception as error:
                outcome.error = f"{type(error).__name__}: {str(error).strip().splitlines()[-1][:200]}"
                continue
            if len(spent) == 1:
                _count(after, outcome)
    for (_, outcome), spent in zip(passes, times, strict=True):
        outcome.ms = statistics.median(spent) if spent else 0.0


def _count(module: Any, outcome: Outcome) -> None:
    import tilelang

    outcome.atoms, outcome.evaluations = atoms.comparisons(module), evaluations(module)
    outcome.simplified = atoms.comparisons(tilelang.transform.Simplify()(module))


def _verdicts(module: Any) -> dict[str, int]:
    report = json.loads(str(_lib.function("tileguard.AnalyzeJSON")(module)))
    found: Counter[str] = Counter()
    for func in report["functions"]:
        for access in func["accesses"]:
            reason = access.get("reason")
            found[f"{access['verdict']} ({reason})" if reason else access["verdict"]] += 1
    return dict(found)


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of all do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -int(-share * len(ordered) // 1) - 1))]


def tables(rows: list[Row]) -> Iterable[str]:
    """What is printed of a replay, line by line."""
    good = [row for row in rows if row.compared]
    yield f"{len(rows)} modules, {len(good)} of them taken by both passes"
    if not good:
        return
    yield "\n| pass time, ms | total | median | p95 | p99 | max |\n| --- | ---: | ---: | ---: | ---: | ---: |"
    for name, times in (("TileLang", [row.theirs.ms for row in good]), ("ours", [row.ours.ms for row in good])):
        cells = [sum(times), *(quantile(times, share) for share in (0.5, 0.95, 0.99, 1))]
        yield f"| {name} | {' | '.join(f'{cell:.2f}' for cell in cells)} |"
    slow = [row for row in good if row.ours.ms > 2 * row.theirs.ms + SLACK]
    yield f"\nours over twice TileLang's time plus {SLACK:g} ms: {len(slow)} modules"
    yield from (f"  {_name(row)}: {row.ours.ms:.1f} against {row.theirs.ms:.1f} ms" for row in slow[:20])
    yield "\n| comparisons | before | TileLang | ours | TileLang, simplified | ours, simplified |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    columns = (
        (
            "in the code",
            [(r.atoms, r.theirs.atoms, r.ours.atoms, r.theirs.simplified, r.ours.simplified) for r in good],
        ),
        ("evaluated", [(r.evaluations, r.theirs.evaluations, r.ours.evaluations, None, None) for r in good]),
    )
    for name, counts in columns:
        sums = ["" if column[0] is None else str(sum(column)) for column in zip(*counts, strict=True)]
        yield f"| {name} | {' | '.join(sums)} |"
    more = [row for row in good if row.ours.atoms > row.theirs.atoms or row.ours.evaluations > row.theirs.evaluations]
    yield f"\nours has more comparisons, in the code or evaluated: {len(more)} modules"
    for row in sorted(more, key=lambda row: row.theirs.atoms - row.ours.atoms):
        code = f"{row.ours.atoms} against {row.theirs.atoms} in the code"
        yield f"  {_name(row)}: {code}, {row.ours.evaluations} against {row.theirs.evaluations} evaluated"
    verdicts = sum((Counter(row.verdicts) for row in good), Counter())
    yield "\nverdicts of ours: " + ", ".join(f"{name} {count}" for name, count in verdicts.most_common())
    yield f"not idempotent: {[_name(row) for row in good if not row.idempotent]}"
    yield from _errors(rows)


def _errors(rows: list[Row]) -> Iterable[str]:
    for name, failed in (
        ("TileLang's pass", [(row, row.theirs.error) for row in rows if row.theirs.error]),
        ("ours", [(row, row.ours.error) for row in rows if row.ours.error]),
    ):
        yield f"errors of {name}: {len(failed)}"
        yield from (f"  {_name(row)}: {error}" for row, error in failed)


def _name(row: Row) -> str:
    test = f"::{row.entry.test}" if row.entry.test else ""
    return f"{row.entry.key} {row.entry.script}{test}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=cache_dir() / "corpus", metavar="DIR")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N modules")
    parser.add_argument("--only", action="append", default=[], metavar="PART", help="key or script contains PART")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every row, one JSON object a line")
    options = parser.parse_args()
    store = Store(options.folder)
    chosen = [
        entry
        for entry in store.entries()
        if not options.only or any(part in f"{entry.key} {entry.script}::{entry.test}" for part in options.only)
    ][: options.limit]
    if not chosen:
        print(f"{options.folder} holds no such module: run python -m bench.corpus.capture first.", file=sys.stderr)
        return 2
    rows = []
    for number, entry in enumerate(chosen, 1):
        rows.append(replay(store, entry, options.repeats))
        if number % 100 == 0:
            print(f"[{number}/{len(chosen)}]", file=sys.stderr, flush=True)
    print("\n".join(tables(rows)))
    if options.json is not None:
        options.json.write_text("".join(json.dumps(asdict(row)) + "\n" for row in rows))
    return int(any(row.ours.error for row in rows))


if __name__ == "__main__":
    sys.exit(main())
