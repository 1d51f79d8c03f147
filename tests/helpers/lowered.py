"""A kernel through TileLang's real pipeline, with the module on both sides of the pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tileguard
from tileguard import hook, lowering
from tileguard.atoms import comparisons

tileguard.load()

import tilelang.transform as tl_transform  # noqa: E402
from tilelang import tvm  # noqa: E402
from tvm import tirx  # noqa: E402


@dataclass(frozen=True)
class Lowered:
    """before, after: the module that reached the pass and what the pass made of it; source: the device code."""

    before: Any
    after: Any
    source: str
    target: Any
    configs: Mapping[str, Any]

    @property
    def guards(self) -> int:
        """Comparisons that the pass added."""
        return comparisons(self.after) - comparisons(self.before)

    @property
    def kernel(self) -> str:
        """The body of the kernel in the device code."""
        return self.source[self.source.rindex('extern "C" __global__') :]

    def again(self) -> Any:
        """Our pass applied to what it made."""
        return run_pass(tileguard.transform.LegalizeSafeMemoryAccess(), self.after, self.target, self.configs)

    def simplified(self) -> Any:
        """What the host makes of the guards next."""
        return run_pass(tl_transform.Simplify(), self.after, self.target, self.configs)


def lower(func: Any, maker: str = "ours", arch: str = "sm_90", configs: Mapping[str, Any] | None = None) -> Lowered:
    """Lowers for CUDA with the pass of `maker`: "ours", "tilelang", or "none", which changes nothing.

    TileLang's pass runs in TileLang's own pipeline, ours in the one that `tileguard.install()` makes.
    """
    seen: list[tuple[Any, Any]] = []
    make = {
        "ours": tileguard.transform.LegalizeSafeMemoryAccess,
        "tilelang": hook.original(),
        "none": lambda: lambda module: module,
    }[maker]

    def factory() -> Any:
        def run(module: Any) -> Any:
            after = make()(module)
            seen.append((module, after))
            return after

        return run

    target = cuda(arch)
    artifact = lowering.lower_with(factory, func, target, configs, frontend=maker == "ours")
    (before, after) = seen[0]
    return Lowered(before, after, str(artifact.kernel_source), target, dict(configs or {}))


def cuda(arch: str = "sm_90") -> Any:
    """The target of these tests; no GPU is needed."""
    return tvm.target.Target({"kind": "cuda", "arch": arch})


def run_pass(one: Any, module: Any, target: Any, configs: Mapping[str, Any]) -> Any:
    """A pass as the pipeline would run it."""
    with tvm.transform.PassContext(opt_level=3, config=dict(configs)), target:
        return one(module)


def raw(func: Any) -> Any:
    """The kernel as written, in a form the oracle runs: launches and assumptions explicit, nothing simplified."""
    target = cuda()
    module = tvm.IRModule({func.attrs["global_symbol"]: func})
    with target:
        module = tirx.transform.BindTarget(target)(module)
        module = tl_transform.MaterializeKernelLaunch(lower_thread_binding=True, default_threads=128)(module)
        return tl_transform.InjectAssumes()(module)


def equal(one: Any, other: Any) -> bool:
    """Structural equality of two modules."""
    return bool(tvm.ir.structural_equal(one, other, map_free_vars=True))
