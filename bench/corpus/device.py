"""Makes torch say that a CUDA device is there. Nothing is ever launched on it.

`arrive()` must run before TileLang is imported: its test helpers decide at import which tests a machine can run.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch
import torch._dynamo.trace_rules  # lists torch's functions when imported, so before any is replaced

SILENT = (
    *("init", "_lazy_init", "synchronize", "empty_cache", "ipc_collect", "set_device", "set_stream"),
    *("manual_seed", "manual_seed_all", "seed", "seed_all"),
    *("reset_peak_memory_stats", "reset_max_memory_allocated"),
)
OBJECTS = ("Stream", "Event", "CUDAGraph", "ExternalStream", "device", "device_of", "graph", "stream")

_capability = (9, 0)


def capability() -> tuple[int, int]:
    """Compute capability of the pretended device, (major, minor)."""
    return _capability


def pretend(major: int, minor: int) -> None:
    """Changes the device for what is compiled from here on."""
    global _capability
    _capability = (major, minor)


def arch() -> str:
    """The pretended device as TileLang's targets name it."""
    return f"sm_{_capability[0]}{_capability[1]}"


def _properties(*_: Any, **__: Any) -> SimpleNamespace:
    """Limits of the pretended device; sizes in bytes. Scripts choose tile sizes and grids by them."""
    major, minor = _capability
    large = major >= 9
    return SimpleNamespace(
        name="pretended",
        major=major,
        minor=minor,
        multi_processor_count=132 if large else 108,
        total_memory=80 << 30,
        L2_cache_size=50 << 20,
        warp_size=32,
        max_threads_per_block=1024,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=1 << 16,
        shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=(227 if large else 163) << 10,
        shared_memory_per_multiprocessor=(228 if large else 164) << 10,
        is_integrated=False,
        is_multi_gpu_board=False,
        gcnArchName="",
        uuid="pretended",
    )


class _Anything:
    """Stands for streams, events, graphs and device contexts: every method exists and does nothing."""

    cuda_stream = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __enter__(self) -> _Anything:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _nothing

    @staticmethod
    def elapsed_time(_: Any) -> float:
        return 1.0


def _nothing(*_: Any, **__: Any) -> None:
    return None


def arrive() -> None:
    """Replaces torch.cuda's questions and commands by answers and silence."""
    cuda: Any = torch.cuda
    answers: dict[str, Any] = {
        "is_available": True,
        "is_initialized": True,
        "is_bf16_supported": True,
        "device_count": 1,
        "current_device": 0,
        "get_device_name": "pretended",
        "memory_allocated": 0,
        "max_memory_allocated": 0,
        "memory_reserved": 0,
        "max_memory_reserved": 0,
        "mem_get_info": (70 << 30, 80 << 30),
        "graph_pool_handle": (0, 0),
    }
    for name, answer in answers.items():
        setattr(cuda, name, lambda *_, _answer=answer, **__: _answer)
    cuda.get_device_properties = _properties
    cuda.get_device_capability = lambda *_, **__: _capability
    cuda.get_arch_list = lambda: [arch()]
    for name in SILENT:
        setattr(cuda, name, _nothing)
    for name in OBJECTS:
        setattr(cuda, name, _Anything)
    cuda.current_stream = cuda.default_stream = _Anything
    cuda.nvtx = SimpleNamespace(
        range_push=_nothing, range_pop=_nothing, mark=_nothing, range=lambda *_, **__: _Anything()
    )
    torch.set_num_threads(1)
