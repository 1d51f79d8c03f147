"""The corpus on disk: one compressed module a file, and an index with one line a module.

Modules are told apart by structure: the same kernel compiled by two scripts is stored once. The `target` attribute of
functions is left out of the comparison, since the passes do not read it.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import tilelang  # noqa: F401  (makes tvm importable)
import tvm
from tvm import tirx


@dataclass(frozen=True)
class Entry:
    """What is known of one module. `target` and `config` are those of the compilation that brought it first."""

    key: str
    script: str
    test: str
    target: dict[str, Any] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)


def structure(module: Any) -> str:
    """A name for the module's structure, the same in every process."""
    functions = {
        name: func.without_attr("target") if isinstance(func, tirx.PrimFunc) and func.attrs else func
        for name, func in module.functions.items()
    }
    # Block reads and writes come before the definitions of their variables, which therefore count as free.
    bits = tvm.ir.structural_hash(tvm.IRModule(functions, attrs=module.attrs), map_free_vars=True)
    return f"{bits & (1 << 64) - 1:016x}"


class Store:
    """A folder with a corpus. Several processes may add to it at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.index = folder / "index.jsonl"

    def add(self, module: Any, entry: Entry) -> bool:
        """Keeps a module; False when one of its structure is already there."""
        self.folder.mkdir(parents=True, exist_ok=True)
        final = self._file(entry.key)
        if final.exists():
            return False
        partial = final.with_suffix(f".{os.getpid()}")
        with gzip.open(partial, "wt", compresslevel=5) as out:
            out.write(tvm.ir.save_json(module))
        partial.replace(final)
        line = (json.dumps(asdict(entry)) + "\n").encode()
        descriptor = os.open(self.index, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(descriptor, line)  # one call, so that lines of several processes do not mix
        finally:
            os.close(descriptor)
        return True

    def entries(self) -> Iterator[Entry]:
        """The index, each module once, in the order of recording."""
        seen: set[str] = set()
        if not self.index.exists():
            return
        for line in self.index.read_text().splitlines():
            entry = Entry(**json.loads(line))
            if entry.key not in seen:
                seen.add(entry.key)
                yield entry

    def load(self, entry: Entry) -> Any:
        """The module of an entry."""
        with gzip.open(self._file(entry.key), "rt") as source:
            return tvm.ir.load_json(source.read())

    def copy(self, entry: Entry, other: Store) -> None:
        """Puts an entry of this corpus into another."""
        other.folder.mkdir(parents=True, exist_ok=True)
        other._file(entry.key).write_bytes(self._file(entry.key).read_bytes())
        with other.index.open("a") as out:
            out.write(json.dumps(asdict(entry)) + "\n")

    def _file(self, key: str) -> Path:
        return self.folder / f"{key}.json.gz"
