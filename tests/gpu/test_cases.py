"""What can be said of the GPU kernels without a GPU: many, told apart, and judged by something that can fail."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.gpu import build, library
from tests.gpu.case import GpuCase
from tests.gpu.kernels import atomics, copies, flow, tiles, views, wide
from tests.gpu.run import difference

OWN = [case for module in (tiles, wide, atomics, copies, flow, views) for case in module.CASES]
# What docs/ops.md says is guarded, and a word of the cases that stand for it.
GUARDED = {
    "atomic": "atomic",
    "cp.async": "cp.async",
    "extern call": "call_extern",
    "read-only load": "__ldg",
    "tile operation": "T.copy",
    "wide load": "ldg128",
    "wide store": "stg128",
}


def test_many_with_names_of_their_own() -> None:
    names = [case.name for case in build.all_cases()]
    assert len(OWN) >= 40
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]\w*", name) for name in names)


def test_controls_are_kernels() -> None:
    assert set(build.CONTROLS) <= {case.name for case in OWN}


def test_every_guarded_row_has_a_case() -> None:
    table = (Path(__file__).parents[2] / "docs/ops.md").read_text()
    rows = re.findall(r"^\| ([^|]+) \| guarded[^|]*\|", table, re.MULTILINE)
    assert set(rows) - {"address"} <= set(GUARDED)
    for word in GUARDED.values():
        assert any(word in case.covers for case in OWN), word


@pytest.mark.parametrize("case", [OWN[0], wide.CASES[-1]], ids=lambda case: case.name)
def test_host_functions_bear_the_name_of_the_kernel(case: GpuCase) -> None:
    made = library.unit(case.make(), case.name)
    assert re.findall(r'extern "C" TL_EXPORT .*?(\w+)\(', made.source) == [
        f"{case.name}_get_last_error",
        f"{case.name}_init",
        f"{case.name}_call",
    ]
    assert [kind for _, kind in made.arguments][-1] == "int32"


def test_answers_differ_from_the_inputs() -> None:
    """An answer that is what the output held before would be right for a kernel that does nothing."""
    case = next(one for one in OWN if one.name == "five_points")
    for _, args, expected in case.runs():
        assert not np.array_equal(args["y"], expected["y"])


def test_judge_sees_one_wrong_element() -> None:
    want = np.arange(5, dtype=np.float32)
    got = want.copy()
    got[3] = 7
    about = {"dtype": "float32", "shape": [5]}
    assert difference(want.view(np.uint8), want.view(np.uint8), about, 0) == ""
    assert "1 of 5 differ, at 3: 7.0 for 3.0" in difference(got.view(np.uint8), want.view(np.uint8), about, 0)
    assert "1 of 5" in difference(got.view(np.uint8), want.view(np.uint8), about, 0.1)
