"""Bringing a kernel to the point where the pass runs, and getting a pass to run.

Pipelines: "none" takes just the passes that put a kernel into the pass's input form; "cuda"
and "c" run TileLang's real pipeline up to the pass and stop there.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

os.environ["TILELANG_DISABLE_CACHE"] = "1"
os.environ.setdefault("TILELANG_PRINT_ON_COMPILATION", "0")

import tilelang
import tilelang.transform as tl_transform
from tilelang import tvm
from tilelang.transform import decouple_type_cast
from tvm import tirx

from tileguard._pipeline import spare_the_absent

# TileLang 0.1.15 ends the process over a variable in a vectorized loop in front of an inner loop. `install()` cures it;
# here nothing is installed, and the pass has to be reached.
decouple_type_cast._substitute_bind_env = spare_the_absent(decouple_type_cast._substitute_bind_env)

PIPELINES = ("none", "cuda", "c")
_PEER = tl_transform.LegalizeSafeMemoryAccess
# Every access by itself: no second copy of a loop, so what is compared is what the accesses need.
EACH_BY_ITSELF = {"tileguard.vector_tails": False, "tileguard.hoist_guards": False}
# Hopper's warp specialisation and TMA would turn plain copies into ops of issue 4.
PLAIN_CUDA = {"tl.disable_tma_lower": True, "tl.disable_warp_specialized": True}


class _Stop(Exception):
    """Ends a pipeline once the module has been seen."""


def peer_pass() -> Any:
    """TileLang's own LegalizeSafeMemoryAccess, whatever is installed."""
    return _PEER()


def pass_named(name: str) -> Callable[[], Any]:
    """The maker of the pass under test: ours, tilelang or none (leaves the module alone)."""
    if name == "tilelang":
        return peer_pass
    if name == "none":
        return lambda: lambda mod: mod
    if name == "ours":
        import tileguard

        return tileguard.transform.LegalizeSafeMemoryAccess
    raise ValueError(f"the pass is ours, tilelang or none, not {name!r}")


def target_of(pipeline: str, arch: str = "sm_90") -> Any:
    """The TVM target of a pipeline."""
    if pipeline == "c":
        return tvm.target.Target("c")
    return tvm.target.Target({"kind": "cuda", "arch": arch})


@contextlib.contextmanager
def replaced(make: Callable[[], Any]) -> Iterator[None]:
    """TileLang's pipelines run `make()` in place of their pass."""
    before = tl_transform.LegalizeSafeMemoryAccess
    tl_transform.LegalizeSafeMemoryAccess = make
    try:
        yield
    finally:
        tl_transform.LegalizeSafeMemoryAccess = before


def as_module(func: Any) -> Any:
    """One PrimFunc as a module under its own name."""
    return tvm.IRModule({func.attrs["global_symbol"]: func})


def raw_module(func: Any) -> Any:
    """The shortest way to the pass's input form: launches and assumptions made explicit."""
    target = target_of("cuda")
    mod = as_module(func)
    with target:
        mod = tirx.transform.BindTarget(target)(mod)
        mod = tl_transform.MaterializeKernelLaunch(lower_thread_binding=True, default_threads=128)(mod)
        return tl_transform.InjectAssumes()(mod)


def at_pass(func: Any, pipeline: str, arch: str = "sm_90", config: dict[str, Any] | None = None) -> Any:
    """The module that the pass receives in `pipeline`."""
    if pipeline == "none":
        return raw_module(func)
    seen: list[Any] = []

    def stop() -> Any:
        def take(mod: Any) -> Any:
            seen.append(mod)
            raise _Stop

        return take

    target = target_of(pipeline, arch)
    if config is None:
        config = PLAIN_CUDA if pipeline == "cuda" else {}
    with replaced(stop), tvm.transform.PassContext(opt_level=3, config=config), target, contextlib.suppress(_Stop):
        tilelang.lower(func, target=target)
    if not seen:
        raise RuntimeError(f"the {pipeline} pipeline never reached the pass")
    return seen[0]


def apply_pass(
    make: Callable[[], Any], mod: Any, pipeline: str = "none", config: Mapping[str, Any] | None = None
) -> Any:
    """Run a pass on a module under the pipeline's target."""
    with tvm.transform.PassContext(opt_level=3, config=dict(config or {})), target_of(pipeline):
        return make()(mod)


def only_function(mod: Any) -> Any:
    """The PrimFunc of a module that holds one."""
    funcs = [f for _, f in mod.functions.items() if isinstance(f, tirx.PrimFunc)]
    if len(funcs) != 1:
        raise ValueError(f"expected one PrimFunc, found {len(funcs)}")
    return funcs[0]


def run_c(func: Any, make: Callable[[], Any], args: list[Any], config: dict[str, Any] | None = None) -> None:
    """Compile for the C target with `make()` as the pass and execute in place on torch tensors."""
    with replaced(make):
        kernel = tilelang.compile(func, target="c", execution_backend="cython", pass_configs=config)
    kernel(*args)
