"""TileLang's newest source release on PyPI, fetched once and kept outside the tree.

PyPI has no source release of 0.1.15; 0.1.14's tests run against the installed 0.1.15. pip cannot download a source
release without asking its build backend for metadata, which fails here (the backend is not installed and need not be):
pip is told to keep what it unpacked before that.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

RELEASE = "0.1.14"
PARTS = ("testing", "examples")


class SourceMissing(RuntimeError):
    """The source release cannot be had; the message is one sentence."""


def cache_dir() -> Path:
    """Where fetched and computed things are kept: $TILEGUARD_CACHE, else the user's cache directory."""
    if chosen := os.environ.get("TILEGUARD_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tileguard"


def suite() -> Path:
    """The folder with TileLang's `testing` and `examples`, without the `tilelang` package beside them.

    Beside it, testing/conftest.py would put the unbuilt package in front of the installed one.
    """
    target = cache_dir() / f"tilelang-{RELEASE}"
    target.parent.mkdir(parents=True, exist_ok=True)
    with (target.parent / "source.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests of several processes may ask at once; one of them fetches
        if not all((target / part).is_dir() for part in PARTS):
            _make(target)
    return target


def _make(target: Path) -> None:
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        unpacked = _fetch(Path(scratch))
        staged = Path(scratch) / "staged"
        staged.mkdir()
        for part in PARTS:
            shutil.move(unpacked / part, staged / part)
        shutil.rmtree(target, ignore_errors=True)
        staged.rename(target)


def _fetch(scratch: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", f"tilelang=={RELEASE}", "--no-deps", "--no-clean"]
    command += ["--no-binary", "tilelang", "--no-build-isolation", "--quiet", "--dest", str(scratch / "out")]
    environment = {**os.environ, "TMPDIR": str(scratch), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    subprocess.run(command, env=environment, capture_output=True, check=False)
    found = [path.parent for path in scratch.glob("*/*/testing") if path.is_dir()]
    if not found:
        raise SourceMissing(f"TileLang's source release {RELEASE} cannot be fetched from the package index pip uses.")
    return found[0]
