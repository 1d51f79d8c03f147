"""Prints where the installed TileLang wheel keeps what the plugin compiles and links against.

One `KEY=VALUE` a line for CMake. TileLang itself is never imported: that would load torch and take seconds.
A problem is one sentence on standard error and exit status 1.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
from pathlib import Path


def package_dir(module: str, distribution: str) -> Path:
    """The folder of an installed package, found without importing it."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        sys.exit(f"{distribution} is not installed for {sys.executable}: run `make venv` first.")
    return Path(spec.origin).resolve().parent


def require(path: Path) -> Path:
    if not path.exists():
        sys.exit(f"The installed TileLang has no {path}: TileGuard needs the wheel from PyPI, which ships its headers.")
    return path


def main() -> None:
    tilelang = package_dir("tilelang", "tilelang")
    ffi = package_dir("tvm_ffi", "apache-tvm-ffi")
    found = {
        "TILELANG_VERSION": importlib.metadata.version("tilelang"),
        "FFI_VERSION": importlib.metadata.version("apache-tvm-ffi"),
        "TILELANG_SRC": require(tilelang / "src"),
        "TVM_INCLUDE": require(tilelang / "3rdparty" / "tvm" / "include"),
        "FFI_INCLUDE": require(ffi / "include"),
        "TILELANG_LIBDIR": require(tilelang / "lib"),
        "FFI_LIBDIR": require(ffi / "lib"),
    }
    for key, value in found.items():
        print(f"{key}={value}")


if __name__ == "__main__":
    main()
