"""`make peer`: TileLang's tests without and with TileGuard, compared test by test; writes docs/peer-suite.md.

usage: python -m tests.peer.run [--only PART ...] [--workers N] [--timeout SECONDS] [--fresh] [--half without|with]
Results are kept by build of TileGuard, so a run that was stopped goes on where it stopped.
Exits with 1 when a test ends otherwise with us and no reason for it is known.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.peer import source
from tests.peer.compare import Difference, differences, stale_reasons
from tests.peer.suite import FILE_TIMEOUT, ROOT, FileResult, Mode, Store, files, run_file

REPORT = ROOT / "docs" / "peer-suite.md"
OUTCOMES = ("passed", "failed", "error", "skipped", "died", "time limit")


class Run:
    """One half of the comparison, on the chosen files."""

    def __init__(self, suite: Path, mode: Mode, kept: Path, timeout: float) -> None:
        self.suite, self.mode, self.timeout = suite, mode, timeout
        self.store = Store(kept)

    def run(self, paths: Iterable[Path], workers: int) -> None:
        """Runs what has no result yet."""
        todo = [path for path in paths if str(path.relative_to(self.suite)) not in self.store.results]
        with tempfile.TemporaryDirectory(dir=self.store.path.parent) as scratch, ThreadPoolExecutor(workers) as pool:
            jobs = [
                pool.submit(run_file, self.suite, path, self.mode, Path(scratch) / str(number), self.timeout)
                for number, path in enumerate(todo)
            ]
            for done, job in enumerate(jobs, 1):
                result = job.result()
                self.store.add(result)
                passed = list(result.cases.values()).count("passed")
                outcome = f"{passed} of {len(result.cases)} passed, {result.seconds} s {result.note}"
                print(f"[{done}/{len(jobs)}] {self.mode.name} {result.file}: {outcome}", flush=True)

    def forget(self, names: set[str]) -> None:
        for name in names:
            self.store.results.pop(name, None)

    def results(self, paths: Iterable[Path]) -> list[FileResult]:
        names = (str(path.relative_to(self.suite)) for path in paths)
        return [self.store.results[name] for name in names if name in self.store.results]


def build() -> tuple[Path, str]:
    """The plugin that is built, and a name for it together with the Python package."""
    import tileguard
    from tileguard._lib import find_library

    library = find_library()
    digest = hashlib.sha256(library.read_bytes())
    for path in sorted(Path(tileguard.__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return library, digest.hexdigest()[:12]


def compare(without: Run, with_us: Run, paths: list[Path], workers: int) -> list[Difference]:
    """Runs both halves. A difference without a known reason must show up a second time: machines are busy at times."""
    for half in (without, with_us):
        half.run(paths, workers)
    found = list(differences(without.results(paths), with_us.results(paths)))
    doubtful = {f"testing/python/{difference.test.split('::')[0]}" for difference in found if difference.reason is None}
    if doubtful:
        print(f"{len(doubtful)} files with unexplained differences run once more")
        for half in (without, with_us):
            half.forget(doubtful)
            half.run(paths, workers)
        found = list(differences(without.results(paths), with_us.results(paths)))
    return found


def report(without: list[FileResult], with_us: list[FileResult], found: list[Difference]) -> str:
    """The text of docs/peer-suite.md."""
    lines = [
        "# TileLang's own tests with TileGuard installed",
        "",
        f"Tests of TileLang {source.RELEASE} (the newest source release on PyPI) run against the installed TileLang,",
        "without a GPU, target `auto` resolved to CUDA sm_90. What needs a GPU, or fails for a reason of its own, does",
        "so in both columns, with the same message. Made by `make peer`.",
        "",
        "| outcome | without | with |",
        "| --- | ---: | ---: |",
        *(f"| {name} | {count(without, name)} | {count(with_us, name)} |" for name in OUTCOMES),
        f"| files | {len(without)} | {len(with_us)} |",
        "",
    ]
    if not found:
        return "\n".join([*lines, "Every test ends the same without and with us.", ""])
    lines += [f"Every test but {len(found)} ends the same without and with us.", "", "## Differences", ""]
    lines += ["| test | without | with | reason |", "| --- | --- | --- | --- |"]
    for one in found:
        why = one.reason or f"**unexplained**: {one.said}"
        lines.append(f"| `{one.test}` | {one.without} | {one.with_us} | {why.replace('|', ' ')} |")
    return "\n".join([*lines, ""])


def count(results: list[FileResult], outcome: str) -> int:
    return sum(list(result.cases.values()).count(outcome) for result in results)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="PART", help="files with PART in their path")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=FILE_TIMEOUT, help="seconds a file may take")
    parser.add_argument("--fresh", action="store_true", help="forget results that are kept")
    parser.add_argument("--half", choices=["without", "with"], help="run one half only, and compare nothing")
    options = parser.parse_args()
    try:
        suite = source.suite()
    except source.SourceMissing as missing:
        print(missing, file=sys.stderr)
        return 2
    paths = list(files(suite, options.only))
    if not paths:
        print(f"No test file has {' or '.join(options.only)} in its path.", file=sys.stderr)
        return 2
    kept = source.cache_dir() / "peer"
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept) as folder:
        library, name = build()
        # A copy: `make build` may replace the plugin while its tests run.
        pinned = Path(shutil.copy2(library, folder))
        without = Run(suite, Mode(ours=False), kept / "without.jsonl", options.timeout)
        with_us = Run(suite, Mode(ours=True, library=pinned), kept / f"with-{name}.jsonl", options.timeout)
        halves = [half for half in (without, with_us) if options.half in (None, half.mode.name)]
        if options.fresh:
            for half in halves:
                half.forget({str(path.relative_to(suite)) for path in paths})
        if options.half:
            halves[0].run(paths, options.workers)
            return 0
        found = compare(without, with_us, paths, options.workers)
        changed = build()[1] != name
    if not options.only:
        REPORT.write_text(report(without.results(paths), with_us.results(paths), found))
    return verdict(found, [] if options.only else stale_reasons(found), changed)


def verdict(found: list[Difference], stale: list[str], changed: bool) -> int:
    """Prints what was found; 1 when it is not as it should be."""
    for one in found:
        print(f"{one.test}: {one.without} -> {one.with_us}: {one.reason or 'UNEXPLAINED ' + one.said}")
    for test in stale:
        print(f"{test}: has a reason to end otherwise and does not")
    if changed:
        print("TileGuard changed while its tests ran: run once more.")
    unexplained = sum(one.reason is None for one in found)
    print(f"{len(found)} tests end otherwise with us, {unexplained} of them without a known reason")
    return int(unexplained > 0 or bool(stale) or changed)


if __name__ == "__main__":
    sys.exit(main())
