"""Packages that scripts import only for a reference to compare with: where one is missing, its every name is a mock."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

REFERENCES = frozenset(
    "fla flash_attn flash_attn_interface flash_mla flashinfer bitblas vllm mamba_ssm transformers safetensors "
    "sentencepiece lm_eval fast_hadamard_transform datasets accelerate deep_gemm einops matplotlib scipy PIL aiter".split()
)


class _Mock(ModuleType):
    __version__ = "99.0.0"
    __path__: Sequence[str] = ()

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


def mock_missing() -> None:
    """From here on, importing a missing reference package gives a mock. Installed ones are used."""
    sys.meta_path.append(_Missing())
