"""TileLang's tests that touch the pass end the same with TileGuard installed, or differ for a known reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.peer import source
from tests.peer.compare import Difference, differences
from tests.peer.reasons import REASONS
from tests.peer.suite import FileResult, Mode, files, run_file

PARTS = (
    "transform/test_tilelang_transform_legalize_safe",
    "annotate_safe_value",
    "loop_vectorize",
    "loop_unswitching",
    "software_pipeline",
    "/cpu/",
)
NEEDS_A_GPU = "annotate_safe_value"  # its only test is skipped: that it is so with us too is all it can show here


@pytest.mark.parametrize("part", PARTS)
def test_same_with_us(part: str, tmp_path: Path) -> None:
    try:
        suite = source.suite()
    except source.SourceMissing as missing:
        pytest.skip(str(missing))
    paths = list(files(suite, [part]))
    assert paths, f"TileLang's source release has no test file named {part}"
    without, with_us = (
        [run_file(suite, path, Mode(ours), tmp_path / f"{number}") for number, path in enumerate(paths)]
        for ours in (False, True)
    )
    for result in (*without, *with_us):
        assert result.cases, f"{result.file}: {result.note}"
    passed = sum(list(result.cases.values()).count("passed") for result in without)
    assert passed > 0 or part == NEEDS_A_GPU
    assert [one for one in differences(without, with_us) if one.reason is None] == []


def result(ours: bool, outcome: str, why: str = "") -> FileResult:
    return FileResult("testing/python/a/test_a.py", ours, {"test_a::test_b": outcome}, {"test_a::test_b": why})


@pytest.mark.parametrize(
    ("without", "with_us", "expected"),
    [
        (("passed", ""), ("passed", ""), []),
        (("passed", ""), ("failed", "wrong"), [Difference("a/test_a.py::test_b", "passed", "failed", "wrong")]),
        (("failed", "at 0x12 in /tmp/a1"), ("failed", "at 0x34 in /tmp/b2"), []),
        (
            ("failed", "no GPU"),
            ("failed", "no guard"),
            [Difference("a/test_a.py::test_b", "failed", "failed otherwise", "no guard")],
        ),
        (("passed", ""), ("died", ""), [Difference("a/test_a.py::test_b", "passed", "died", "")]),
    ],
)
def test_differences_are_found(without: tuple[str, str], with_us: tuple[str, str], expected: list[Difference]) -> None:
    assert list(differences([result(False, *without)], [result(True, *with_us)])) == expected


def test_a_reason_holds_for_one_outcome_only() -> None:
    test, reason = next(iter(REASONS.items()))
    assert Difference(test, "passed", reason.outcome, "").reason == reason.why
    assert Difference(test, "passed", "died", "").reason is None
