"""Runs files of TileLang's tests, one process each, and keeps the outcome of every test."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEST_TIMEOUT = 120  # seconds a test
FILE_TIMEOUT = 420  # seconds a file
MAX_DEATHS = 5  # of one file, each of them behind another test


@dataclass
class FileResult:
    """Outcomes of one file: test -> passed, failed, error, skipped, died or time limit, and the messages of some.

    note: what went wrong with the file as a whole; seconds: how long it took.
    """

    file: str
    ours: bool
    cases: dict[str, str] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)
    note: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Mode:
    """Whether a run has TileGuard's pass in it, and which build of the plugin."""

    ours: bool
    library: Path | None = None

    @property
    def name(self) -> str:
        return "with" if self.ours else "without"

    def environment(self) -> dict[str, str]:
        chosen = {"TILEGUARD_PEER": str(int(self.ours))}
        return {**chosen, "TILEGUARD_LIBRARY": str(self.library)} if self.library else chosen


def files(suite: Path, wanted: Iterable[str] = ()) -> Iterator[Path]:
    """Test files under testing/python, those with one of `wanted` in their path when given."""
    parts = tuple(wanted)
    for path in sorted((suite / "testing" / "python").rglob("test_*.py")):
        if not parts or any(part in str(path.relative_to(suite)) for part in parts):
            yield path


def run_file(suite: Path, path: Path, mode: Mode, scratch: Path, timeout: float = FILE_TIMEOUT) -> FileResult:
    """Runs one file within `timeout` seconds; `scratch` is a folder for this run alone and is removed.

    When a test kills the process, the tests behind it get another one.
    """
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    result = FileResult(str(path.relative_to(suite)), mode.ours)
    began = time.monotonic()
    for deaths in range(1, MAX_DEATHS + 1):
        in_time = _run_process(suite, path, mode, scratch, timeout - (time.monotonic() - began))
        _read(scratch / "record", result, "died" if in_time else "time limit")
        if not in_time:
            result.note = "time limit"
            break
        if list(result.cases.values()).count("died") < deaths:
            break
    result.seconds = round(time.monotonic() - began, 1)
    shutil.rmtree(scratch, ignore_errors=True)
    return result


def _run_process(suite: Path, path: Path, mode: Mode, scratch: Path, seconds: float) -> bool:
    """One pytest process; False when it had to be killed at its limit, with all that it started."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tileguard_peer", "-p", "no:cacheprovider"]
    command += [f"--timeout={TEST_TIMEOUT}", "--basetemp", str(scratch / "tmp")]
    command += ["--rootdir", str(suite), "--confcutdir", str(suite)]  # or testing/conftest.py is not read
    environment = {
        **os.environ,
        **mode.environment(),
        "PYTHONPATH": str(Path(__file__).parent / "plugin"),
        "TILEGUARD_PEER_RECORD": str(scratch / "record"),
        "TILELANG_DISABLE_CACHE": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }
    # Options meant for the pytest that calls this one.
    for name in [name for name in environment if name.startswith("PYTEST_")]:
        del environment[name]
    with subprocess.Popen(
        [*command, str(path)],
        cwd=path.parent,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            process.wait(max(seconds, 0.1))
            return True
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return False


def _read(record: Path, result: FileResult, unfinished: str) -> None:
    """Takes over what the plugin recorded. A test that began and did not end gets the outcome `unfinished`."""
    if not record.exists():
        result.note = "nothing recorded: pytest did not start, or found no test"
        return
    for line in record.read_text().splitlines():
        test, outcome, why = json.loads(line)
        if outcome == "began":
            result.cases.setdefault(test, unfinished)
            continue
        result.cases[test] = outcome
        if why:
            result.why[test] = why


class Store:
    """Results as one JSON line a file; a second run continues where the first stopped, and later lines count."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.results: dict[str, FileResult] = {}
        if path.exists():
            for line in path.read_text().splitlines():
                result = FileResult(**json.loads(line))
                self.results[result.file] = result

    def add(self, result: FileResult) -> None:
        self.results[result.file] = result
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as out:
            out.write(json.dumps(asdict(result)) + "\n")
