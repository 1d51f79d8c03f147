"""Writes docs/bench/gpu.md from what `bench.gpu.run` measured: `python -m bench.gpu.report docs/bench/gpu.json`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ALIGNED = "tilelang static aligned"
COLUMNS = (
    *("ours static", "ours dynamic", "ours dynamic, n % 8 == 0"),
    *("tilelang static", "tilelang dynamic", "tilelang dynamic, n % 8 == 0", "triton", "torch"),
)
TARGET = 1.03
INTRODUCTION = """# Kernels of ragged shapes on a GPU

Measured on {gpu} (torch {torch}, CUDA {cuda}), everything in one run. Made with

```
python -m bench.gpu.build build/gpu/bench                     # here: needs nvcc, no GPU
python3 -m bench.gpu.run build/gpu/bench docs/bench/gpu.json  # on the GPU: needs torch and Triton, no TileLang
python -m bench.gpu.report docs/bench/gpu.json
```

Medians of {batches} batches of {launches} launches by CUDA events, all variants of a row in turn within each batch,
over {buffer_sets} sets of buffers. Every output was compared with torch's before it was timed. The first column of
numbers is milliseconds of TileLang's own static kernel for the aligned shape (the first shape of each work); the others
are times as multiples of it, so smaller is better. "n % 8 == 0" stands for `T.assume(n % 8 == 0)` (for the product also
of k).
"""


def main() -> int:
    source = Path(sys.argv[1])
    measured = json.loads(source.read_text())
    text = INTRODUCTION.format(**measured["machine"], **measured["method"])
    text += "\n" + "\n".join(table(measured["rows"])) + "\n\n" + "\n".join(summary(measured["rows"])) + "\n"
    source.with_suffix(".md").write_text(text)
    print(text)
    return 0


def table(rows: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    yield (
        "| work | shape | aligned, ms | " + " | ".join(name.replace("tilelang", "TileLang") for name in COLUMNS) + " |"
    )
    yield "| --- | --- | ---: |" + " ---: |" * len(COLUMNS)
    for row in rows:
        base = row["times"].get(ALIGNED)
        shape = " x ".join(str(value) for name, value in row["shape"].items() if name not in ("pages", "entries"))
        cells = [cell(row, name, base) for name in COLUMNS]
        start = f"| {row['work']} | {shape} | "
        yield f"{start}{base:.4f} | {' | '.join(cells)} |" if base else f"{start}failed |"


def named(row: Mapping[str, Any]) -> str:
    """A work and its sizes in words."""
    return f"{row['work']} {' x '.join(str(size) for size in row['shape'].values())}"


def cell(row: Mapping[str, Any], name: str, base: float | None) -> str:
    if name in row.get("wrong", {}):
        return "wrong"
    if name in row.get("refused", {}):
        return "does not compile"
    time = row["times"].get(name)
    return f"{time / base:.2f}" if time and base else "-"


def summary(rows: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    rows = list(rows)
    adds = [(row, name) for row in rows if row["work"].startswith("add") for name in ("ours static", "ours dynamic")]
    ratios = [row["times"][name] / row["times"][ALIGNED] for row, name in adds if name in row["times"]]
    if ratios:
        within = f"{sum(ratio <= TARGET for ratio in ratios)} of {len(ratios)} within {TARGET}"
        yield f"1-D add, ours against the aligned static kernel: {within}, worst {max(ratios):.3f}."
        yield ""
    pairs = [
        (
            row["times"][f"ours {kind}"] / row["times"][f"tilelang {kind}"],
            f"{named(row)}, {kind}",
        )
        for row in rows
        for kind in ("static", "dynamic", "dynamic, n % 8 == 0")
        if f"ours {kind}" in row["times"] and f"tilelang {kind}" in row["times"]
    ]
    if pairs:
        faster, slower = sum(ratio < 0.97 for ratio, _ in pairs), [pair for pair in pairs if pair[0] > TARGET]
        yield f"Ours against TileLang's pass on the same kernel, {len(pairs)} pairs: faster by over 3 % in {faster},"
        yield f"slower by over 3 % in {len(slower)}."
        for ratio, which in sorted(slower, reverse=True):
            yield f"- slower: {which}: {ratio:.2f}"


if __name__ == "__main__":
    sys.exit(main())
