"""Running a kernel on the CPU through TileLang's C target, in a child that may crash."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from typing import Any

import numpy as np

from tests import oracle

from .check import Failure, Invalid, build, first_line, module_for, run_safe
from .inputs import arguments, fits, shape_of
from .lowering import only_function, replaced, run_c
from .tree import Kernel

BAND = 64
POISON = 0x5A
TIMEOUT_S = 120


def _banded(a: np.ndarray) -> tuple[Any, Any]:
    """A copy of `a` as a torch tensor with poison on both sides, and the whole of it."""
    import torch

    whole = np.full(a.size * a.itemsize + 2 * BAND, POISON, np.uint8)
    whole[BAND : BAND + a.nbytes] = np.ascontiguousarray(a).reshape(-1).view(np.uint8)
    tensor = torch.from_numpy(whole)
    inner = tensor[BAND : BAND + a.nbytes].view(getattr(torch, str(a.dtype))).view(a.shape)
    return inner, whole


def _child(pipe: Any, func: Any, make: Callable[[], Any], args: dict[str, Any], want: dict[str, np.ndarray]) -> None:
    try:
        held = {k: _banded(a) for k, a in args.items() if isinstance(a, np.ndarray)}
        run_c(func, make, [held[k][0] if k in held else v for k, v in args.items()])
        for k, (inner, whole) in held.items():
            size = inner.numel() * inner.element_size()
            if (whole[:BAND] != POISON).any() or (whole[BAND + size :] != POISON).any():
                pipe.send(("c-band", f"memory beside {k} was written"))
                return
            got = whole[BAND : BAND + size]
            expect = np.ascontiguousarray(want[k]).reshape(-1).view(np.uint8)
            if not np.array_equal(got, expect):
                at = int(np.flatnonzero(got != expect)[0]) // inner.element_size()
                pipe.send(("c-differ", f"{k} flat[{at}] differs from the oracle"))
                return
        pipe.send(("", ""))
    except Exception as e:
        pipe.send(("c-refused", first_line(e)))


def execute(
    kernel: Kernel, name: str, make: Callable[[], Any], envs: list[dict[str, int]]
) -> tuple[str, Failure | None]:
    """("ok" | "skip" | "invalid" | "refused" | "fail", fault): the C target against the oracle on one shape.

    "refused": TileLang could not compile or launch the kernel after the pass.
    """
    try:
        safe = oracle.Program(only_function(module_for(kernel.source(), name, "c")), "safe")
        func = build(kernel.source(), name)
    except (Invalid, oracle.UnsupportedByOracle):
        return "invalid", None
    for env in envs:
        if not fits(kernel, env) or any(0 in shape_of(p, env) for p in kernel.params):
            continue
        args = arguments(kernel, env, name)
        want, _ = run_safe(safe, args)
        if want is None:
            continue
        kind, detail = in_child(func, make, args, want.outputs)
        if kind == "c-refused":
            return "refused", Failure(kind, "c", env, detail)
        return ("fail", Failure(kind, "c", env, detail)) if kind else ("ok", None)
    return "skip", None


def in_child(func: Any, make: Callable[[], Any], args: dict[str, Any], want: dict[str, np.ndarray]) -> tuple[str, str]:
    """(kind, detail) of one execution on the C target; ("", "") when the outputs are `want`."""
    ctx = multiprocessing.get_context("fork")
    here, there = ctx.Pipe(duplex=False)
    child = ctx.Process(target=_child, args=(there, func, make, args, want))
    child.start()
    there.close()
    try:
        answer = here.recv() if here.poll(TIMEOUT_S) else ("c-crash", f"no answer in {TIMEOUT_S} s")
    except EOFError:
        child.join()
        code = child.exitcode or 0
        answer = ("c-crash", signal.Signals(-code).name if code < 0 else f"exit code {code}")
    if child.is_alive() and answer[0] == "c-crash":
        child.kill()
    child.join()
    return answer


def codegen(func: Any, pipeline: str, make: Callable[[], Any]) -> str:
    """What the rest of a pipeline says to the pass's output: "" or its complaint."""
    import tilelang
    from tilelang import tvm

    from .lowering import PLAIN_CUDA, target_of

    target = target_of(pipeline)
    config = PLAIN_CUDA if pipeline == "cuda" else {}
    try:
        with replaced(make), tvm.transform.PassContext(opt_level=3, config=config), target:
            tilelang.lower(func, target=target)
    except Exception as e:
        return first_line(e)
    return ""
