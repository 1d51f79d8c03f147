"""Records the modules that reach the pass while TileLang's examples and tests run, without a GPU.

usage: python -m bench.corpus.capture [--out DIR] [--only PART ...] [--limit-files N] [--seed S] [--workers N] [--retry]
Scripts that were run into DIR before are not run again, so a capture that was stopped goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

os.environ.update(
    TILELANG_DISABLE_CACHE="1",
    TILELANG_AUTO_TUNING_DISABLE_CACHE="1",
    TILELANG_AUTO_TUNING_MAX_CPU_COUNT="1",
    TILELANG_PRINT_ON_COMPILATION="0",
    OMP_NUM_THREADS="1",
)

from bench.corpus import device

device.arrive()  # before TileLang is imported

from bench.corpus import child, packages, scripts, stubs, tensors  # noqa: E402
from bench.corpus.store import Store  # noqa: E402
from tests.peer import source  # noqa: E402


@dataclass
class _Job:
    script: Path
    began: float
    log: Path
    result: Path


class Capture:
    """Runs scripts, each in a forked process with a time limit, and writes `scripts.jsonl` beside the corpus."""

    def __init__(self, suite: Path, folder: Path, timeout: float) -> None:
        self.suite, self.store, self.timeout = suite, Store(folder), timeout
        self.done_file = folder / "scripts.jsonl"
        self.work = folder / "work"
        self.work.mkdir(parents=True, exist_ok=True)
        self.running: dict[int, _Job] = {}
        self.finished = 0

    def done(self, retry: bool) -> set[str]:
        """Scripts that were run before; with `retry`, only those that came to their end."""
        lines = self.done_file.read_text().splitlines() if self.done_file.exists() else []
        runs = {run["script"]: run for run in map(json.loads, lines)}
        return {script for script, run in runs.items() if not (retry and "error" in run)}

    def run(self, todo: list[Path], workers: int) -> None:
        waiting = list(reversed(todo))
        while waiting or self.running:
            while waiting and len(self.running) < workers:
                self._start(waiting.pop())
            self._collect(len(todo))
            time.sleep(0.05)

    def _start(self, script: Path) -> None:
        name = str(script.relative_to(self.suite)).replace("/", "__")
        job = _Job(script, time.monotonic(), self.work / f"{name}.log", self.work / f"{name}.json")
        job.result.unlink(missing_ok=True)
        pid = os.fork()
        if pid == 0:
            child.run(script, self.suite, self.store, job.log, job.result)
        self.running[pid] = job

    def _collect(self, total: int) -> None:
        for pid, job in list(self.running.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            late = time.monotonic() - job.began > self.timeout
            if ended == 0 and late:
                os.killpg(pid, signal.SIGKILL)
                ended, status = os.waitpid(pid, 0)
            if ended:
                del self.running[pid]
                self._report(job, status, late, total)

    def _report(self, job: _Job, status: int, late: bool, total: int) -> None:
        ended = json.loads(job.result.read_text()) if job.result.exists() else {"error": f"died, status {status}"}
        job.result.unlink(missing_ok=True)
        if late:
            ended["error"] = "time limit"
        seconds = round(time.monotonic() - job.began, 1)
        line = {"script": str(job.script.relative_to(self.suite)), "seconds": seconds, **ended}
        with self.done_file.open("a") as out:
            out.write(json.dumps(line) + "\n")
        self.finished += 1
        modules = f"{ended.get('kept', '?')} new of {ended.get('calls', '?')} modules"
        said = f"{modules}, {seconds} s {ended.get('error', '')}"
        print(f"[{self.finished}/{total}] {line['script']}: {said}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=source.cache_dir() / "corpus", metavar="DIR")
    parser.add_argument("--only", action="append", default=[], metavar="PART", help="scripts with PART in their path")
    parser.add_argument("--limit-files", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=0, help="order of the scripts")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--retry", action="store_true", help="run again what ended with an error before")
    parser.add_argument("--timeout", type=float, default=150, help="seconds a script may take")
    options = parser.parse_args()
    try:
        suite = source.suite()
    except source.SourceMissing as missing:
        print(missing, file=sys.stderr)
        return 2
    packages.fetch(source.cache_dir() / "packages")
    tensors.disguise()
    stubs.install()
    capture = Capture(suite, options.out.resolve(), options.timeout)
    done = capture.done(options.retry)
    chosen = scripts.scripts(suite, options.only, options.limit_files, options.seed)
    capture.run([path for path in chosen if str(path.relative_to(suite)) not in done], options.workers)
    print(f"{sum(1 for _ in capture.store.entries())} distinct modules in {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
