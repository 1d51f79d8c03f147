# mypy: disable-error-code="import-untyped, untyped-decorator"
"""The same works as masked Triton kernels, as its tutorials write them; strides and lengths as it specialises them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.language as tl


@triton.jit
def _add(a, b, c, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(c + at, tl.load(a + at, mask=mask) + tl.load(b + at, mask=mask), mask=mask)


@triton.jit
def _chain(a, b, c, y, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    left, right = tl.load(a + at, mask=mask).to(tl.float32), tl.load(b + at, mask=mask).to(tl.float32)
    tl.store(y + at, tl.exp(left + right * tl.load(c + at, mask=mask)).to(tl.float16), mask=mask)


@triton.jit
def _scale(x, y, m, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):  # type: ignore[no-untyped-def]
    i = tl.program_id(1) * ROWS + tl.arange(0, ROWS)[:, None]
    j = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    mask = (i < m) & (j < n)
    tl.store(y + i * n + j, tl.load(x + i * n + j, mask=mask) * 2, mask=mask)


@triton.jit
def _stencil(x, y, m, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):  # type: ignore[no-untyped-def]
    i = tl.program_id(1) * ROWS + tl.arange(0, ROWS)[:, None]
    j = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    mask = (i < m) & (j < n)
    at = x + i * n + j
    total = tl.load(at, mask=mask) * 4.0
    total -= tl.load(at - n, mask=mask & (i >= 1), other=0.0)
    total -= tl.load(at + n, mask=mask & (i + 1 < m), other=0.0)
    total -= tl.load(at - 1, mask=mask & (j >= 1), other=0.0)
    total -= tl.load(at + 1, mask=mask & (j + 1 < n), other=0.0)
    tl.store(y + i * n + j, total, mask=mask)


@triton.jit
def _softmax(x, y, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    row, j = tl.program_id(0), tl.arange(0, BLOCK)
    mask = j < n
    values = tl.load(x + row * n + j, mask=mask, other=-float("inf")).to(tl.float32)
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(y + row * n + j, (powers / tl.sum(powers, axis=0)).to(tl.float16), mask=mask)


@triton.jit
def _rmsnorm(x, w, y, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    row, j = tl.program_id(0), tl.arange(0, BLOCK)
    mask = j < n
    values = tl.load(x + row * n + j, mask=mask, other=0.0).to(tl.float32)
    scale = 1.0 / tl.sqrt(tl.sum(values * values, axis=0) / n + 1e-6)
    tl.store(y + row * n + j, (values * scale * tl.load(w + j, mask=mask).to(tl.float32)).to(tl.float16), mask=mask)


@triton.jit
def _paged(cache, table, y, seq, pages, entries, ROWS: tl.constexpr):  # type: ignore[no-untyped-def]
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    j = tl.arange(0, 1024)[None, :]
    inside = i < seq
    page = tl.load(table + i // 16, mask=inside & (i // 16 < entries), other=0)
    there = inside & (page >= 0) & (page < pages)
    values = tl.load(cache + (page * 16 + i % 16) * 1024 + j, mask=there, other=0.0)
    tl.store(y + i * 1024 + j, values, mask=inside)


def _lines(block_bytes: int = 4096) -> Callable[[dict[str, torch.Tensor]], Any]:
    def run(given: dict[str, torch.Tensor]) -> None:
        a, n = given["a"], given["a"].numel()
        block = block_bytes // a.element_size()
        _add[(triton.cdiv(n, block),)](a, given["b"], given["c"], n, BLOCK=block, num_warps=8)

    return run


def _run_chain(given: dict[str, torch.Tensor]) -> None:
    n = given["a"].numel()
    _chain[(triton.cdiv(n, 2048),)](given["a"], given["b"], given["c"], given["y"], n, BLOCK=2048, num_warps=8)


def _planes(kernel: Any, rows: int, columns: int) -> Callable[[dict[str, torch.Tensor]], None]:
    def run(given: dict[str, torch.Tensor]) -> None:
        m, n = given["x"].shape
        grid = (triton.cdiv(n, columns), triton.cdiv(m, rows))
        kernel[grid](given["x"], given["y"], m, n, ROWS=rows, COLUMNS=columns, num_warps=4)

    return run


def _run_softmax(given: dict[str, torch.Tensor]) -> None:
    m, n = given["x"].shape
    _softmax[(m,)](given["x"], given["y"], n, BLOCK=8192, num_warps=8)


def _run_rmsnorm(given: dict[str, torch.Tensor]) -> None:
    m, n = given["x"].shape
    _rmsnorm[(m,)](given["x"], given["w"], given["y"], n, BLOCK=8192, num_warps=8)


def _run_paged(given: dict[str, torch.Tensor]) -> None:
    seq, (pages, entries) = given["y"].shape[0], (given["cache"].shape[0], given["table"].shape[0])
    _paged[(triton.cdiv(seq, 8),)](given["cache"], given["table"], given["y"], seq, pages, entries, ROWS=8, num_warps=4)


LAUNCH: dict[str, Callable[[dict[str, torch.Tensor]], Any]] = {
    "add": _lines(),
    "chain": _run_chain,
    "scale": _planes(_scale, 64, 128),
    "stencil": _planes(_stencil, 32, 128),
    "softmax": _run_softmax,
    "rmsnorm": _run_rmsnorm,
    "paged": _run_paged,
}
