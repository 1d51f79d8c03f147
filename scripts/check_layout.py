"""Holds the house to its plan: includes that only point back along the data flow, small files, no path of a machine.

Prints one line for each breach and exits with status 1 if there is any.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MAX_LINES = 400

# A room may include itself and rooms that come before it; rooms of one step know nothing of each other.
STEP = {"sets": 0, "model": 0, "extract": 1, "prove": 1, "guard": 2, "rewrite": 3, "report": 4, "ffi": 5}
WITH_TVM = {"extract", "rewrite", "report", "ffi"}
WITH_ISL = {"sets"}

SOURCES = {".cc", ".h", ".py"}
INCLUDE = re.compile(r'^#include (?:"(?:\.\./)?(\w+)/[^"]*"|<(tvm|tilelang|isl)/[^>]*>)')
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:home|root|work|Users)/\w")


def main() -> int:
    breaches = [breach for path in files() for breach in (*include_breaches(path), *text_breaches(path))]
    print("\n".join(breaches), end="\n" if breaches else "")
    return 1 if breaches else 0


def files() -> Iterator[Path]:
    """Every file that git tracks or would track."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return (ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file())


def include_breaches(path: Path) -> Iterator[str]:
    place = path.relative_to(ROOT)
    if place.parts[0] != "src" or place.suffix not in SOURCES or len(place.parts) < 3:
        return
    room = place.parts[1]
    if room not in STEP:
        yield f"{place}: src/{room} is not a room of the plan"
        return
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        other, library = found.groups()
        if library and room not in (WITH_ISL if library == "isl" else WITH_TVM):
            yield f"{place}:{number}: src/{room} must build without {library}"
        if other in STEP and other != room and STEP[other] >= STEP[room]:
            yield f"{place}:{number}: src/{room} must not know src/{other}"


def text_breaches(path: Path) -> Iterator[str]:
    if path.suffix not in SOURCES | {".sh", ".md", ".toml", ".cmake", ".txt"} and path.name != "Makefile":
        return
    lines = path.read_text().splitlines()
    place = path.relative_to(ROOT)
    if path.suffix in SOURCES and len(lines) > MAX_LINES:
        yield f"{place}: {len(lines)} lines, more than {MAX_LINES}"
    for number, line in enumerate(lines, 1):
        if MACHINE_PATH.search(line) and path != Path(__file__).resolve():
            yield f"{place}:{number}: a path of one machine"


if __name__ == "__main__":
    sys.exit(main())
