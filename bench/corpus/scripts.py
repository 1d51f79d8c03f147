"""Which of TileLang's scripts are run to record modules."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

# Programs around kernels, other vendors' devices, and benchmarks that only repeat the example beside them.
SKIPPED = (
    *("bitnet-1.58b", "/plot_layout/", "/autodd/", "/amd/", "/aws/", "/iket/"),
    *("/conftest.py", "/__init__.py", "/regression_"),
)


def is_test(script: Path) -> bool:
    return script.name.startswith("test_")


def scripts(suite: Path, only: Sequence[str] = (), limit: int | None = None, seed: int = 0) -> list[Path]:
    """Tests and examples with one of `only` in their path, in an order that `seed` decides; at most `limit`."""
    found = [
        path
        for folder in ("testing/python", "examples")
        for path in sorted((suite / folder).rglob("*.py"))
        if is_test(path) or folder == "examples"
    ]
    wanted = [
        path
        for path in found
        if not any(part in str(path) for part in SKIPPED) and (not only or any(part in str(path) for part in only))
    ]
    random.Random(seed).shuffle(wanted)
    return wanted[:limit]
