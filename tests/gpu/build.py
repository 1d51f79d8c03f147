"""Compiles all kernels and writes what a GPU needs to run and judge them: `python -m tests.gpu.build [FOLDER]`.

No GPU is needed. The folder holds libraries (tests/gpu/library.py), cases.json, and arrays.npz with inputs and answers.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

os.environ["TILELANG_DISABLE_CACHE"] = "1"
os.environ.setdefault("TILELANG_PRINT_ON_COMPILATION", "0")

import ml_dtypes  # noqa: F401  (numpy learns bfloat16)
import numpy as np

import tileguard

tileguard.load()

from tests.gpu import library  # noqa: E402
from tests.gpu.case import GpuCase  # noqa: E402
from tests.gpu.kernels import atomics, contract, copies, flow, tiles, views, wide  # noqa: E402
from tests.oracle import UnsupportedByOracle  # noqa: E402

OFF = {"tl.disable_safe_memory_legalize": True}
# Compiled once more without any guard: the sanitizer must find these wrong, else it would find nothing.
CONTROLS = (
    *("words_128_float32", "marked", "atomic_add_int32", "add_float32", "five_points", "gathered", "foreign_writer"),
    *("quads_of_sums", "cp_async_8_float16_0"),
)
PER_LIBRARY = 16


def all_cases() -> list[GpuCase]:
    """Every kernel, in order."""
    return [case for module in (tiles, wide, atomics, copies, flow, views, contract) for case in module.CASES]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("build/gpu/tests"))
    parser.add_argument("--only", default="", help="kernels whose name holds this text")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    chosen = [case for case in all_cases() if given.only in case.name]
    return Bundle(given.folder).write(chosen)


class Bundle:
    """What is written, as it grows."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.arrays: dict[str, np.ndarray] = {}
        self.cases: list[dict[str, Any]] = []
        self.left_out: list[dict[str, str]] = []
        self.units: list[library.Unit] = []

    def write(self, cases: Iterable[GpuCase]) -> int:
        for case in cases:
            self.add(case)
        self.compile()
        np.savez_compressed(self.folder / "arrays.npz", **self.arrays)  # type: ignore[arg-type]
        text = json.dumps({"cases": self.cases, "left_out": self.left_out}, indent=1)
        (self.folder / "cases.json").write_text(text)
        print(f"{len(self.cases)} kernels in {self.folder}, {len(self.left_out)} left out")
        for one in self.left_out:
            print(f"left out {one['name']}: {one['why']}")
        return 0

    def add(self, case: GpuCase) -> None:
        """Lowers one kernel with our pass and, for a control, once more with none; records its runs."""
        try:
            runs = [self.run(f"{case.name}.{at}", *one) for at, one in enumerate(case.runs())]
            self.units.append(library.unit(case.make(), case.name, "ours", case.configs))
        except UnsupportedByOracle as error:
            self.left_out.append(
                {"name": case.name, "covers": case.covers, "why": f"the oracle does not run it: {error}"}
            )
            return
        except Exception as error:
            words = str(error).strip().splitlines() or [type(error).__name__]
            self.left_out.append({"name": case.name, "covers": case.covers, "why": words[-1][:300]})
            return
        self.record(case, case.name, runs, control=False)
        if case.name in CONTROLS:
            name = f"{case.name}_unguarded"
            self.units.append(library.unit(case.make(), name, "tilelang", {**case.configs, **OFF}))
            self.record(case, name, runs, control=True)

    def record(self, case: GpuCase, name: str, runs: list[Any], control: bool) -> None:
        arguments = list(self.units[-1].arguments)
        self.cases.append(
            {
                "name": name,
                "covers": case.covers,
                "control": control,
                "arguments": arguments,
                "tolerance": case.tolerance,
                "runs": runs,
            }
        )

    def run(self, key: str, env: Any, args: dict[str, Any], expected: dict[str, np.ndarray]) -> dict[str, Any]:
        buffers = {}
        for name, value in args.items():
            if np.isscalar(value):
                continue
            array = np.ascontiguousarray(value)
            want = np.ascontiguousarray(expected[name]).astype(array.dtype)
            assert want.shape == array.shape, f"{key}: {name} has shape {array.shape}, the answer {want.shape}"
            self.arrays[f"{key}.{name}.in"] = array.reshape(-1).view(np.uint8)
            self.arrays[f"{key}.{name}.out"] = want.reshape(-1).view(np.uint8)
            buffers[name] = {"dtype": str(array.dtype), "shape": list(array.shape)}
        return {"key": key, "env": {name: int(value) for name, value in env.items()}, "buffers": buffers}

    def compile(self) -> None:
        """Libraries of several kernels; one that does not compile is halved until the kernel at fault stands alone."""
        groups = [self.units[at : at + PER_LIBRARY] for at in range(0, len(self.units), PER_LIBRARY)]
        where: dict[str, str] = {}
        number = 0
        while groups:
            group = groups.pop(0)
            path = self.folder / f"kernels{number}.so"
            try:
                library.compile_library(group, path)
                where |= {one.name: path.name for one in group}
                number += 1
            except subprocess.CalledProcessError as error:
                if len(group) > 1:
                    groups[:0] = [group[: len(group) // 2], group[len(group) // 2 :]]
                    continue
                problem = next((line for line in error.stderr.splitlines() if "error" in line), error.stderr[:200])
                self.left_out.append({"name": group[0].name, "covers": "", "why": f"nvcc: {problem}"})
        self.cases = [case | {"library": where[case["name"]]} for case in self.cases if case["name"] in where]


if __name__ == "__main__":
    sys.exit(main())
