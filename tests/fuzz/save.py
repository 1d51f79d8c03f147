"""A failing kernel as a file that stands alone, and back."""

from __future__ import annotations

import importlib.util
import pathlib
import re
from typing import Any

import numpy as np

from .check import Failure
from .inputs import arguments
from .tree import Kernel


def _literal(a: Any) -> str:
    if not isinstance(a, np.ndarray):
        return repr(a)
    return f"np.array({a.reshape(-1).tolist()}, {str(a.dtype)!r}).reshape({a.shape})"


def text(kernel: Kernel, name: str, failure: Failure, under_test: str) -> str:
    """The file's text: the kernel, the shape, the arrays."""
    args = arguments(kernel, failure.env, name) if set(failure.env) >= {*kernel.symbols, *kernel.scalars} else {}
    lines = [
        f'"""{failure.kind}, pass {under_test}, pipeline {failure.pipeline}, seed {name}.',
        "",
        f"{failure.detail}",
        "Run again: python -m tests.fuzz.driver --replay THIS_FILE",
        '"""',
        "import numpy as np",
        kernel.source(),
        "",
        f"KIND = {failure.kind!r}",
        f"PIPELINE = {failure.pipeline!r}",
        f"SHAPES = [{failure.env}]",
        "",
        "",
        "def arguments():",
        "    return {",
        *[f"        {k!r}: {_literal(v)}," for k, v in args.items()],
        "    }",
        "",
    ]
    return "\n".join(lines)


def save(folder: pathlib.Path, kernel: Kernel, name: str, failure: Failure, under_test: str) -> pathlib.Path:
    """Write the file; its name says what and where."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{failure.kind}_{failure.pipeline}_{re.sub(r'[^A-Za-z0-9]+', '_', name)}.py".replace("-", "_")
    path.write_text(text(kernel, name, failure, under_test))
    return path


def load(path: pathlib.Path) -> Any:
    """A saved file as a module."""
    spec = importlib.util.spec_from_file_location("fuzz_case", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} is no Python file")
    mod = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(mod)
    return mod
