"""Writes docs/gpu.md from what `tests.gpu.run` found: `python -m tests.gpu.report RESULTS.json docs/gpu.md`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

INTRODUCTION = """# Kernels on a GPU, under a memory checker

Kernels compiled for sm_90 with TileGuard's pass, run on an NVIDIA H200 under `compute-sanitizer --tool memcheck`.
Each shape is launched three times: with plain allocations of exactly the size of each tensor, and between bands of
canaries of two values on both sides, which must not change. Outputs are compared bit for bit (softmax: within 2e-6 of
the largest) with the oracle's (the kernels of tests/bugs and tests/cases) or with numpy's (the others). Shapes are
ragged: 1, around a tile, primes.

```
python -m tests.gpu.build build/gpu/tests              # here: needs nvcc, no GPU
python3 -m tests.gpu.run build/gpu/tests results.json  # on the GPU: needs numpy and compute-sanitizer, no TileLang
python -m tests.gpu.report results.json docs/gpu.md
```

Controls are kernels compiled once more with no guard at all: the sanitizer has to find errors in each.
"""


def main() -> int:
    found = json.loads(Path(sys.argv[1]).read_text())
    text = INTRODUCTION + "\n" + "\n".join(lines(found)) + "\n"
    Path(sys.argv[2]).write_text(text)
    print(text)
    return 0


def lines(found: dict[str, Any]) -> Iterable[str]:
    ours = [one for one in found["results"] if not one["control"]]
    controls = [one for one in found["results"] if one["control"]]
    clean, shapes = sum(one["right"] for one in ours), sum(one["shapes"] for one in ours)
    yield f"- {len(ours)} kernels, {shapes} shapes, {3 * shapes} launches: {clean} kernels right on all of them,"
    yield f"  {sum(max(one['errors'], 0) for one in ours)} errors found by the sanitizer."
    yield f"- {sum(one['right'] for one in controls)} of {len(controls)} controls were found out."
    if not found["sanitizer"]:
        yield "- The sanitizer was off in this run."
    for one in found["results"]:
        if not one["right"]:
            said = one["problem"] or "nothing is wrong but what the sanitizer says"
            yield f"- **{one['name']}** ({one['covers']}): {said}; {one['errors']} sanitizer errors."
    for one in found["left_out"]:
        yield f"- not run: `{one['name']}`: {one['why']}"
    yield ""
    yield "| covers | kernel | shapes | sanitizer errors | |"
    yield "| --- | --- | ---: | ---: | --- |"
    for one in found["results"]:
        verdict = ("found out" if one["control"] else "right") if one["right"] else "**wrong**"
        covers = f"control: {one['covers']}" if one["control"] else one["covers"]
        yield f"| {covers} | `{one['name']}` | {one['shapes']} | {one['errors']} | {verdict} |"


if __name__ == "__main__":
    sys.exit(main())
