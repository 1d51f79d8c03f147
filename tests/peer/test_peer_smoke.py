"""TileLang's tests that touch the pass end the same with TileGuard installed, or differ for a known reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.peer import source
from tests.peer.compare import Difference, differences, place
from tests.peer.reasons import REASONS
from tests.peer.suite import FileResult, Mode, files, run_file

# Groups of about the same length, for pytest-xdist to share out; each by parts of the paths of its files.
GROUPS = {
    "the pass": ("legalize_safe",),
    "safe values": ("annotate_safe_value",),
    "vectors": ("loop_vectorize",),
    "unswitching": ("loop_unswitching",),
    "pipelines": ("software_pipeline",),
    "CPU reductions": ("cpu_reduce",),
    "CPU products": ("cpu_gemm", "cpu_tgemm", "cpu_fp16"),
    "CPU, the rest": ("cpu_atomic", "cpu_transpose", "cpu_vec", "cpu_while"),
}
NEEDS_A_GPU = "safe values"  # its only test is skipped: that it is so with us too is all it can show here


@pytest.fixture(scope="module")
def suite() -> Path:
    try:
        return source.suite()
    except source.SourceMissing as missing:
        pytest.skip(str(missing))


def test_every_cpu_file_is_in_a_group(suite: Path) -> None:
    grouped = [path for name, parts in GROUPS.items() if name.startswith("CPU") for path in files(suite, parts)]
    assert sorted(grouped) == list(files(suite, ["/cpu/"]))


@pytest.mark.parametrize("group", GROUPS)
def test_same_with_us(group: str, suite: Path, tmp_path: Path) -> None:
    paths = list(files(suite, GROUPS[group]))
    assert paths, f"TileLang's source release has no test file named {GROUPS[group]}"
    without, with_us = (
        [run_file(suite, path, Mode(ours), tmp_path / f"{number}") for number, path in enumerate(paths)]
        for ours in (False, True)
    )
    for result in (*without, *with_us):
        assert result.cases, f"{result.file}: {result.note}"
    passed = sum(list(result.cases.values()).count("passed") for result in without)
    assert passed > 0 or group == NEEDS_A_GPU
    found = list(differences(without, with_us))
    assert [one for one in found if one.reason is None] == []
    # The known differences are there: our pass did run, and the table of reasons is no longer than it must be.
    expected = [test for test in REASONS if test.split("::")[0] in {place(result.file) for result in without}]
    assert sorted(one.test for one in found) == sorted(expected)


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
