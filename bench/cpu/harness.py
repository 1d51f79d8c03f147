"""Compiles one C kernel with a main function around it and counts, under callgrind, the instructions of one call."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

TOOLS = ("g++", "valgrind")
LEVELS = ("-O2", "-O0")
SYMBOL = "int32_t"

MAIN = """#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" int32_t @KERNEL@(@TYPES@);

template <typename T>
static std::vector<T> Read(const char* name, size_t count) {
  // One element more: an empty vector has no address to pass.
  std::vector<T> out(count + 1);
  FILE* file = std::fopen(name, "rb");
  if (file == nullptr || std::fread(out.data(), sizeof(T), count, file) != count) std::exit(3);
  std::fclose(file);
  return out;
}

int main(int argc, char** argv) {
@READ@
  if (@KERNEL@(@ARGUMENTS@) != 0) return 4;
  FILE* file = std::fopen("@LAST@.out", "wb");
  if (file == nullptr || std::fwrite(@LAST@.data(), @WIDTH@, @COUNT@, file) != @COUNT@) return 5;
  return std::fclose(file);
}
"""


class HarnessError(RuntimeError):
    """One sentence on what could not be compiled, run or counted."""


def missing_tools() -> list[str]:
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def prototype(source: str) -> tuple[str, list[tuple[str, str]]]:
    """Name of the kernel and its parameters as (type, name), from TileLang's generated source."""
    found = re.search(r"^int32_t (\w+)\(([^()]*)\);$", source, re.MULTILINE)
    if found is None:
        raise HarnessError("The generated source declares no function that returns int32_t.")
    parameters = []
    for text in found.group(2).split(","):
        kind, _, name = text.strip().replace("__restrict__", " ").replace("*", "* ").rpartition(" ")
        parameters.append(("".join(kind.split()), name))
    return found.group(1), parameters


def output_name(source: str) -> str:
    """The kernel's last array, which it writes."""
    return [name for kind, name in prototype(source)[1] if kind.endswith("*")][-1]


def main_text(source: str, arrays: Mapping[str, np.ndarray], shape: Mapping[str, int]) -> str:
    """A main that reads NAME.in for every array, calls the kernel once and writes the last array to NAME.out."""
    kernel, parameters = prototype(source)
    unknown = [name for _, name in parameters if name not in arrays and name not in shape]
    if unknown:
        raise HarnessError(f"{kernel} has a parameter {unknown[0]} that is neither an array nor a size.")
    reads, last = [], output_name(source)
    for kind, name in parameters:
        if name in arrays:
            element = _plain(kind, arrays[name]).removesuffix("*")
            reads.append(f'  auto {name} = Read<{element}>("{name}.in", {arrays[name].size});')
        else:
            reads.append(f"  const {SYMBOL} {name} = {shape[name]};")
    arguments = ", ".join(f"{name}.data()" if name in arrays else name for _, name in parameters)
    text = MAIN.replace("@READ@", "\n".join(reads)).replace("@KERNEL@", kernel).replace("@ARGUMENTS@", arguments)
    text = text.replace("@LAST@", last).replace("@WIDTH@", str(arrays[last].itemsize))
    # Half floats are bits here: only the kernel's own file knows TileLang's types, and C names do not tell them.
    types = ", ".join(_plain(kind, arrays.get(name)) for kind, name in parameters)
    return text.replace("@TYPES@", types).replace("@COUNT@", str(arrays[last].size))


def _plain(kind: str, array: np.ndarray | None) -> str:
    return kind if array is None else f"uint{8 * array.itemsize}_t*"


def count(
    source: str, arrays: Mapping[str, np.ndarray], shape: Mapping[str, int], level: str, folder: Path
) -> tuple[int, np.ndarray]:
    """Instructions of one call of the kernel, callees included, and its last array afterwards."""
    import tilelang.env

    kernel, last = prototype(source)[0], output_name(source)
    # A file of its own, so that the kernel is not inlined into main, where it could not be told from it.
    (folder / "main.cc").write_text(main_text(source, arrays, shape))
    (folder / "kernel.cc").write_text(source)
    for name, array in arrays.items():
        (folder / f"{name}.in").write_bytes(array.tobytes())
    include = f"-I{tilelang.env.TILELANG_TEMPLATE_PATH}"
    _run(["g++", "-std=c++17", level, include, "kernel.cc", "main.cc", "-o", "main"], folder)
    tool = ["valgrind", "-q", "--tool=callgrind", f"--toggle-collect={kernel}", "--callgrind-out-file=counts"]
    _run([*tool, "./main"], folder)
    total = re.search(r"^(?:summary|totals): (\d+)", (folder / "counts").read_text(), re.MULTILINE)
    if total is None or int(total.group(1)) == 0:
        raise HarnessError(f"callgrind counted nothing in {kernel}.")
    result = np.frombuffer((folder / f"{last}.out").read_bytes(), arrays[last].dtype).reshape(arrays[last].shape)
    return int(total.group(1)), result


def _run(command: Sequence[Any], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr.strip().splitlines() or ["nothing on stderr"])[0]
        raise HarnessError(f"{command[0]} ended with {done.returncode}: {said}")
