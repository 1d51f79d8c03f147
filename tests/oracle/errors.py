"""What the oracle can say besides an answer."""

from __future__ import annotations

from dataclasses import dataclass, field


class OracleError(Exception):
    """Base of everything the oracle raises on purpose."""


class UnsupportedByOracle(OracleError):
    """A construct whose meaning the oracle does not know; `name` is the op or node."""

    def __init__(self, name: str, detail: str = "") -> None:
        super().__init__(f"the oracle has no meaning for {name}" + (f": {detail}" if detail else ""))
        self.name = name


class BadArguments(OracleError):
    """The arguments do not fit the function's signature."""


class AssertionFailed(OracleError):
    """An AssertStmt or a device assert of the program did not hold."""


class OutOfSteps(OracleError):
    """The program ran more loop iterations than the limit allows."""


class OutOfBoundsAccess(OracleError):
    """Strict mode: an active lane touched a global buffer outside its shape."""

    def __init__(self, event: OobEvent) -> None:
        super().__init__(str(event))
        self.event = event


@dataclass(frozen=True)
class OobEvent:
    """One access outside its buffer: the first offending lane and how many there were.

    `indices` and `shape` are elements, per dimension; `block` and `thread` map a
    thread tag such as "blockIdx.x" to its value; `lanes` counts offending lanes.
    """

    kind: str
    buffer: str
    scope: str
    indices: tuple[int, ...]
    shape: tuple[int, ...]
    block: dict[str, int] = field(default_factory=dict)
    thread: int = 0
    lanes: int = 1

    def __str__(self) -> str:
        where = ", ".join(f"{k}={v}" for k, v in self.block.items())
        return (
            f"{self.kind} {self.buffer}[{', '.join(map(str, self.indices))}] outside shape "
            f"({', '.join(map(str, self.shape))}), scope {self.scope}, thread {self.thread}"
            + (f", {where}" if where else "")
        )
