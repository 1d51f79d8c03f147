"""One kernel, judged: build it, bring it to the pass, run the pass, compare the two oracles."""

from __future__ import annotations

import linecache
import logging
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import tilelang  # noqa: F401  (makes tvm importable)
from tvm import tirx
from tvm.ir import structural_equal

import tileguard
from tests import oracle

from .inputs import arguments, fits
from .lowering import EACH_BY_ITSELF, apply_pass, at_pass, only_function, peer_pass, target_of
from .tree import Kernel

MAX_STEPS = 6_000
COMPARES = (tirx.EQ, tirx.NE, tirx.LT, tirx.LE, tirx.GT, tirx.GE)


class Invalid(Exception):
    """The kernel is none: the front end or a pipeline refuses it before the pass runs."""


@dataclass(frozen=True)
class Failure:
    """A fault of the pass: `kind` is crash, unsupported, oob, differ, divzero, local-oob, assert,
    steps, not-idempotent, c-crash or c-differ."""

    kind: str
    pipeline: str
    env: dict[str, int]
    detail: str


@dataclass
class Verdict:
    """What became of a kernel in one pipeline.

    guards, dynamic: comparisons written and evaluated with each access guarded by itself, as the peer does;
    optimised: evaluated as the pass is used, with vector bodies and tests in front of loops.
    """

    pipeline: str
    status: str = "ok"
    reason: str = ""
    failure: Failure | None = None
    runs: int = 0
    skips: Counter[str] = field(default_factory=Counter)
    pass_ms: float = 0.0
    peer_ms: float = 0.0
    guards: int = 0
    peer_guards: int | None = None
    dynamic: int = 0
    optimised: int = 0
    peer_dynamic: int | None = None
    peer_fault: str = ""

    @property
    def more(self) -> str:
        """Where ours compares more than the peer, the peer being sound: "", "evaluated" (the order of
        short-circuited atoms is enough for that), or "written"."""
        if self.peer_guards is None or self.peer_fault or self.peer_dynamic is None:
            return ""
        if self.guards > self.peer_guards:
            return "written"
        return "evaluated" if self.dynamic > self.peer_dynamic else ""


def build(source: str, name: str) -> Any:
    """The PrimFunc of a kernel's source text."""
    file = f"<fuzz {name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    # A refused kernel is expected now and then; the builder logs its whole translation.
    log = logging.getLogger("tilelang.language.eager.builder")
    before, log.disabled = log.disabled, True
    scope: dict[str, Any] = {"__name__": f"fuzz_{name}", "__file__": file}
    try:
        exec(compile(source, file, "exec", dont_inherit=True), scope)
        return scope["make"]()
    except Exception as e:
        raise Invalid(f"front end: {first_line(e)}") from e
    finally:
        log.disabled = before
        linecache.cache.pop(file, None)


def first_line(e: BaseException) -> str:
    """The last non-empty line of a message, shortened: TVM puts the point there."""
    lines = [x.strip() for x in str(e).splitlines() if x.strip()]
    return f"{type(e).__name__}: {(lines[-1] if lines else '')[:200]}"


def module_for(source: str, name: str, pipeline: str) -> Any:
    """The module that the pass receives."""
    func = build(source, name)
    try:
        return at_pass(func, pipeline)
    except Exception as e:
        raise Invalid(f"{pipeline}: {first_line(e)}") from e


def same(a: Any, b: Any) -> bool:
    """Structural equality; free variables (layout maps hold some) may be mapped."""
    return bool(structural_equal(a, b, map_free_vars=True))


def static_compares(mod: Any) -> int:
    """Comparison nodes in a module."""
    n = 0

    def see(node: Any) -> None:
        nonlocal n
        n += isinstance(node, COMPARES)

    tirx.stmt_functor.post_order_visit(only_function(mod).body, see)
    return n


def run_safe(prog: oracle.Program, args: dict[str, Any]) -> tuple[oracle.Result | None, str]:
    """The meaning of a module, or why there is none to hold anyone to."""
    try:
        r = prog.run(args, max_steps=MAX_STEPS)
    except (oracle.AssertionFailed, oracle.OutOfSteps, oracle.UnsupportedByOracle) as e:
        return None, type(e).__name__
    except oracle.BadArguments:
        return None, "BadArguments"
    if r.notes:
        return None, next(iter(r.notes))
    if any(e.scope != "global" for e in r.oob_events):
        return None, "shared or local access outside"
    return r, ""


