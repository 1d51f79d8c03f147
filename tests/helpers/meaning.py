"""Judging a rewritten module by the oracle: nothing out of bounds, every bit as the contract says."""

from __future__ import annotations

import functools
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from tilelang import tvm
from tvm import tirx

from tests import oracle

MAX_STEPS = 60_000


@functools.lru_cache(maxsize=512)
def _program(func: Any, mode: oracle.Mode) -> oracle.Program:
    return oracle.Program(func, mode)


def only_function(module: Any) -> Any:
    """The PrimFunc of a module that holds one."""
    (func,) = (f for f in module.functions.values() if isinstance(f, tirx.PrimFunc))
    return func


def safe(module: Any) -> oracle.Program:
    """Runs a module by the meaning of the contract."""
    return _program(only_function(module), "safe")


def strict(module: Any) -> oracle.Program:
    """Runs a module as it stands: an access outside of a global buffer is an error."""
    return _program(only_function(module), "strict")


def arguments(module: Any, env: Mapping[str, int], fill: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays for every buffer, distinct small values unless `fill` says otherwise, and the scalars."""
    func = only_function(module)
    args: dict[str, Any] = {}
    for param in func.params:
        if param not in func.buffer_map:
            args[str(param.name)] = env[str(param.name)]
            continue
        buffer = func.buffer_map[param]
        shape = tuple(_value(dim, env) for dim in buffer.shape)
        dtype, name = np.dtype(str(buffer.dtype)), str(buffer.name)
        made = fill[name](shape, env) if name in fill else _distinct(shape, dtype, name)
        args[str(param.name)] = np.asarray(made).astype(dtype)
    return args


def _distinct(shape: tuple[int, ...], dtype: np.dtype, name: str) -> np.ndarray:
    size = int(np.prod(shape, dtype=np.int64))
    flat = np.random.default_rng(zlib.crc32(name.encode())).permutation(size) + 1
    return (flat % 120 if dtype.itemsize == 1 else flat).reshape(shape)


def _value(expr: Any, env: Mapping[str, int]) -> int:
    known: dict[Any, Any] = {}

    def see(node: Any) -> None:
        if isinstance(node, tirx.Var):
            known[node] = tirx.IntImm(node.dtype, env[str(node.name)])

    tirx.stmt_functor.post_order_visit(expr, see)
    return int(tvm.arith.Analyzer().simplify(tirx.stmt_functor.substitute(expr, known)).value)


def faults(reference: Any, module: Any, runs: Iterable[tuple[Mapping[str, int], dict[str, Any]]]) -> list[str]:
    """What goes wrong when `module` runs where `reference` says what it means; one line a shape."""
    found, judged = [], 0
    for env, args in runs:
        want = safe(reference).run(args, max_steps=MAX_STEPS)
        if want.notes:
            raise AssertionError(f"the kernel itself is undefined at {dict(env)}: {dict(want.notes)}")
        judged += 1
        fault = fault_of(want, module, args)
        if fault:
            found.append(f"{dict(env)}: {fault}")
    assert judged, "no shape to run"
    return found


def fault_of(want: oracle.Result, module: Any, args: dict[str, Any]) -> str:
    """How a run of `module` differs from `want`; empty when it does not."""
    try:
        got = strict(module).run(args, max_steps=2 * MAX_STEPS)
    except (oracle.OutOfBoundsAccess, oracle.AssertionFailed, oracle.OutOfSteps) as error:
        return f"{type(error).__name__}: {error}"
    if got.notes["division by zero"]:
        return "divides by zero where the kernel does not"
    for name, array in want.outputs.items():
        if array.tobytes() != got.outputs[name].tobytes():
            bits = f"u{array.itemsize}"
            differ = np.flatnonzero(array.reshape(-1).view(bits) != got.outputs[name].reshape(-1).view(bits))
            at = int(differ[0])
            return (
                f"{name} flat[{at}] is {got.outputs[name].reshape(-1)[at]}, should be {array.reshape(-1)[at]} "
                f"({len(differ)} differ)"
            )
    return ""
