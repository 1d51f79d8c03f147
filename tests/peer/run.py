"""`make peer`: TileLang's tests without and with TileGuard, compared test by test; writes docs/peer-suite.md.

usage: python -m tests.peer.run [--only PART ...] [--workers N] [--fresh]
Exits with 1 when a test ends otherwise with us and no reason for it is known.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.peer import source
from tests.peer.reasons import REASONS
from tests.peer.suite import ROOT, FileResult, Store, files, run_file

REPORT = ROOT / "docs" / "peer-suite.md"


def build_id() -> str:
    """Names the build of TileGuard that results belong to."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "src").rglob("*.[ch]*")) + sorted((ROOT / "python").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def run_half(suite: Path, ours: bool, only: list[str], workers: int, fresh: bool) -> Store:
    """One of the two runs, resumed from what is kept of it."""
    kept = source.cache_dir() / "peer" / (f"with-{build_id()}.jsonl" if ours else "without.jsonl")
    if fresh:
        kept.unlink(missing_ok=True)
    store = Store(kept)
    todo = [path for path in files(suite, only) if str(path.relative_to(suite)) not in store.results]
    scratch = source.cache_dir() / "peer" / "scratch"
    with ThreadPoolExecutor(workers) as pool:
        jobs = [
            pool.submit(run_file, suite, path, ours, scratch / str(number % workers) / str(number))
            for number, path in enumerate(todo)
        ]
        for done, job in enumerate(jobs, 1):
            result = job.result()
            store.add(result)
            passed = sum(outcome == "passed" for outcome in result.cases.values())
            print(f"[{done}/{len(jobs)}] {result.file}: {passed}/{len(result.cases)} passed {result.note}", flush=True)
    shutil.rmtree(scratch, ignore_errors=True)
    return store


def differences(without: Store, with_us: Store) -> list[tuple[str, str, str, str]]:
    """(test, outcome without, outcome with, first line of why) of every test that ends otherwise."""
    out = []
    for name in sorted(without.results.keys() & with_us.results.keys()):
        theirs, ours = without.results[name], with_us.results[name]
        for case in sorted(theirs.cases.keys() | ours.cases.keys()):
            before, after = theirs.cases.get(case, "absent"), ours.cases.get(case, "absent")
            if before != after:
                out.append((f"{name}::{case}", before, after, ours.why.get(case, theirs.why.get(case, ours.note))))
    return out


def reason(test: str) -> str | None:
    """The known reason for a difference, by the first entry whose key is part of the test's name."""
    return next((why for part, why in REASONS.items() if part in test), None)


def count(results: dict[str, FileResult], outcome: str) -> int:
    return sum(found == outcome for result in results.values() for found in result.cases.values())


def write_report(without: Store, with_us: Store, found: list[tuple[str, str, str, str]]) -> None:
    rows = ["passed", "failed", "error", "skipped"]
    lines = [
        "# TileLang's own tests with TileGuard installed",
        "",
        f"Tests of TileLang {source.RELEASE} (the newest source release on PyPI) run against the installed TileLang,",
        "without a GPU, target `auto` resolved to CUDA sm_90. What needs a GPU, or fails for a reason of its own, fails",
        "in both columns. Made by `make peer`.",
        "",
        "| outcome | without | with |",
        "| --- | --- | --- |",
        *(f"| {row} | {count(without.results, row)} | {count(with_us.results, row)} |" for row in rows),
        f"| files | {len(without.results)} | {len(with_us.results)} |",
        "",
    ]
    if not found:
        lines.append("Every test ends the same without and with us.")
    else:
        lines += ["## Differences", "", "| test | without | with | reason |", "| --- | --- | --- | --- |"]
        for test, before, after, why in found:
            lines.append(f"| `{test}` | {before} | {after} | {reason(test) or 'UNEXPLAINED: ' + why} |")
    REPORT.write_text("\n".join(lines) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="PART", help="files with PART in their path")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--fresh", action="store_true", help="forget results that are kept")
    parser.add_argument("--half", choices=["without", "with"], help="run one half only, and compare nothing")
    options = parser.parse_args()
    try:
        suite = source.suite()
    except source.SourceMissing as missing:
        print(missing, file=sys.stderr)
        return 2
    if options.half:
        run_half(suite, options.half == "with", options.only, options.workers, options.fresh)
        return 0
    without = run_half(suite, False, options.only, options.workers, options.fresh)
    with_us = run_half(suite, True, options.only, options.workers, options.fresh)
    found = differences(without, with_us)
    if not options.only:
        write_report(without, with_us, found)
    for test, before, after, why in found:
        print(f"{test}: {before} -> {after}: {reason(test) or 'UNEXPLAINED ' + why}")
    unexplained = [test for test, *_ in found if reason(test) is None]
    print(f"{len(found)} tests end otherwise with us, {len(unexplained)} of them without a known reason")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
