"""Report: JSON of the plugin in, typed data and readable text out."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tileguard
from tileguard import Report

ACCESS: dict[str, Any] = {
    "id": 3,
    "buffer": "a",
    "scope": "global",
    "kind": "load",
    "dtype": "float16",
    "indices": ["bx * 128 + i", "k"],
    "shape": ["n", "64"],
    "verdict": "Guarded",
    "reason": None,
    "guards": ["bx * 128 + i < n"],
    "counterexample": {
        "shapes": {"n": 1},
        "block": {"bx": 0},
        "thread": {"tx": 1},
        "loops": {"i": 1},
        "values": {},
        "index": 1,
        "extent": 1,
        "dim": 0,
    },
    "safe_if": "n % 128 == 0",
    "location": "gemm.py:12:5",
}
PROVED = {**ACCESS, "verdict": "Proved", "guards": [], "counterexample": None, "safe_if": None, "location": None}


def document(*accesses: dict[str, Any]) -> str:
    function = {"name": "gemm", "pass_ms": 0.5, "guard_atoms": 2, "accesses": list(accesses)}
    return json.dumps({"schema": 1, "functions": [function]})


def test_reads_every_field() -> None:
    access = Report.from_json(document(ACCESS)).accesses[0]
    for name, value in ACCESS.items():
        if name != "counterexample":
            found = getattr(access, name)
            assert (list(found) if isinstance(value, list) else found) == value, name
    assert access.counterexample is not None
    for name, value in ACCESS["counterexample"].items():
        assert getattr(access.counterexample, name) == value, name
    assert access.function == "gemm"


def test_text_says_what_a_reader_needs() -> None:
    text = str(Report.from_json(document(ACCESS, PROVED)))
    first = text.splitlines()[0]
    assert first == "gemm: 1 Proved, 1 Guarded; 2 guard atoms"
    for part in ("gemm.py:12:5", "load a[bx * 128 + i, k] of (n, 64)", "guard: bx * 128 + i < n"):
        assert part in text
    assert "index 1 of 1 in dimension 0 when n = 1, bx = 0, tx = 1, i = 1" in text
    assert "T.assume(n % 128 == 0)" in text


def test_reason_of_unknown_is_said() -> None:
    unknown = {**ACCESS, "verdict": "Unknown", "reason": "NonAffine"}
    assert "Unknown (NonAffine): load a[" in str(Report.from_json(document(unknown)))


def test_counts_and_ok() -> None:
    report = Report.from_json(document(ACCESS, PROVED, PROVED))
    assert report.counts() == {"Proved": 2, "Guarded": 1, "OutOfBounds": 0, "Unknown": 0}
    assert report.ok
    assert not Report.from_json(document({**ACCESS, "verdict": "OutOfBounds"})).ok


def test_empty_report_is_readable() -> None:
    assert str(Report.from_json(document())) == "gemm: no access; 2 guard atoms"


def test_another_schema_is_refused() -> None:
    with pytest.raises(tileguard.TileGuardError, match=r"schema 2.*reads 1"):
        Report.from_json(json.dumps({"schema": 2, "functions": []}))
