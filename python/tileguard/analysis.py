"""Analysis without rewriting: what is proved, what is guarded and why, what is out of bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tileguard import _lib, lowering
from tileguard._lib import TileGuardError
from tileguard.messages import first_line, name_of
from tileguard.report import Report


@dataclass(frozen=True)
class Kernel:
    """A PrimFunc or IRModule with the target and pass configuration it comes with, if any."""

    func: Any
    target: Any = None
    pass_configs: Mapping[str, Any] | None = None


def analyze(
    func_or_module: Any,
    target: Any = None,
    *,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    pass_configs: Mapping[str, Any] | None = None,
    lower: bool | None = None,
) -> Report:
    """Every access of a kernel with its verdict, guards, counter-example and the condition that would make it safe.

    func_or_module: a PrimFunc, an IRModule, a `@tilelang.jit` function, a compiled kernel, or a Python function that
        returns one of these; the last and the jitted are called with `args` and `kwargs`.
    target: what to lower for, as TileLang takes it. Default: the kernel's own, else the enclosing target, else this
        machine's GPU, else CUDA sm_90 (no GPU is needed).
    lower: whether to run TileLang's pipeline up to the pass first. Default: exactly when no target is bound to the
        functions yet, as in what `@T.prim_func` gives.
    """
    _lib.load()
    kernel = resolve(func_or_module, args, kwargs or {})
    target = target if target is not None else kernel.target
    if pass_configs is not None and not isinstance(pass_configs, Mapping):
        raise TileGuardError(f"pass_configs must be a mapping of pass-config keys to values, not {pass_configs!r}.")
    configs = {**(kernel.pass_configs or {}), **(pass_configs or {})}
    if lower if lower is not None else not _is_bound(kernel.func):
        module = lowering.module_at_pass(kernel.func, target, configs)
    else:
        module = as_module(kernel.func)
    return _analyze_module(module, configs)


def resolve(value: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None) -> Kernel:
    """The kernel that `value` is or makes. Raises TileGuardError when it is none."""
    _lib.load()
    from tilelang.jit import JITImpl, JITKernel
    from tvm import IRModule
    from tvm.tirx import PrimFunc

    if isinstance(value, PrimFunc):
        if not value.attrs or "global_symbol" not in value.attrs:
            raise TileGuardError("The PrimFunc has no name: give it one with func.with_attr('global_symbol', NAME).")
        return Kernel(value, None, _attached_configs(value))
    if isinstance(value, IRModule):
        return Kernel(value)
    if isinstance(value, JITKernel):
        return Kernel(value.prim_func, value.target, value.pass_configs)
    if isinstance(value, JITImpl):
        made = resolve(_call(value.get_tir, value.func, args, kwargs))
        target = None if value.target == "auto" else value.target
        return Kernel(made.func, target, {**(made.pass_configs or {}), **(value.pass_configs or {})})
    inner = getattr(value, "jit_impl", None)
    if inner is not None:
        return resolve(inner, args, kwargs)
    if callable(value):
        made_value = _call(value, value, args, kwargs)
        if not callable(made_value) or isinstance(made_value, (PrimFunc, JITKernel, JITImpl)):
            return resolve(made_value)
    raise TileGuardError(
        f"{name_of(value)} is neither a PrimFunc, an IRModule, a @tilelang.jit function nor a Python function "
        "that returns one."
    )


def as_module(func: Any) -> Any:
    """An IRModule of its own for a PrimFunc; an IRModule as it is."""
    from tvm import IRModule
    from tvm.tirx import PrimFunc

    return IRModule({name_of(func): func}) if isinstance(func, PrimFunc) else func


def _analyze_module(module: Any, configs: Mapping[str, Any]) -> Report:
    from tilelang import tvm

    try:
        with tvm.transform.PassContext(opt_level=3, config=dict(configs)):
            text = _lib.function("tileguard.AnalyzeJSON")(module)
    except TileGuardError:
        raise
    except Exception as error:
        said = first_line(error)
        if said.startswith("TileGuard: "):
            raise TileGuardError(said.removeprefix("TileGuard: ")) from error
        raise TileGuardError(f"{name_of(module)} cannot be analysed: {said}") from error
    return Report.from_json(str(text))


def _is_bound(func: Any) -> bool:
    functions = func.functions.values() if hasattr(func, "functions") else [func]
    return all(each.attrs is not None and "target" in each.attrs for each in functions)


def _attached_configs(func: Any) -> Mapping[str, Any] | None:
    attached = func.attrs.get("tilelang_pass_configs") if func.attrs else None
    return dict(attached) if attached else None


def _call(function: Callable[..., Any], named: Any, args: Sequence[Any], kwargs: Mapping[str, Any] | None) -> Any:
    try:
        return function(*args, **(kwargs or {}))
    except TileGuardError:
        raise
    except Exception as error:
        name = getattr(named, "__name__", None) or name_of(named)
        raise TileGuardError(
            f"{name} cannot be built with these arguments ({type(error).__name__}): {first_line(error)}"
        ) from error
