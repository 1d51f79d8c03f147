"""Which tests end otherwise with TileGuard installed than without, and whether it is known why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.peer.reasons import REASONS
from tests.peer.suite import FileResult

UNSTABLE = re.compile(r"0x[0-9a-f]+|\d+|/[\w./-]+")  # addresses, numbers and paths differ from run to run
COMPARED = 100  # characters of a message


@dataclass(frozen=True)
class Difference:
    """A test, how it ended without and with us, and the first line of what it said with us."""

    test: str
    without: str
    with_us: str
    said: str

    @property
    def reason(self) -> str | None:
        """Why this is as it should be; None when nobody has said so."""
        known = REASONS.get(self.test)
        return known.why if known is not None and known.outcome == self.with_us else None


def differences(without: Iterable[FileResult], with_us: Iterable[FileResult]) -> Iterator[Difference]:
    """Every difference between two runs, over the files that both have.

    Two failures with different messages are a difference too: the second may be ours.
    """
    ours = {result.file: result for result in with_us}
    for theirs in without:
        if theirs.file in ours:
            yield from _of_file(theirs, ours[theirs.file])


def _of_file(theirs: FileResult, ours: FileResult) -> Iterator[Difference]:
    for case in sorted(theirs.cases.keys() | ours.cases.keys()):
        before, after = theirs.cases.get(case, "absent"), ours.cases.get(case, "absent")
        said_before, said = theirs.why.get(case, theirs.note), ours.why.get(case, ours.note)
        if before == after and (before == "passed" or _stable(said_before) == _stable(said)):
            continue
        yield Difference(name_of(theirs.file, case), before, after if before != after else f"{after} otherwise", said)


def place(file: str) -> str:
    """The path of a test file as the report names it."""
    return file.removeprefix("testing/python/")


def name_of(file: str, case: str) -> str:
    """`transform/test_a.py::test_b` of the file and the test `test_a::test_b` in it."""
    stem = file.rsplit("/", 1)[-1].removesuffix(".py")
    return f"{place(file)}::{case.removeprefix(stem + '::')}"


def _stable(message: str) -> str:
    return UNSTABLE.sub("#", message)[:COMPARED].rstrip("'")  # a long message was cut before its closing quote


def stale_reasons(found: Iterable[Difference]) -> list[str]:
    """Tests with a reason for a difference that is not there."""
    return sorted(REASONS.keys() - {difference.test for difference in found})
