"""Loads the plugin into the running TileLang, or says in one sentence why it cannot."""

from __future__ import annotations

import ctypes
import hashlib
import importlib.metadata
import importlib.util
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

TILELANG_VERSION = "0.1.15"
LIBRARY = "libtileguard.so"

_lock = threading.RLock()
_handle: ctypes.CDLL | None = None
_digest = ""


class TileGuardError(RuntimeError):
    """What TileGuard tells a user: one sentence that says what is wrong, where, and what to do."""


def load() -> None:
    """Imports TileLang and loads the plugin into it; does nothing the second time. Safe from any thread.

    Raises TileGuardError for another TileLang, a plugin that was not built, or a missing isl.
    """
    global _handle, _digest
    with _lock:
        if _handle is not None:
            return
        check_version()
        _import_tilelang()
        library = find_library()
        _digest = hashlib.sha256(library.read_bytes()).hexdigest()[:16]
        handle = _open(library)
        _check_own_version(library)
        _handle = handle


def function(name: str) -> Callable[..., Any]:
    """The global function `name` that the plugin registers, for example `tileguard.AnalyzeJSON`."""
    load()
    import tvm_ffi

    found = tvm_ffi.get_global_func(name, allow_missing=True)
    if found is None:
        raise TileGuardError(f"{find_library()} does not register {name}: rebuild it with `make build`.")
    return found  # type: ignore[no-any-return]


def digest() -> str:
    """Tells one build of the plugin from another, also where both have the same version."""
    load()
    return _digest


def check_version() -> None:
    """Refuses any TileLang but the one whose C++ symbols the plugin was linked against."""
    try:
        found = importlib.metadata.version("tilelang")
    except importlib.metadata.PackageNotFoundError:
        raise TileGuardError(
            f"TileGuard needs tilelang {TILELANG_VERSION}, which is not installed: "
            f"pip install tilelang=={TILELANG_VERSION}"
        ) from None
    if found != TILELANG_VERSION:
        raise TileGuardError(
            f"TileGuard was built for tilelang {TILELANG_VERSION}, but {found} is installed: "
            f"pip install tilelang=={TILELANG_VERSION}"
        )


def find_library() -> Path:
    """Where the plugin lies: `TILEGUARD_LIBRARY` if set, else beside the package (every folder of its path)."""
    override = os.environ.get("TILEGUARD_LIBRARY")
    if override:
        candidates = [Path(override)]
    else:
        spec = importlib.util.find_spec("tileguard")
        folders = spec.submodule_search_locations if spec is not None else None
        candidates = [Path(folder) / LIBRARY for folder in folders or []]
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    where = " nor ".join(str(candidate) for candidate in candidates)
    raise TileGuardError(f"The plugin is not at {where}: build it with `make build` or `pip install .`.")


def _import_tilelang() -> None:
    try:
        import tilelang
    except (ImportError, OSError) as error:
        raise TileGuardError(f"TileLang does not import: {_one_line(error)}.") from error
    if not hasattr(tilelang, "transform"):
        raise TileGuardError(
            "TileLang was imported without its compiler (as its autodd tool does): TileGuard needs it."
        )


def _open(path: Path) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise TileGuardError(_why_not(path, str(error))) from error


def _why_not(path: Path, message: str) -> str:
    """The loader's message as a sentence with a remedy."""
    missing = re.match(r"(lib\S+): cannot open shared object file", message)
    if missing and missing[1].startswith(("libisl", "libgmp")):
        name = missing[1]
        return f"TileGuard needs {name}, which is not installed: apt-get install libisl23 libgmp10"
    if missing:
        return f"TileGuard's plugin {path} needs {missing[1]}, which cannot be found: rebuild it with `make build`."
    symbol = re.search(r"undefined symbol: (\S+)", message)
    if symbol:
        return f"TileGuard's plugin {path} does not fit this TileLang (no symbol {symbol[1]}): run `make build`."
    return f"TileGuard's plugin {path} cannot be loaded ({message}): rebuild it with `make build`."


def _check_own_version(library: Path) -> None:
    import tvm_ffi

    from tileguard._version import __version__

    found = tvm_ffi.get_global_func("tileguard.Version", allow_missing=True)
    built = str(found()) if found is not None else "an unknown version"
    if built != __version__:
        raise TileGuardError(
            f"TileGuard's plugin {library} is {built}, its Python package {__version__}: rebuild it with `make build`."
        )


def _one_line(error: BaseException) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__
