"""What the analysis found, as plain data, and as text.

The plugin writes JSON (schema 1, its only format); these classes are that JSON with types.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tileguard._lib import TileGuardError

SCHEMA = 1

Verdict = Literal["Proved", "Guarded", "OutOfBounds", "Unknown"]
VERDICTS: tuple[Verdict, ...] = ("Proved", "Guarded", "OutOfBounds", "Unknown")


@dataclass(frozen=True)
class CounterExample:
    """One execution in which an access leaves its buffer; replaying it gives `index` against `extent`."""

    shapes: Mapping[str, int]
    block: Mapping[str, int]
    thread: Mapping[str, int]
    loops: Mapping[str, int]
    values: Mapping[str, int]
    """What memory reads and other opaque values must give."""
    dim: int
    index: int
    extent: int

    def __str__(self) -> str:
        groups = (self.shapes, self.block, self.thread, self.loops, self.values)
        where = ", ".join(f"{name} = {value}" for group in groups for name, value in group.items())
        at = f"index {self.index} of {self.extent} in dimension {self.dim}"
        return f"{at} when {where}" if where else f"{at} always"


@dataclass(frozen=True)
class Access:
    """One access of one buffer, with its verdict. See docs/semantics.md for the words."""

    id: int
    function: str
    buffer: str
    scope: str
    kind: str
    dtype: str
    indices: tuple[str, ...]
    shape: tuple[str, ...]
    verdict: Verdict
    reason: str | None = None
    guards: tuple[str, ...] = ()
    """The comparisons that remain in the kernel for this access."""
    counterexample: CounterExample | None = None
    safe_if: str | None = None
    """A condition on shapes alone under which the access needs no guard."""
    location: str | None = None

    @property
    def assume(self) -> str | None:
        """The line to add to the kernel when `safe_if` always holds."""
        return f"T.assume({self.safe_if})" if self.safe_if else None

    def __str__(self) -> str:
        reason = f" ({self.reason})" if self.reason else ""
        head = (
            f"{self.verdict}{reason}: {self.kind} {self.buffer}[{', '.join(self.indices)}] of ({', '.join(self.shape)})"
        )
        lines = [f"{self.location}: {head}" if self.location else head]
        if self.guards:
            lines.append(f"  guard: {' and '.join(self.guards)}")
        if self.counterexample is not None:
            lines.append(f"  leaves it at {self.counterexample}")
        if self.assume is not None:
            lines.append(f"  no guard with: {self.assume}")
        return "\n".join(lines)


@dataclass(frozen=True)
class FunctionReport:
    """The accesses of one function, in program order."""

    name: str
    accesses: tuple[Access, ...]
    guard_atoms: int
    """Comparisons the rewritten function evaluates for guards."""
    pass_ms: float
    """Time of analysis and planning, milliseconds."""


@dataclass(frozen=True)
class Report:
    """The result of `tileguard.analyze`."""

    functions: tuple[FunctionReport, ...] = field(default_factory=tuple)

    @property
    def accesses(self) -> tuple[Access, ...]:
        """Those of all functions."""
        return tuple(access for function in self.functions for access in function.accesses)

    @property
    def guard_atoms(self) -> int:
        return sum(function.guard_atoms for function in self.functions)

    def counts(self) -> dict[Verdict, int]:
        """How many accesses have each verdict; every verdict has its key."""
        counted = Counter(access.verdict for access in self.accesses)
        return {verdict: counted[verdict] for verdict in VERDICTS}

    @property
    def ok(self) -> bool:
        """Whether no access is out of bounds on every execution."""
        return self.counts()["OutOfBounds"] == 0

    def __str__(self) -> str:
        lines = []
        for function in self.functions:
            counts = Report((function,)).counts()
            summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
            lines.append(f"{function.name}: {summary or 'no access'}; {function.guard_atoms} guard atoms")
            for access in function.accesses:
                lines.extend(f"  {line}" for line in str(access).splitlines())
        return "\n".join(lines)

    @classmethod
    def from_json(cls, text: str) -> Report:
        """Reads what the plugin wrote. Raises TileGuardError for another schema."""
        document = json.loads(text)
        if document.get("schema") != SCHEMA:
            raise TileGuardError(
                f"The plugin writes reports of schema {document.get('schema')}, this package reads {SCHEMA}: "
                "rebuild it with `make build`."
            )
        return cls(tuple(_function(entry) for entry in document["functions"]))


def _function(entry: Mapping[str, Any]) -> FunctionReport:
    name = entry["name"]
    accesses = tuple(_access(name, access) for access in entry["accesses"])
    return FunctionReport(name, accesses, entry["guard_atoms"], entry["pass_ms"])


def _access(function: str, entry: Mapping[str, Any]) -> Access:
    found = entry["counterexample"]
    return Access(
        id=entry["id"],
        function=function,
        buffer=entry["buffer"],
        scope=entry["scope"],
        kind=entry["kind"],
        dtype=entry["dtype"],
        indices=tuple(entry["indices"]),
        shape=tuple(entry["shape"]),
        verdict=entry["verdict"],
        reason=entry["reason"],
        guards=tuple(entry["guards"]),
        counterexample=None if found is None else CounterExample(**found),
        safe_if=entry["safe_if"],
        location=entry["location"],
    )
