"""Turns kernels into shared libraries that need no TileLang where they run, and no GPU where they are made.

A library holds, for each kernel NAME, `int NAME_init()`, `int NAME_call(buffers..., scalars..., symbols..., stream)`
and `const char* NAME_get_last_error()`: the host code that TileLang's "cython" backend would compile, renamed.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tilelang
from tilelang import tvm
from tilelang.jit.adapter.wrapper import TLCUDASourceWrapper
from tvm import tirx

from tileguard import hook, lowering, transform

ARCH = "sm_90"
TEMPLATES = Path(tilelang.__file__).parent
NVCC = (
    *("nvcc", "-std=c++20", "-w", "-lineinfo", "--shared", "-Xcompiler", "-fPIC"),
    *("-gencode", "arch=compute_90a,code=sm_90a"),
    *(f"-I{TEMPLATES / folder}" for folder in ("3rdparty/cutlass/include", "src")),
)


@dataclass(frozen=True)
class Unit:
    """One kernel as CUDA source.

    arguments: (name, kind) in the order of NAME_call; kind is "buffer", or a dtype for scalars and shape symbols.
    """

    name: str
    source: str
    arguments: tuple[tuple[str, str], ...]
    device_source: str


class _Wrapper(TLCUDASourceWrapper):  # type: ignore[misc]
    """TileLang's host code generator, which overlooks symbols that stand only inside of a shape such as 8 * k."""

    def get_dynamic_symbolic_set(self, prim_func: Any) -> list[tuple[str, str]]:
        return symbols(prim_func)


def symbols(func: Any) -> list[tuple[str, str]]:
    """(name, dtype) of the variables in the shapes of a PrimFunc's buffers that are not parameters, in order."""
    found: dict[str, str] = {}
    params = {str(param.name) for param in func.params}

    def see(node: Any) -> None:
        if isinstance(node, tirx.Var) and str(node.name) not in params:
            found.setdefault(str(node.name), str(node.dtype))

    for param in func.params:
        if param in func.buffer_map:
            buffer = func.buffer_map[param]
            for dim in (*buffer.shape, *buffer.strides):
                tirx.stmt_functor.post_order_visit(dim, see)
    return list(found.items())


def unit(func: Any, name: str, maker: str = "ours", configs: Mapping[str, Any] | None = None) -> Unit:
    """Lowers a PrimFunc for the GPU with the pass of `maker`, "ours" or "tilelang", under a name of its own."""
    func = func.with_attr("global_symbol", name)
    factory: Callable[[], Any] = transform.LegalizeSafeMemoryAccess if maker == "ours" else hook.original()
    target = tvm.target.Target({"kind": "cuda", "arch": ARCH})
    artifact = lowering.lower_with(factory, func, target, configs, frontend=maker == "ours")
    module = tvm.IRModule({name: func})
    made = _Wrapper(module, artifact.kernel_source, target, artifact.device_mod, artifact.host_mod, dict(configs or {}))
    return Unit(name, _renamed(str(made.lib_code), name), _arguments(func), str(artifact.kernel_source))


def _arguments(func: Any) -> tuple[tuple[str, str], ...]:
    found = []
    for param in func.params:
        if param in func.buffer_map:
            found.append((str(func.buffer_map[param].name), "buffer"))
        else:
            found.append((str(param.name), str(param.dtype)))
    return (*found, *symbols(func))


def _renamed(source: str, name: str) -> str:
    """The host functions get the kernel's name, so that many kernels fit one library."""
    source = re.sub(r'(extern "C" TL_EXPORT .*?)\b(init|call|get_last_error)\(', rf"\1{name}_\2(", source)
    # Kernels of one library may differ in type and alignment of what they call by one name.
    for shared in re.findall(r"extern __shared__ .*?(\w+)\[\];", source):
        source = re.sub(rf"\b{shared}\b", f"{name}_{shared}", source)
    # The buffer for error messages is one for all: a macro of TileLang's names it.
    once = "#ifndef HAS_ERROR_BUF\n#define HAS_ERROR_BUF\n{}\n#endif"
    return re.sub(r"^static char error_buf.*$", lambda line: once.format(line[0]), source, flags=re.MULTILINE)


def compile_library(units: Iterable[Unit], path: Path) -> None:
    """One library of all units; the source is kept beside it. Raises CalledProcessError with nvcc's message."""
    text = path.with_suffix(".cu")
    text.write_text("\n".join(one.source for one in units))
    subprocess.run([*NVCC, str(text), "-o", str(path)], check=True, capture_output=True, text=True)
