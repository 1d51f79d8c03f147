"""Runs what `tests.gpu.build` made, on the machine with the GPU: `python3 -m tests.gpu.run FOLDER RESULTS.json`.

Each kernel has a process of its own under compute-sanitizer's memcheck, as one that leaves its buffers takes its CUDA
context with it. Every shape runs three times: with allocations of exactly the tensors' sizes, where the sanitizer sees
any access behind or in front, and twice between bands of a canary that must not change. Needs numpy and nothing else.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from tests.gpu.device import BAND, Buffer, CudaError, Device

SCALARS = {"int32": ctypes.c_int32, "int64": ctypes.c_int64, "uint32": ctypes.c_uint32, "float32": ctypes.c_float}
LAYOUTS = ((0, 0), (BAND, 0xA5), (BAND, 0x3C))
SANITIZER = (
    *("compute-sanitizer", "--tool", "memcheck", "--report-api-errors", "no", "--padding", "512"),
    *("--print-limit", "3", "--launch-timeout", "120"),
)
PROCESSES = 10


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--plain", action="store_true", help="without the sanitizer")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    cases = json.loads((given.folder / "cases.json").read_text())
    if given.child:
        return child(given.folder, next(case for case in cases["cases"] if case["name"] == given.child))
    started = time.monotonic()
    with ThreadPoolExecutor(PROCESSES) as pool:
        results = list(pool.map(lambda case: watched(given.folder, case, given.plain), cases["cases"]))
    summary = {"results": results, "left_out": cases["left_out"], "seconds": round(time.monotonic() - started, 1)}
    given.results.write_text(json.dumps({**summary, "sanitizer": not given.plain}, indent=1))
    return report(results)


def report(results: list[dict[str, Any]]) -> int:
    bad = [one for one in results if not one["right"]]
    for one in bad:
        print(f"FAILED {one['name']}: {one['problem']} {one['log'][:600]}")
    shapes = sum(one["shapes"] for one in results)
    print(f"{len(results)} kernels, {shapes} shapes, {len(bad)} kernels wrong")
    return 1 if bad else 0


def watched(folder: Path, case: Mapping[str, Any], plain: bool) -> dict[str, Any]:
    """One kernel in a process of its own: what it said, what the sanitizer said, and whether that is right."""
    command = [sys.executable, "-m", "tests.gpu.run", str(folder), "-", "--child", case["name"]]
    try:
        done = subprocess.run(
            [*(() if plain else SANITIZER), *command], capture_output=True, text=True, timeout=240, check=False
        )
        text, problem = done.stdout + done.stderr, ""
    except subprocess.TimeoutExpired:
        text, problem = "", "ran for 240 seconds"
    said = re.search(r"^CHILD (.*)$", text, re.MULTILINE)
    problem = problem or (
        json.loads(said[1])["problem"] if said else "died: " + " | ".join(text.strip().splitlines()[-3:])
    )
    counted = re.search(r"ERROR SUMMARY: (\d+) error", text)
    errors = int(counted[1]) if counted else (0 if plain else -1)
    clean = not problem and errors == 0
    return {
        "name": case["name"],
        "covers": case["covers"],
        "control": case["control"],
        "shapes": len(case["runs"]),
        "problem": problem,
        "errors": errors,
        "right": (errors > 0 or (plain and bool(problem))) if case["control"] else clean,
        "log": "" if clean else "\n".join(line for line in text.splitlines() if not line.startswith("CHILD"))[:3000],
    }


def child(folder: Path, case: Mapping[str, Any]) -> int:
    """Runs one kernel on all its shapes and prints the first thing wrong, or nothing."""
    arrays = np.load(folder / "arrays.npz")
    problem = ""
    try:
        device = Device()
        library = ctypes.CDLL(str((folder / case["library"]).resolve()))
        if getattr(library, f"{case['name']}_init")() != 0:
            raise CudaError(last_error(library, case["name"]))
        for run in case["runs"]:
            for band, canary in LAYOUTS:
                problem = run_once(device, library, case, run, arrays, band, canary)
                if problem:
                    raise CudaError(f"{run['env']}: {problem}")
    except CudaError as error:
        problem = str(error)
    print("CHILD " + json.dumps({"problem": problem}))
    return 1 if problem else 0


def last_error(library: Any, name: str) -> str:
    function = getattr(library, f"{name}_get_last_error")
    function.restype = ctypes.c_char_p
    return str(function().decode())


def run_once(
    device: Device, library: Any, case: Mapping[str, Any], run: Mapping[str, Any], arrays: Any, band: int, canary: int
) -> str:
    """One launch; returns what is wrong with it."""
    buffers = {name: Buffer(device, arrays[f"{run['key']}.{name}.in"], band, canary) for name in run["buffers"]}
    given = [
        buffers[name].pointer if kind == "buffer" else SCALARS[kind](run["env"][name])
        for name, kind in case["arguments"]
    ]
    status = getattr(library, f"{case['name']}_call")(*given, ctypes.c_void_p(0))
    error = last_error(library, case["name"]) if status != 0 else ""
    # A grid of no blocks is refused; where nothing is to be written that is as good as a launch.
    idle = all(
        np.array_equal(arrays[f"{run['key']}.{name}.in"], arrays[f"{run['key']}.{name}.out"]) for name in run["buffers"]
    )
    if error and not (idle and re.search("cudaErrorInvalid(Configuration|Value)", error)):
        return f"launch failed: {error}"
    device.synchronize()
    problems = [
        wrong
        for name, about in run["buffers"].items()
        if (wrong := difference(buffers[name].read(), arrays[f"{run['key']}.{name}.out"], about, case["tolerance"]))
    ]
    problems += [f"{name}: wrote outside" for name, buffer in buffers.items() if band and buffer.band_changed()]
    for buffer in buffers.values():
        buffer.free()
    return "; ".join(problems)


def difference(got: np.ndarray, want: np.ndarray, about: Mapping[str, Any], tolerance: float) -> str:
    """Compares bytes bit for bit, or numbers within a tolerance."""
    dtype, size = about["dtype"], int(np.prod(about["shape"], dtype=np.int64))
    if size == 0:
        return ""
    if tolerance == 0:
        wrong = (got != want).reshape(size, -1).any(axis=1)
    else:
        left, right = (array.view(dtype).astype(np.float64) for array in (got, want))
        wrong = ~(np.abs(left - right) <= tolerance * max(1e-30, float(np.abs(right).max())))
    if not wrong.any():
        return ""
    at = int(np.flatnonzero(wrong)[0])
    if dtype == "bfloat16":
        return f"{int(wrong.sum())} of {size} differ, the first at {at}"
    return f"{int(wrong.sum())} of {size} differ, at {at}: {got.view(dtype)[at]} for {want.view(dtype)[at]}"


if __name__ == "__main__":
    sys.exit(main())