def compare(want: oracle.Result, prog: oracle.Program, args: dict[str, Any]) -> tuple[str, str, int]:
    """(kind, detail, comparisons): kind is "" when the strict run agrees with `want`."""
    try:
        got = prog.run(args, max_steps=MAX_STEPS * 2)
    except oracle.OutOfBoundsAccess as e:
        return "oob", str(e), 0
    except oracle.AssertionFailed as e:
        return "assert", str(e)[:200], 0
    except oracle.OutOfSteps as e:
        return "steps", str(e), 0
    except oracle.UnsupportedByOracle as e:
        return "unsupported", str(e), 0
    compares = got.counts["compare"]
    if got.notes["division by zero"]:
        return "divzero", f"{got.notes['division by zero']} divisions by zero that the kernel has not", compares
    for name, a in want.outputs.items():
        b = got.outputs[name]
        if a.tobytes() != b.tobytes():
            at = np.flatnonzero(a.reshape(-1).view(f"u{a.itemsize}") != b.reshape(-1).view(f"u{a.itemsize}"))
            i = int(at[0])
            return (
                "differ",
                f"{name} flat[{i}]: {b.reshape(-1)[i]}, should be {a.reshape(-1)[i]} ({len(at)} differ)",
                compares,
            )
    if got.oob_events:
        return "local-oob", str(got.oob_events[0]), compares
    return "", "", compares


def check(
    kernel: Kernel, name: str, pipeline: str, make: Callable[[], Any], envs: list[dict[str, int]],
    *, peer: bool = False, properties: bool = False,
) -> Verdict:  # fmt: skip
    """Judge `make()` on a kernel in one pipeline."""
    v = Verdict(pipeline)
    try:
        before = module_for(kernel.source(), name, pipeline)
    except Invalid as e:
        v.status, v.reason = "invalid", str(e)
        return v
    try:
        safe = oracle.Program(only_function(before), "safe")
    except oracle.UnsupportedByOracle as e:
        v.status, v.reason = "unsupported", str(e)
        return v

    def fail(kind: str, env: dict[str, int], detail: str) -> Verdict:
        v.status, v.failure = "fail", Failure(kind, pipeline, env, detail)
        return v

    start = time.perf_counter()
    try:
        after = apply_pass(make, before, pipeline)
    except Exception as e:
        return fail("crash", envs[0] if envs else {}, first_line(e))
    v.pass_ms = (time.perf_counter() - start) * 1e3
    try:
        strict = oracle.Program(only_function(after), "strict")
    except oracle.UnsupportedByOracle as e:
        return fail("unsupported", {}, str(e))
    other = _peer(v, before, pipeline) if peer else None
    single = None
    if peer:
        alone = apply_pass(make, before, pipeline, EACH_BY_ITSELF if properties else None)
        single = oracle.Program(only_function(alone), "strict")
        v.guards = static_compares(alone) - static_compares(before)
    for env in envs:
        if not fits(kernel, env):
            v.skips["too large"] += 1
            continue
        args = arguments(kernel, env, name)
        want, why = run_safe(safe, args)
        if want is None:
            v.skips[why] += 1
            continue
        kind, detail, compares = compare(want, strict, args)
        if kind:
            return fail(kind, env, detail)
        v.runs += 1
        v.optimised += compares
        if single is not None:
            kind, detail, compares = compare(want, single, args)
            if kind:
                return fail(kind, env, f"each access by itself: {detail}")
            v.dynamic += compares
        if other is not None and not v.peer_fault:
            kind, detail, compares = compare(want, other, args)
            v.peer_fault = kind and f"{kind}: {detail}"
            v.peer_dynamic = (v.peer_dynamic or 0) + compares
    if properties and not same(apply_pass(make, after, pipeline), after):
        # A proof that runs out of budget is one more guard, by contract; with its own facts in the way it may.
        if gives_up(after, pipeline):
            return fail("out-of-budget", {}, "the pass applied to its own result runs out of budget")
        return fail("not-idempotent", {}, "the pass applied twice differs from the pass applied once")
    if not v.runs:
        v.status, v.reason = "skip", ", ".join(sorted(v.skips)) or "no shape"
    return v


def gives_up(mod: Any, pipeline: str) -> bool:
    """Whether a proof about the module ends for want of budget."""
    with target_of(pipeline):
        return any(access.reason == "Quota" for access in tileguard.analyze(mod).accesses)


def _peer(v: Verdict, before: Any, pipeline: str) -> oracle.Program | None:
    start = time.perf_counter()
    try:
        mod = apply_pass(peer_pass, before, pipeline)
        v.peer_ms = (time.perf_counter() - start) * 1e3
        v.peer_guards = static_compares(mod) - static_compares(before)
        return oracle.Program(only_function(mod), "strict")
    except Exception as e:
        v.peer_fault = f"crash: {first_line(e)}"
        return None
