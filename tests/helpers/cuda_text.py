"""Reading generated CUDA: which accesses are vectors, what stands inside which loop."""

from __future__ import annotations

import re

VECTORS = {16: r"(?:uint4|int4|float4|ulonglong2|longlong2)", 8: r"(?:uint2|int2|float2)", 4: r"(?:uint1|int)"}


def wide_accesses(kernel: str, buffer: str, width: int = 16) -> int:
    """Accesses of `width` bytes through a pointer into a global buffer."""
    return len(re.findall(rf"\*\({VECTORS[width]}\*\)\({re.escape(buffer)} \+", kernel))


def scalar_accesses(kernel: str, buffer: str) -> int:
    """Accesses of one element of a buffer; an element whose address is taken is none."""
    return len(re.findall(rf"(?<!&\()(?<!\w){re.escape(buffer)}\[", kernel))


def block_after(kernel: str, opening: str) -> str:
    """What stands between the braces of the first statement that matches `opening`."""
    found = re.search(opening, kernel)
    if found is None:
        raise AssertionError(f"no {opening!r} in\n{kernel}")
    start = kernel.index("{", found.end() - 1)
    depth = 0
    for at in range(start, len(kernel)):
        depth += {"{": 1, "}": -1}.get(kernel[at], 0)
        if depth == 0:
            return kernel[start + 1 : at]
    raise AssertionError(f"no end of {opening!r}")


def loops(kernel: str, var: str) -> list[str]:
    """The bodies of the loops over `var` (and copies of it, which carry a suffix)."""
    opening = rf"for \(int {re.escape(var)}\w*? = [^{{]*\{{"
    bodies = []
    rest = kernel
    while re.search(opening, rest):
        bodies.append(block_after(rest, opening))
        rest = rest[re.search(opening, rest).end() :]  # type: ignore[union-attr]
    return bodies


def depth_of(kernel: str, text: str) -> int:
    """How many braces are open where `text` stands first."""
    before = kernel[: kernel.index(text)]
    return before.count("{") - before.count("}")
