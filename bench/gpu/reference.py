"""What each work computes by torch, its tensors, and the Triton kernels it is compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from bench.gpu import triton_kernels

Tensors = dict[str, torch.Tensor]
OUTPUT = {
    "add": "c",
    "chain": "y",
    "scale": "y",
    "stencil": "y",
    "softmax": "y",
    "rmsnorm": "y",
    "paged": "y",
    "gemm": "c",
}
# Largest error beside the largest magnitude; what is not named here is compared bit for bit.
TOLERANCE = {"chain": 2e-3, "stencil": 1e-6, "softmax": 2e-3, "rmsnorm": 2e-3, "gemm": 2e-3}


def tensors(work: str, shape: Mapping[str, int], seed: int) -> Tensors:
    """Fresh random inputs and an output."""
    generator = torch.Generator(device="cuda").manual_seed(seed + 1)

    def normal(*dims: int, dtype: torch.dtype = torch.float16) -> torch.Tensor:
        return torch.randn(dims, generator=generator, device="cuda", dtype=torch.float32).to(dtype)

    kind, _, dtype_name = work.partition(" ")
    if kind == "add":
        dtype = getattr(torch, dtype_name)
        n = shape["n"]
        if dtype == torch.int8:
            ints = [torch.randint(-60, 60, (n,), generator=generator, device="cuda", dtype=dtype) for _ in range(2)]
            return {"a": ints[0], "b": ints[1], "c": torch.empty_like(ints[0])}
        a = normal(n, dtype=dtype)
        return {"a": a, "b": normal(n, dtype=dtype), "c": torch.empty_like(a)}
    if kind == "chain":
        n = shape["n"]
        a = normal(n)
        return {"a": a, "b": normal(n), "c": normal(n, dtype=torch.float32), "y": torch.empty_like(a)}
    if kind == "paged":
        cache = normal(shape["pages"], 16, 1024)
        order = torch.randperm(shape["pages"], generator=generator, device="cuda")
        table = order.to(torch.int32)[: shape["entries"]]
        table[::97] = -1
        return {
            "cache": cache,
            "table": table,
            "y": torch.empty(shape["seq"], 1024, device="cuda", dtype=torch.float16),
        }
    if kind == "gemm":
        m, n, k = shape["m"], shape["n"], shape["k"]
        return {"a": normal(m, k), "b": normal(k, n), "c": torch.empty(m, n, device="cuda", dtype=torch.float16)}
    x = normal(shape["m"], shape["n"], dtype=torch.float32 if kind == "stencil" else torch.float16)
    made = {"x": x, "y": torch.empty_like(x)}
    return made | {"w": normal(shape["n"])} if kind == "rmsnorm" else made


def answer(work: str, given: Tensors) -> torch.Tensor:
    """The right output, in single precision or better where it rounds."""
    kind = work.split()[0]
    if kind == "add":
        return given["a"] + given["b"]
    if kind == "chain":
        return torch.exp(given["a"].float() + given["b"].float() * given["c"]).half()
    if kind == "scale":
        return given["x"] * 2
    if kind == "stencil":
        x = given["x"]
        wide = torch.nn.functional.pad(x, (1, 1, 1, 1))
        return 4 * x - wide[:-2, 1:-1] - wide[2:, 1:-1] - wide[1:-1, :-2] - wide[1:-1, 2:]
    if kind == "softmax":
        return torch.softmax(given["x"].float(), dim=1).half()
    if kind == "rmsnorm":
        x = given["x"].float()
        return (x * torch.rsqrt((x * x).mean(dim=1, keepdim=True) + 1e-6) * given["w"].float()).half()
    if kind == "paged":
        at = torch.arange(given["y"].shape[0], device="cuda")
        page = given["table"].long()[at // 16]
        rows = given["cache"][page.clamp(min=0), at % 16]
        return torch.where((page >= 0)[:, None], rows, torch.zeros_like(rows))
    return given["a"] @ given["b"]


def difference(got: torch.Tensor, want: torch.Tensor, work: str) -> str:
    """What is wrong with an output; empty when nothing is."""
    kind = work.split()[0]
    if kind not in TOLERANCE:
        wrong = got != want
    else:
        finite = torch.where(torch.isfinite(want), want, torch.zeros_like(want)).float()
        allowed = (
            TOLERANCE[kind] * finite.abs().max() if kind != "chain" else TOLERANCE[kind] * want.float().abs() + 1e-6
        )
        same = got.eq(want)
        wrong = ~(((got.float() - want.float()).abs() <= allowed) | same)
    count = int(wrong.sum())
    if count == 0:
        return ""
    at = int(wrong.reshape(-1).nonzero()[0])
    return f"{count} differ, at {at}: {got.reshape(-1)[at].item()} for {want.reshape(-1)[at].item()}"


def peers(work: str) -> dict[str, Callable[[Tensors], Any]]:
    """Triton's masked kernel and torch's own, where there is one."""
    kind = work.split()[0]
    found: dict[str, Callable[[Tensors], Any]] = {}
    if kind in triton_kernels.LAUNCH:
        found["triton"] = triton_kernels.LAUNCH[kind]
    if kind in TORCH:
        found["torch"] = TORCH[kind]
    return found


TORCH: dict[str, Callable[[Tensors], Any]] = {
    "add": lambda given: torch.add(given["a"], given["b"], out=given["c"]),
    "scale": lambda given: torch.mul(given["x"], 2, out=given["y"]),
    "softmax": lambda given: torch.softmax(given["x"], 1, out=given["y"]),
    "gemm": lambda given: torch.mm(given["a"], given["b"], out=given["c"]),
}
