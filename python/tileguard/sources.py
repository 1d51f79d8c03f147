"""Finds the kernels of a Python file, for the command line."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from tileguard import _lib, analysis
from tileguard._lib import TileGuardError
from tileguard.messages import first_line


def kernels(spec: str) -> Iterator[tuple[str, analysis.Kernel]]:
    """(name, kernel) of `FILE::NAME`, or of everything in `FILE` that is a kernel or makes one.

    Without a name these count: PrimFuncs, compiled kernels, `@tilelang.jit` functions, and functions of the file
    called `make...`; the last two only when every argument has a default.
    Raises TileGuardError when there is no such file or name, or no kernel.
    """
    path, _, name = spec.partition("::")
    if not path:
        raise TileGuardError(f"{spec!r} names no file: write FILE or FILE::NAME.")
    module = _load(Path(path))
    if name:
        if not hasattr(module, name):
            raise TileGuardError(f"{path} has no {name}.")
        yield name, analysis.resolve(getattr(module, name))
        return
    found = [(key, value) for key, value in vars(module).items() if _is_candidate(module, key, value)]
    if not found:
        raise TileGuardError(f"{path} holds no kernel that needs no arguments: name one as {path}::NAME.")
    for key, value in found:
        yield key, analysis.resolve(value)


def _load(path: Path) -> ModuleType:
    if not path.is_file():
        raise TileGuardError(f"There is no file {path}.")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise TileGuardError(f"{path} is not a Python file.")
    _lib.load()
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # TileLang looks up the module of a function it parses
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise TileGuardError(f"{path} does not run ({type(error).__name__}): {first_line(error)}") from error
    finally:
        sys.path.remove(str(path.parent))
    return module


def _is_candidate(module: ModuleType, name: str, value: Any) -> bool:
    from tilelang.jit import JITImpl, JITKernel
    from tvm.tirx import PrimFunc

    if name.startswith("_"):
        return False
    if isinstance(value, (PrimFunc, JITKernel)):
        return True
    if isinstance(value, JITImpl):
        return _needs_nothing(value.signature)
    is_maker = inspect.isfunction(value) and value.__module__ == module.__name__ and name.startswith("make")
    return is_maker and _needs_nothing(inspect.signature(value))


def _needs_nothing(signature: inspect.Signature) -> bool:
    open_kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return all(
        parameter.default is not inspect.Parameter.empty or parameter.kind in open_kinds
        for parameter in signature.parameters.values()
    )
