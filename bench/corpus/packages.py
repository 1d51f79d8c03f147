"""Packages that scripts import only for a reference to compare with: where one is missing, its every name is a mock.

One of them, einops, also shapes inputs in many examples; it is small, pure Python and fetched.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

REFERENCES = {
    *("fla", "flash_attn", "flash_attn_interface", "flash_mla", "flashinfer", "mamba_ssm", "fast_hadamard_transform"),
    *("vllm", "transformers", "accelerate", "safetensors", "sentencepiece", "datasets", "lm_eval"),
    *("bitblas", "deep_gemm", "aiter", "einops", "scipy", "matplotlib", "PIL"),
}


class _Mock(ModuleType):
    __version__ = "99.0.0"
    __path__: list[str] = []  # noqa: RUF012

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return MagicMock(name=name)


class _Missing(MetaPathFinder, Loader):
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(name, self, is_package=True) if name.split(".")[0] in REFERENCES else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Mock(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


def fetch(folder: Path) -> None:
    """Puts what examples cannot do without into `folder` and on the path. Where that fails, a mock has to do."""
    if not (folder / "einops").is_dir():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), "einops"]
        subprocess.run(command, capture_output=True, check=False)
    sys.path.append(str(folder))


def mock_missing() -> None:
    """From here on, importing a missing reference package gives a mock. Installed ones are used."""
    sys.meta_path.append(_Missing())
