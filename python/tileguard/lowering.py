"""Runs TileLang's real pipeline: all of it, or up to the module that reaches the pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

from tileguard import _lib, hook, transform
from tileguard._lib import TileGuardError
from tileguard.messages import first_line, name_of

# What TileLang is given when there is no GPU to ask. A bare "cuda" would mean sm_50, which lowers differently.
DEFAULT_TARGET: dict[str, str] = {"kind": "cuda", "arch": "sm_90"}


class _Reached(BaseException):
    """Ends a pipeline at the pass. Not an Exception: TileLang catches those to decorate their message."""

    def __init__(self, module: Any) -> None:
        super().__init__()
        self.module = module


def resolve_target(target: Any = None) -> Any:
    """A `tvm.target.Target`: of the argument, else the enclosing one, else this machine's GPU, else CUDA sm_90."""
    _lib.load()
    from tvm.target import Target

    if isinstance(target, Target):
        return target
    try:
        if target is None or target == "auto":
            return Target.current(allow_none=True) or _gpu_target() or Target(DEFAULT_TARGET)
        if target == "cuda":
            return _gpu_target() or Target(DEFAULT_TARGET)
        return Target(target)
    except (ValueError, RuntimeError, TypeError) as error:
        raise TileGuardError(f"{target!r} is not a target: {first_line(error)}") from error


def _gpu_target() -> Any:
    import torch
    from tilelang.backend.target import determine_target

    return determine_target("auto", return_object=True) if torch.cuda.is_available() else None


def lower(func: Any, target: Any = None, pass_configs: Mapping[str, Any] | None = None) -> Any:
    """Lowers a PrimFunc or IRModule through the pipeline of `target`; returns TileLang's CompiledArtifact.

    No device compiler and no GPU is needed. The pass is TileGuard's when installed, else TileLang's.
    """
    resolved = resolve_target(target)
    import tilelang
    from tilelang import tvm
    from tilelang.transform.pass_config import normalize_pass_configs

    with ExitStack() as stack:
        stack.enter_context(tvm.transform.PassContext(opt_level=3, config=normalize_pass_configs(pass_configs)))
        stack.enter_context(resolved)
        return tilelang.lower(func, target=resolved)


def lower_with(
    factory: Callable[[], Any],
    func: Any,
    target: Any = None,
    pass_configs: Mapping[str, Any] | None = None,
    frontend: bool = True,
) -> Any:
    """`lower` with the pass that `factory` makes, whatever is installed; `frontend` as in `hook.intercepted`."""
    with hook.intercepted(factory, frontend):
        return lower(func, target, pass_configs)


def module_at_pass(func: Any, target: Any = None, pass_configs: Mapping[str, Any] | None = None) -> Any:
    """The IRModule that reaches the pass when `func` is lowered for `target` with TileGuard installed."""

    def stop(module: Any) -> Any:
        raise _Reached(module)

    try:
        lower_with(lambda: stop, func, target, pass_configs)
    except _Reached as reached:
        return reached.module
    except TileGuardError:
        raise
    except Exception as error:
        raise TileGuardError(
            f"TileLang does not lower {name_of(func)} for {resolve_target(target)}: {first_line(error)}"
        ) from error
    raise TileGuardError(f"The pipeline for {resolve_target(target)} does not run {hook.PASS_NAME}.")


def source_with_tilelang(func: Any, target: Any = None, pass_configs: Mapping[str, Any] | None = None) -> str:
    """The generated device source with TileLang's own pass."""
    return str(lower_with(hook.original(), func, target, pass_configs, frontend=False).kernel_source)


def source_with_tileguard(func: Any, target: Any = None, pass_configs: Mapping[str, Any] | None = None) -> str:
    """The generated device source with TileGuard's pass."""
    return str(lower_with(transform.LegalizeSafeMemoryAccess, func, target, pass_configs).kernel_source)
