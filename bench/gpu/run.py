"""Times what `bench.gpu.build` made, on the machine with the GPU: `python3 -m bench.gpu.run FOLDER RESULTS.json`.

Needs torch and Triton, no TileLang. Every kernel's output is compared with torch's first. All variants of a row are
timed in turn within each batch, over several sets of buffers, by CUDA events; the median of the batches counts.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from bench.gpu import reference

BATCHES, LAUNCHES, SETS = 25, 8, 4
SCALARS = {"int32": ctypes.c_int32, "int64": ctypes.c_int64}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    plan = json.loads((given.folder / "bench.json").read_text())
    libraries = {name: ctypes.CDLL(str((given.folder / name).resolve())) for name in set(plan["libraries"].values())}
    rows = []
    for row in plan["rows"]:
        if given.only not in row["work"]:
            continue
        started = time.monotonic()
        try:
            rows.append(timed_row(row, plan["libraries"], libraries))
        except (RuntimeError, torch.cuda.OutOfMemoryError) as error:
            rows.append({"work": row["work"], "shape": row["shape"], "failed": str(error)[:300], "times": {}})
        print(words(rows[-1]), f"({time.monotonic() - started:.1f} s)", flush=True)
        given.results.write_text(json.dumps({"machine": machine(), "method": method(), "rows": rows}, indent=1))
        torch.cuda.empty_cache()
    return 0


def machine() -> dict[str, str]:
    major, minor = torch.cuda.get_device_capability()
    return {
        "gpu": torch.cuda.get_device_name(),
        "capability": f"{major}.{minor}",
        "torch": torch.__version__,
        "cuda": str(torch.version.cuda),
    }


def method() -> dict[str, int]:
    return {"batches": BATCHES, "launches": LAUNCHES, "buffer_sets": SETS}


def words(row: Mapping[str, Any]) -> str:
    times = "  ".join(f"{label}={ms:.4f}" for label, ms in row["times"].items())
    wrong = "".join(f"  WRONG {label}: {why}" for label, why in row.get("wrong", {}).items())
    return f"{row['work']} {row['shape']} {times}{wrong} {row.get('failed', '')}"


def timed_row(row: Mapping[str, Any], where: Mapping[str, str], libraries: Mapping[str, Any]) -> dict[str, Any]:
    """Checks, then times, every variant of a row."""
    work, shape = row["work"], row["shape"]
    sets = [reference.tensors(work, shape, number) for number in range(SETS)]
    want = reference.answer(work, sets[0])
    candidates: dict[str, list[Callable[[], None]]] = {}
    wrong, refused = {}, {}
    for variant in row["variants"]:
        if "refused" in variant:
            refused[variant["label"]] = variant["refused"]
            continue
        library = libraries[where[variant["symbol"]]]
        candidates[variant["label"]] = [launcher(library, variant, one, shape) for one in sets]
    for label, function in reference.peers(work).items():
        candidates[label] = [bound(function, one) for one in sets]
    for label in list(candidates):
        problem = checked(candidates[label][0], sets[0], want, work)
        if problem:
            wrong[label] = problem
            del candidates[label]
    # The aligned kernel runs on its own, aligned, buffers.
    aligned = row["aligned"]
    if row["aligned_shape"] != shape and "symbol" in aligned:
        own = [reference.tensors(work, row["aligned_shape"], number) for number in range(SETS)]
        library = libraries[where[aligned["symbol"]]]
        candidates["tilelang static aligned"] = [launcher(library, aligned, one, row["aligned_shape"]) for one in own]
    samples = timed(candidates)
    times = {label: statistics.median(values) for label, values in samples.items()}
    if row["aligned_shape"] == shape and "tilelang static" in times:
        times["tilelang static aligned"] = times["tilelang static"]
    spread = {label: round(max(values) / min(values), 3) for label, values in samples.items()}
    return {"work": work, "shape": shape, "times": times, "spread": spread, "wrong": wrong, "refused": refused}


def launcher(
    library: Any, variant: Mapping[str, Any], tensors: Mapping[str, torch.Tensor], shape: Mapping[str, int]
) -> Callable[[], None]:
    """A call of the compiled kernel on given tensors, in torch's stream."""
    name = variant["symbol"]
    if getattr(library, f"{name}_init")() != 0:
        raise RuntimeError(f"{name}: {last_error(library, name)}")
    call = getattr(library, f"{name}_call")
    values = [
        ctypes.c_void_p(tensors[what].data_ptr()) if kind == "buffer" else SCALARS[kind](shape[what])
        for what, kind in variant["arguments"]
    ]
    values.append(ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))

    def run() -> None:
        if call(*values) != 0:
            raise RuntimeError(f"{name}: {last_error(library, name)}")

    return run


def bound(function: Callable[..., None], tensors: Mapping[str, torch.Tensor]) -> Callable[[], None]:
    return lambda: function(tensors)


def last_error(library: Any, name: str) -> str:
    function = getattr(library, f"{name}_get_last_error")
    function.restype = ctypes.c_char_p
    return str(function().decode())


def checked(run: Callable[[], None], tensors: Mapping[str, torch.Tensor], want: torch.Tensor, work: str) -> str:
    """Poisons the output, runs once, compares; returns what is wrong."""
    got = tensors[reference.OUTPUT[work.split()[0]]]
    got.fill_(float("nan") if got.is_floating_point() else 77)
    try:
        run()
    except RuntimeError as error:
        return str(error)[:200]
    torch.cuda.synchronize()
    return reference.difference(got, want, work)


def timed(candidates: Mapping[str, list[Callable[[], None]]]) -> dict[str, list[float]]:
    """Milliseconds a launch, one number a batch."""
    samples: dict[str, list[float]] = {label: [] for label in candidates}
    for batch in range(-3, BATCHES):
        for label, runs in candidates.items():
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            torch.cuda._sleep(600_000)  # the host gets ahead: launches are not waited for
            start.record()
            for launch in range(LAUNCHES):
                runs[launch % len(runs)]()
            end.record()
            end.synchronize()
            if batch >= 0:
                samples[label].append(start.elapsed_time(end) / LAUNCHES)
    return samples


if __name__ == "__main__":
    sys.exit(main())
