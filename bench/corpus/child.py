"""Runs one script under the recorder, in a process of its own that is forked for it."""

from __future__ import annotations

import json
import os
import re
import resource
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bench.corpus import device, packages
from bench.corpus.recorder import Recorder
from bench.corpus.scripts import is_test
from bench.corpus.store import Store
from bench.corpus.tensors import Hollow

MEMORY = 48 << 30  # bytes of address space; hollow tensors take no more than that
TEST_TIMEOUT = 90  # seconds
HARDWARE = re.compile(r"cuda|gpu|hopper|blackwell|device|sm_?\d|compute", re.IGNORECASE)
DEMAND = re.compile(r"Requires CUDA compute (ge|gt|eq|le|lt) (\d+)\.(\d+)")
DEVICES = ((9, 0), (10, 0), (12, 0), (8, 9), (8, 0), (7, 5), (7, 0))


class _Tests:
    """pytest plugin: tests that ask for hardware run all the same, on the device that suits them."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.outcomes: dict[str, str] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        for item in items:
            item.pretended = _suitable([_reason(mark) for mark in item.iter_markers("skipif")])
            for node in item.listchain():
                node.own_markers[:] = [mark for mark in node.own_markers if not HARDWARE.search(_reason(mark))]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: Any) -> None:
        device.pretend(*item.pretended)
        self.recorder.test = item.name

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" or report.outcome != "passed":
            self.outcomes[report.nodeid.split("::", 1)[-1]] = report.outcome


def _reason(mark: Any) -> str:
    return str(mark.kwargs.get("reason", "")) if mark.name in ("skipif", "skip") else ""


def _suitable(reasons: list[str]) -> tuple[int, int]:
    """The first device that meets every demand on compute capability."""
    demands = [found for reason in reasons if (found := DEMAND.match(reason))]
    for candidate in DEVICES:
        if all(_meets(candidate, found[1], (int(found[2]), int(found[3]))) for found in demands):
            return candidate
    return DEVICES[0]


def _meets(have: tuple[int, int], relation: str, bound: tuple[int, int]) -> bool:
    return {"ge": have >= bound, "gt": have > bound, "eq": have == bound, "le": have <= bound, "lt": have < bound}[
        relation
    ]


def run(script: Path, suite: Path, store: Store, log: Path, result: Path) -> None:
    """The whole life of the child; never returns. `result` gets one JSON object."""
    os.setsid()
    with log.open("wb") as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    recorder = Recorder(store, str(script.relative_to(suite)))
    recorder.install()
    packages.mock_missing()
    # Scripts import `examples` and `testing` of their own tree, not this repository's.
    sys.path[:] = [str(script.parent), str(suite), *(entry for entry in sys.path if not _is_ours(entry))]
    os.chdir(log.parent)
    ended: dict[str, Any] = {}
    try:
        with Hollow():
            ended = _tests(script, recorder) if is_test(script) else _main(script)
    except BaseException as error:
        traceback.print_exc()
        ended = {"error": f"{type(error).__name__}: {str(error)[:200]}"}
    result.write_text(json.dumps({**ended, "calls": recorder.calls, "kept": recorder.kept}))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _is_ours(entry: str) -> bool:
    return Path(entry or ".").resolve() == Path(__file__).resolve().parents[2]


def _tests(script: Path, recorder: Recorder) -> dict[str, Any]:
    tests = _Tests(recorder)
    options = ["-q", "--tb=short", "-p", "no:cacheprovider", "-p", "no:xdist", f"--timeout={TEST_TIMEOUT}"]
    code = pytest.main([*options, str(script)], plugins=[tests])
    return {"code": int(code), "tests": tests.outcomes}


def _main(script: Path) -> dict[str, Any]:
    sys.argv = [str(script)]
    main = ModuleType("__main__")
    main.__file__ = str(script)
    sys.modules["__main__"] = main
    try:
        # Without its assertions, which compare results, and those are hollow.
        exec(compile(script.read_bytes(), script, "exec", dont_inherit=True, optimize=1), vars(main))
    except SystemExit as leaving:
        return {"code": leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)}
    return {"code": 0}
