"""Makes TileLang lower every kernel completely, and neither compile it for a device nor launch it.

What a launch would have returned are tensors of zeros in the right shapes, so that scripts go on to their next kernel.
"""

from __future__ import annotations

import importlib
from typing import Any

import tilelang
import tilelang.testing
import torch
from tilelang import tvm
from tilelang.autotuner.tuner import AutoTuner
from tilelang.backend.target import register_target_detector
from tilelang.contrib import nvcc
from tilelang.engine.lower import lower_with_context
from tilelang.jit.adapter.base import BaseKernelAdapter
from tilelang.jit.kernel import JITKernel
from tilelang.profiler import Profiler
from tvm import tirx
from tvm.target import Target

from bench.corpus import device, tensors

TUNED = 4  # configurations kept of a script that tries many


class _Unlaunched(BaseKernelAdapter):  # type: ignore[misc]
    """A kernel that was lowered and nothing more; calling it returns its outputs, all zero."""

    def __init__(self, params: Any, out_idx: Any, artifact: Any) -> None:
        self.artifact = artifact
        self.kernel_global_source = artifact.kernel_source
        super().__init__(None, params, list(out_idx) if isinstance(out_idx, tuple) else out_idx)

    def _convert_torch_func(self) -> Any:
        return self

    def _post_init(self) -> None:
        self.func = self

    def get_kernel_source(self, kernel_only: bool = True) -> str:
        return str(self.artifact.kernel_source)

    def get_host_source(self) -> str:
        return str(self.artifact.host_mod)

    def __call__(self, *inputs: Any, **_: Any) -> Any:
        symbols = self._symbols(inputs)
        outputs = [self._output(self.params[index], symbols) for index in self.result_idx]
        return (outputs[0] if len(outputs) == 1 else outputs) if outputs else None

    def _symbols(self, inputs: Any) -> dict[str, int]:
        """Values of symbolic extents, by name, as the given tensors have them."""
        expected = [param for index, param in enumerate(self.params) if index not in self.result_idx]
        found: dict[str, int] = {}
        for param, given in zip(expected, inputs, strict=False):
            for extent, actual in zip(param.shape, getattr(given, "shape", ()), strict=False):
                if isinstance(extent, tirx.Var):
                    found[extent.name] = int(actual)
        return found

    @staticmethod
    def _output(param: Any, symbols: dict[str, int]) -> torch.Tensor:
        shape = [_value(extent, symbols) for extent in param.shape]
        try:
            dtype = param.torch_dtype()
        except Exception:  # a type torch lacks
            dtype = torch.uint8
        return tensors.zeros(shape, dtype)


def _value(extent: Any, symbols: dict[str, int]) -> int:
    if isinstance(extent, int):
        return extent
    bound = tirx.stmt_functor.substitute(
        extent, {var: tirx.IntImm(var.dtype, symbols.get(var.name, 1)) for var in tirx.analysis.undefined_vars(extent)}
    )
    simple = tvm.arith.Analyzer().simplify(bound)
    return int(simple) if isinstance(simple, tirx.IntImm) else 1


def _lower_only(self: Any, func: Any, pass_configs: Any, _: Any) -> Any:
    with tvm.transform.PassContext(opt_level=3, config=pass_configs), self.target:
        return lower_with_context(func, self.backend_context)


def _unlaunched(_: Any, __: Any, out_idx: Any, artifact: Any, *___: Any) -> Any:
    return _Unlaunched(artifact.params, out_idx, artifact)


def _some_configurations(run: Any) -> Any:
    def limited(self: Any, *args: Any, **kwargs: Any) -> Any:
        if callable(self.configs):
            positional, named = self._kernel_parameters
            self.configs = self.configs(*positional, **dict(named))
        every = list(self.configs)
        step = max(1, -(-len(every) // TUNED))
        self.configs = every[::step]
        return run(self, *args, **{**kwargs, "enable_grouped_compile": False})

    return limited


def _run_once(timed: Any, *_: Any, quantiles: Any = None, **__: Any) -> Any:
    """In place of a benchmark: the function runs once, since it may compile kernels."""
    timed()
    return [1.0] * len(quantiles) if quantiles else 1.0


def _or_pretended(version: Any) -> Any:
    """`nvcc.get_target_compute_version`, which looks for a device when no target says its version."""

    def ask(target: Any = None) -> Any:
        try:
            return version(target)
        except (ValueError, AssertionError):
            return ".".join(map(str, device.capability()))

    return ask


def _nothing(*_: Any, **__: Any) -> None:
    return None


def install() -> None:
    """Puts the stand-ins in place, for the rest of the process."""
    register_target_detector("cuda", lambda: Target({"kind": "cuda", "arch": device.arch()}), override=True)
    nvcc.get_target_compute_version = _or_pretended(nvcc.get_target_compute_version)
    kernel: Any = JITKernel
    kernel._compile_artifact = _lower_only
    kernel._create_adapter_from_artifact = _unlaunched
    tune: Any = AutoTuner
    tune.run = _some_configurations(tune.run)
    tune._benchmark_target = lambda *_, **__: (1.0, 1.0)
    profiler: Any = Profiler
    for name in ("assert_allclose", "manual_assert_close", "assert_consistent", "run_once"):
        setattr(profiler, name, _nothing)
    profiler.do_bench = lambda *_, **__: 1.0
    tilelang.testing.torch_assert_close = _nothing
    for module, names in (
        ("tilelang.profiler", ["do_bench"]),
        ("tilelang.profiler.bench", ["do_bench"]),
        ("triton.testing", ["do_bench", "do_bench_cudagraph"]),
    ):
        for name in names:
            setattr(importlib.import_module(module), name, _run_once)
    importlib.import_module("tilelang.utils.tensor").torch_assert_close = _nothing  # type: ignore[attr-defined]
    jit, autotuned = importlib.import_module("triton.runtime.jit"), importlib.import_module("triton.runtime.autotuner")
    for launcher in (jit.JITFunction, autotuned.Autotuner, autotuned.Heuristics):
        launcher.run = _nothing
