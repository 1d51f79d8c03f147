"""What the instruction counter makes of generated source; the counting itself needs valgrind and is a benchmark."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

from bench.cpu import harness
from bench.cpu.kernels import works
from tileguard import lowering

SOURCE = "int32_t f_kernel(float* __restrict__ a, half* y, int32_t n);\n"


def test_prototype() -> None:
    assert harness.prototype(SOURCE) == ("f_kernel", [("float*", "a"), ("half*", "y"), ("int32_t", "n")])


def test_source_without_a_kernel() -> None:
    with pytest.raises(harness.HarnessError, match="declares no function"):
        harness.prototype("void f();")


def test_parameter_of_unknown_origin() -> None:
    with pytest.raises(harness.HarnessError, match="parameter n that is neither"):
        harness.main_text(SOURCE, {"a": np.zeros(1, "float32"), "y": np.zeros(1, "float16")}, {})


@pytest.mark.parametrize("work", works(), ids=lambda work: work.name)
def test_kernel_runs_without_the_counter(work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same program, started without callgrind: the arguments arrive, and either pass computes the same."""
    real = subprocess.run

    def uncounted(command, **options):
        if command[0] != "valgrind":
            return real(command, **options)
        (tmp_path / "counts").write_text("totals: 1\n")
        return real(command[-1:], **options)

    monkeypatch.setattr(subprocess, "run", uncounted)
    shape = work.shapes[2]
    inputs = work.inputs(np.random.default_rng(1), **shape)
    results = []
    for source_of in (lowering.source_with_tilelang, lowering.source_with_tileguard):
        source = source_of(work.make(), "c")
        arrays = {**inputs, harness.output_name(source): np.zeros_like(work.output(*inputs.values()))}
        counted, result = harness.count(source, arrays, shape, "-O0", tmp_path)
        assert counted == 1
        results.append(result)
    assert results[0].tobytes() == results[1].tobytes()
    assert np.any(results[0] != 0)
