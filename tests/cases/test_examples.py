"""The examples: right on every shape, no more guards than TileLang; and their checker notices what it should."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import tileguard
from tileguard import lowering

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
import run
import stencil
from common import CPU, Example

CASES = [
    pytest.param(example, shape, id=f"{example.name}-{'odd' if shape else 'dynamic'}{sum(shape.values())}")
    for example in run.EXAMPLES
    for shape in ({}, *example.odd)
]


@pytest.mark.parametrize(("example", "shape"), CASES)
def test_right_on_every_shape(example: Example, shape: Any) -> None:
    with tileguard.installed():
        problems = list(run.executed(example, shape, example.make(CPU, **shape)))
    assert len(problems) >= (1 if shape else 10)
    assert [problem for problem in problems if problem] == []


@pytest.mark.parametrize("target", [target[0] for target in run.TARGETS])
@pytest.mark.parametrize(("example", "shape"), CASES)
def test_no_more_guards_than_tilelang(example: Example, shape: Any, target: str) -> None:
    label, where, storage = next(each for each in run.TARGETS if each[0] == target)
    func = example.make(storage, **shape)
    row = run.measured(example, shape, label, func, where)
    theirs, ours = row.guards
    assert ours <= theirs
    assert row.report.accesses
    with tileguard.installed():
        assert lowering.lower(func, where).kernel_source


@pytest.mark.parametrize("example", run.EXAMPLES, ids=lambda example: example.name)
def test_odd_shapes_are_odd(example: Example) -> None:
    for shape in example.odd:
        assert set(shape) == set(example.tile)
        assert all(shape[dim] % tile for dim, tile in example.tile.items())


@pytest.mark.parametrize("example", run.EXAMPLES, ids=lambda example: example.name)
def test_shapes_include_the_edges_of_a_tile(example: Example) -> None:
    shapes = run.shapes_to_try(example)
    for dim, tile in example.tile.items():
        assert {0, 1, tile - 1, tile, tile + 1, *run.PRIMES} == {shape[dim] for shape in shapes}


class Pretender:
    """Stands for a compiled kernel: does what it is told to the arguments."""

    def __init__(self, act: Any) -> None:
        self.act = act

    def __call__(self, *tensors: torch.Tensor) -> None:
        self.act(*tensors)


def outcome(act: Any, example: Example | None = None) -> str | None:
    example = example if example is not None else stencil.EXAMPLE
    return run.run_once(example, Pretender(act), {"m": 5, "n": 7}, np.random.default_rng(1))


def right(x: torch.Tensor, y: torch.Tensor) -> None:
    y.copy_(torch.from_numpy(stencil.reference(x.numpy())))


def test_checker_accepts_what_is_right() -> None:
    assert outcome(right) is None


def test_checker_sees_one_changed_bit() -> None:
    def act(x: torch.Tensor, y: torch.Tensor) -> None:
        right(x, y)
        y.view(torch.int32)[2, 3] += 1

    assert "1 of 35 elements differ, first (2, 3)" in str(outcome(act))


def test_checker_sees_an_element_left_out() -> None:
    def act(x: torch.Tensor, y: torch.Tensor) -> None:
        before = y[4, 6].clone()
        right(x, y)
        y[4, 6] = before

    assert "1 of 35 elements differ, first (4, 6)" in str(outcome(act))
    loose = replace(stencil.EXAMPLE, tolerance=lambda x: 1e9)
    assert "1 of 35 elements differ" in str(outcome(act, loose))


@pytest.mark.parametrize("offset", [-1, 35])
@pytest.mark.parametrize("which", [0, 1])
def test_checker_sees_a_write_outside(offset: int, which: int) -> None:
    def act(x: torch.Tensor, y: torch.Tensor) -> None:
        right(x, y)
        whole = (x, y)[which]
        torch.as_strided(whole, (1,), (1,), whole.storage_offset() + offset)[0] = 3.0

    assert outcome(act) == "wrote outside an array"


def test_checker_reports_a_kernel_that_does_not_run() -> None:
    def act(x: torch.Tensor, y: torch.Tensor) -> None:
        raise RuntimeError("no such device\nand more")

    assert outcome(act) == "not run: no such device"


def test_failure_ends_with_a_status(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """One wrong run among many is named and makes the program fail."""
    row = run.Row("stencil", "dynamic", "c", tileguard.Report(), (2, 1), (0.1, 0.1), [None, "{'m': 5}: wrong"])
    monkeypatch.setattr(run, "EXAMPLES", (stencil.EXAMPLE,))
    monkeypatch.setattr(run, "rows_of", lambda example, repeats, execute: [row])
    assert run.main() == 1
    printed = capsys.readouterr()
    assert "1/2" in printed.out
    assert "FAILED stencil, dynamic: {'m': 5}: wrong" in printed.err
    row.runs.pop()
    assert run.main() == 0
