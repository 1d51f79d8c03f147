"""pytest plugin for TileLang's tests: a target without a GPU, our pass on request, and a record of every outcome.

It lies in a folder of its own, the only one of this repository that TileLang's tests get to see: with the whole
repository on the path they would find `examples` here instead of their own.

Target "auto" becomes CUDA sm_90 through TileLang's public registry of detectors; nothing else is faked, so what needs
a GPU fails or skips alike without and with us.

* TILEGUARD_PEER=1 installs TileGuard.
* TILEGUARD_PEER_RECORD names the record: one JSON line [test, outcome, why] when a test begins ("began") and one when
  it ends. Tests that are in it already are left out: a run that died goes on behind the test that killed it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import tilelang  # noqa: F401  (makes TileLang's own tvm importable for test files that begin with `import tvm`)
from tilelang.backend.target import register_target_detector
from tvm.target import Target

register_target_detector("cuda", lambda: Target({"kind": "cuda", "arch": "sm_90"}), override=True)

if os.environ.get("TILEGUARD_PEER") == "1":
    import tileguard

    tileguard.install()

_record = Path(os.environ["TILEGUARD_PEER_RECORD"])


def _name(nodeid: str) -> str:
    """`file or class::test[parameters]`."""
    head, bracket, parameters = nodeid.partition("[")
    *owners, test = head.split("::")
    return f"{Path(owners[-1]).stem if owners else Path(test).stem}::{test}{bracket}{parameters}"


def _write(test: str, outcome: str, why: str = "") -> None:
    lines = why.splitlines()
    with _record.open("a") as out:
        out.write(json.dumps([test, outcome, lines[0][:200] if lines else ""]) + "\n")


def _why(report: Any) -> str:
    told = report.longrepr
    if isinstance(told, tuple):
        return str(told[2]).removeprefix("Skipped: ")
    crash = getattr(told, "reprcrash", None)
    return str(crash.message if crash is not None else told or "")


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _write(f"::{Path(report.nodeid).stem}", "error", "collection failure")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    lines = _record.read_text().splitlines() if _record.exists() else []
    recorded = {json.loads(line)[0] for line in lines}
    items[:] = [item for item in items if _name(item.nodeid) not in recorded]


def pytest_runtest_logstart(nodeid: str) -> None:
    _write(_name(nodeid), "began")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    outcome: str = report.outcome
    if outcome == "failed" and report.when != "call":
        outcome = "error"
    if report.when == "call" or outcome != "passed":
        _write(_name(report.nodeid), outcome, _why(report))
