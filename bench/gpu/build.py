"""Compiles what is timed, with our pass and with TileLang's: `python -m bench.gpu.build [FOLDER]`. No GPU is needed.

The folder gets libraries (tests/gpu/library.py) and bench.json: rows of a table, each with its variants.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ["TILELANG_DISABLE_CACHE"] = "1"
os.environ.setdefault("TILELANG_PRINT_ON_COMPILATION", "0")

import tileguard

tileguard.load()

from bench.gpu import kernels  # noqa: E402
from tests.gpu import library  # noqa: E402

PER_LIBRARY = 12
Shape = dict[str, int]
N = 2**26
LINES: tuple[Shape, ...] = ({"n": N}, {"n": N + 8}, {"n": N + 3})
PLANES: tuple[Shape, ...] = ({"m": 8192, "n": 8192}, {"m": 8191, "n": 8184}, {"m": 8191, "n": 8191})
PAGES: tuple[Shape, ...] = (
    {"seq": 65536, "pages": 4096, "entries": 4096},
    {"seq": 65531, "pages": 4096, "entries": 4096},
)
CUBES: tuple[Shape, ...] = (
    {"m": 4096, "n": 4096, "k": 4096},
    {"m": 4095, "n": 4088, "k": 4088},
    {"m": 4095, "n": 4095, "k": 4095},
)


@dataclass
class Work:
    """One kernel: its maker by sizes, the shapes, whether it has a form under `T.assume(n % 8 == 0)`."""

    name: str
    make: Callable[..., Any]
    shapes: tuple[Shape, ...]
    eights: bool = False
    static: bool = True
    fixed: dict[str, Any] = field(default_factory=dict)


WORKS = (
    *(Work(f"add {dtype}", kernels.add, LINES, fixed={"dtype": dtype}) for dtype in kernels.BYTES),
    Work("chain", kernels.chain, LINES),
    Work("scale", kernels.scale, PLANES, eights=True),
    Work("stencil", kernels.stencil, PLANES, eights=True),
    Work("softmax", kernels.softmax, PLANES, eights=True),
    Work("rmsnorm", kernels.rmsnorm, PLANES, eights=True),
    Work("paged", kernels.paged, PAGES),
    Work("gemm", kernels.gemm, CUBES, eights=True),
)


class Bundle:
    """Everything made so far."""

    def __init__(self) -> None:
        self.units: list[library.Unit] = []
        self.refused: dict[str, str] = {}
        self.rows: list[dict[str, Any]] = []

    def variant(self, label: str, name: str, func: Callable[[], Any], maker: str) -> dict[str, Any] | None:
        """Lowers once; a kernel that does not lower is noted under its label."""
        known = next((unit for unit in self.units if unit.name == name), None)
        if known is None and name not in self.refused:
            try:
                known = library.unit(func(), name, maker)
                self.units.append(known)
            except Exception as error:
                self.refused[name] = (str(error).strip().splitlines() or [type(error).__name__])[-1][:160]
        if known is None:
            return {"label": label, "refused": self.refused[name]}
        return {"label": label, "symbol": name, "arguments": list(known.arguments)}

    def add(self, work: Work) -> None:
        key = work.name.replace(" ", "_")
        dims = dict.fromkeys(work.shapes[0])
        for at, shape in enumerate(work.shapes):
            eighth = work.eights and all(shape[dim] % 8 == 0 for dim in ("n", "k") if dim in shape)
            variants = []
            for maker in ("ours", "tilelang"):
                if work.static:
                    variants.append(self._made(work, f"{maker} static", f"{key}_{maker}_s{at}", shape, maker))
                variants.append(self._made(work, f"{maker} dynamic", f"{key}_{maker}_dyn", dims, maker))
                if eighth:
                    variants.append(
                        self._made(
                            work,
                            f"{maker} dynamic, n % 8 == 0",
                            f"{key}_{maker}_eights",
                            {**dims, "eights": True},
                            maker,
                        )
                    )
            aligned = self._made(work, "tilelang static aligned", f"{key}_tilelang_s0", work.shapes[0], "tilelang")
            self.rows.append(
                {
                    "work": work.name,
                    "shape": shape,
                    "aligned_shape": work.shapes[0],
                    "variants": variants,
                    "aligned": aligned,
                }
            )

    def _made(self, work: Work, label: str, name: str, sizes: dict[str, Any], maker: str) -> Any:
        return self.variant(label, name, lambda: work.make(**sizes, **work.fixed), maker)

    def compile(self, folder: Path) -> None:
        where: dict[str, str] = {}
        for number, at in enumerate(range(0, len(self.units), PER_LIBRARY)):
            path = folder / f"bench{number}.so"
            try:
                library.compile_library(self.units[at : at + PER_LIBRARY], path)
            except subprocess.CalledProcessError as error:
                raise SystemExit(f"nvcc refuses {path.with_suffix('.cu')}: {error.stderr[-800:]}") from error
            where |= {unit.name: path.name for unit in self.units[at : at + PER_LIBRARY]}
        text = json.dumps({"rows": self.rows, "libraries": where}, indent=1)
        (folder / "bench.json").write_text(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("build/gpu/bench"))
    parser.add_argument("--only", default="", help="works whose name holds this text")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    bundle = Bundle()
    for work in WORKS:
        if given.only in work.name:
            bundle.add(work)
    bundle.compile(given.folder)
    print(f"{len(bundle.units)} kernels for {len(bundle.rows)} rows in {given.folder}")
    for name, why in bundle.refused.items():
        print(f"does not lower: {name}: {why}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
