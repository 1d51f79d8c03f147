"""Runs files of TileLang's tests, one process each, and keeps the outcome of every test."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEST_TIMEOUT = 120  # seconds a test
FILE_TIMEOUT = 420  # seconds a file


@dataclass
class FileResult:
    """Outcomes of one file: test id -> passed, failed, error, skipped; `note` when the file as a whole went wrong."""

    file: str
    ours: bool
    cases: dict[str, str] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)
    note: str = ""


def files(suite: Path, wanted: Iterable[str] = ()) -> Iterator[Path]:
    """Test files under testing/python, those with one of `wanted` in their path when given."""
    parts = tuple(wanted)
    for path in sorted((suite / "testing" / "python").rglob("test_*.py")):
        if not parts or any(part in str(path) for part in parts):
            yield path


def run_file(suite: Path, path: Path, ours: bool, scratch: Path) -> FileResult:
    """One pytest process; killed as a group when the file outlasts its limit."""
    relative = str(path.relative_to(suite))
    scratch.mkdir(parents=True, exist_ok=True)
    report = scratch / (relative.replace("/", "__") + f".{int(ours)}.xml")
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.peer.plugin", "-p", "no:cacheprovider"]
    command += [f"--timeout={TEST_TIMEOUT}", "--basetemp", str(scratch / f"tmp{int(ours)}"), "--junitxml", str(report)]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "TILEGUARD_PEER": str(int(ours)),
        "TILELANG_DISABLE_CACHE": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }
    with subprocess.Popen(
        [*command, str(path)],
        cwd=path.parent,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        note = ""
        try:
            process.wait(FILE_TIMEOUT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            note = "timeout"
    result = FileResult(relative, ours, note=note)
    if report.exists():
        _read(report, result)
    elif not note:
        result.note = "no report: the process died"
    return result


def _read(report: Path, result: FileResult) -> None:
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        outcome, why = "passed", ""
        for tag, name in (("failure", "failed"), ("error", "error"), ("skipped", "skipped")):
            element = case.find(tag)
            if element is not None:
                outcome, why = name, (element.get("message") or "").splitlines()[:1][0] if element.get("message") else ""
        key = f"{case.get('classname', '').split('.')[-1]}::{case.get('name')}"
        result.cases[key] = outcome
        if why:
            result.why[key] = why[:200]


class Store:
    """Results as one JSON line a file; a second run continues where the first stopped."""

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
