"""Prints docs/ops.md: what TileGuard does with every op of the installed TileLang and TVM.

usage: python scripts/ops_table.py > docs/ops.md
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict

from tileguard import _lib

# Where each treatment is tested.
TESTS = {
    "atomic": "tests/bugs, tests/fuzz",
    "cp.async": "tests/bugs",
    "wide load": "tests/bugs",
    "wide store": "tests/bugs",
    "read-only load": "tests/bugs",
    "extern call": "tests/bugs",
    "address": "tests/bugs",
    "tile operation": "tests/cases/test_examples.py",
    "bulk copy by address": "tests/unit/test_ops_table.py",
    "unsupported": "tests/unit/test_ops_table.py",
}


def operators() -> list[str]:
    """Names of TVM's and TileLang's operators that can stand in a kernel, read from the op registry."""
    _lib.load()
    from tvm.ir import Op

    return sorted(str(name) for name in Op.list_op_names() if str(name).split(".")[0] in ("tl", "tirx"))


def classify(name: str) -> tuple[str, str]:
    """(use, treatment) of one op."""
    entry = json.loads(str(_lib.function("tileguard.ClassifyOp")(name)))
    return entry["use"], entry["treatment"]


def table() -> str:
    """The whole document."""
    by_use: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in operators():
        by_use[classify(name)].append(name)
    lines = [
        "# What is done with each op",
        "",
        "Printed by `python scripts/ops_table.py` from the op registry of the installed TileLang and the table in",
        "`src/extract`; a test fails when the registry holds an op that is not classified, or when this page is old.",
        "",
        "| use | what is done | ops | tested in |",
        "| --- | --- | --- | --- |",
    ]
    order = sorted(by_use, key=lambda entry: (not entry[1].startswith("guarded"), entry))
    for use, treatment in order:
        names = ", ".join(f"`{name}`" for name in by_use[use, treatment])
        lines.append(f"| {use} | {treatment} | {names} | {TESTS.get(use, '')} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(table())
