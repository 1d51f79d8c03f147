"""Everything that changes while a function runs: masks, variables, memory, counters."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from .errors import OobEvent, OutOfBoundsAccess, OutOfSteps

# A mask says which threads execute: None is all of them, DEAD none, else a bool array (T,)
# with at least one True.
DEAD = False
MAX_EVENTS = 200


def narrow(m: Any, c: Any) -> Any:
    """The threads of `m` for which condition `c` holds."""
    if isinstance(c, np.ndarray):
        r = c if m is None else m & c
        k = np.count_nonzero(r)
        if k == 0:
            return DEAD
        return None if k == r.size else r
    return m if c else DEAD


def merge(a: Any, b: Any) -> Any:
    """The threads of either mask."""
    if a is DEAD:
        return b
    if b is DEAD:
        return a
    if a is None or b is None:
        return None
    return a | b


def note_zero(S: State, m: Any, divisor: Any) -> None:
    """Note an integer division by zero on an active lane: undefined in generated code."""
    zero = divisor == 0
    if isinstance(zero, np.ndarray):
        if m is not None and zero.any():
            zero = zero & (m[:, None] if zero.ndim == 2 else m)
        zero = zero.any()
    if zero and not S.quiet:
        S.notes["division by zero"] += 1


class State:
    """One run.  `T` is the number of threads in lockstep (1 outside of a kernel)."""

    def __init__(self, slots: int, strict: bool, max_steps: int, fill: int) -> None:
        self.strict = strict
        self.fill = fill
        self.env: list[Any] = [None] * slots
        self.T = 1
        self.tids = np.arange(1)
        self.mem: dict[int, Any] = {}
        self.geo: dict[int, tuple[list[int], list[int], int]] = {}
        self.safe: dict[int, Any] = {}
        self.block: dict[str, int] = {}
        self.launch: dict[str, tuple[Any, int]] = {}
        self.counts: Counter[str] = Counter()
        self.ncmp = 0
        self.events: list[OobEvent] = []
        self.notes: Counter[str] = Counter()
        self.quiet = False
        self.brk: Any = DEAD
        self.cont: Any = DEAD
        self.steps = max_steps

    def active(self, m: Any) -> int:
        """How many threads execute under `m`."""
        return self.T if m is None else int(np.count_nonzero(m))

    def step(self) -> None:
        """Charge one loop iteration."""
        self.steps -= 1
        if self.steps < 0:
            raise OutOfSteps("the oracle's limit of loop iterations is used up")

    def outside(self, kind: str, buf: Any, idx: list[Any], bad: Any, lanes: int, vector: bool) -> None:
        """Record lanes outside `buf`; `bad` is True or a bool array.  Strict and global: raise."""
        if self.quiet:
            return
        tag = f"outside.{kind}:{buf.name}"
        if not (self.strict and buf.is_global) and self.counts[tag] > MAX_EVENTS:
            # Enough has been told: count on, cheaply.
            self.counts[tag] += int(np.count_nonzero(bad)) if isinstance(bad, np.ndarray) else self.T * lanes
            return
        shape = (self.T, lanes) if vector else (self.T,)
        where = np.broadcast_to(bad, shape) if isinstance(bad, np.ndarray) else np.ones(shape, bool)
        first = np.unravel_index(int(np.argmax(where)), shape)
        point = tuple(int(np.broadcast_to(i, shape)[first]) if isinstance(i, np.ndarray) else int(i) for i in idx)
        event = OobEvent(
            kind, buf.name, buf.scope, point, tuple(self.geo[buf.key][0]), dict(self.block),
            int(first[0]), int(np.count_nonzero(where)),
        )  # fmt: skip
        if self.strict and buf.is_global:
            raise OutOfBoundsAccess(event)
        self.counts[tag] += event.lanes
        if len(self.events) < MAX_EVENTS:
            self.events.append(event)
