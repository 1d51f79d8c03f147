"""The fuzzer: `python -m tests.fuzz.driver --seed S --count N --pass ours|tilelang|none ...`.

Generates N kernels from the seed, brings each to the pass in one pipeline, runs the pass and
compares what the strict oracle makes of the result with what the safe oracle made of the
input.  Failures are shrunk and written to --out; the exit code is 1 when there are any.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from . import check as judge
from .execute import execute, in_child
from .generator import STYLES, generate
from .inputs import pick_shapes
from .lowering import PIPELINES, apply_pass, pass_named
from .save import load, save
from .shrink import shrink
from .tree import Kernel

TWICE = ("not-idempotent", "out-of-budget")  # found by applying the pass to its own result


@dataclass
class Totals:
    """What a run adds up to."""

    kernels: int = 0
    status: Counter[str] = field(default_factory=Counter)
    pipelines: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    peer_faults: Counter[str] = field(default_factory=Counter)
    executed_c: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    pass_ms: float = 0.0
    peer_ms: float = 0.0
    guards: int = 0
    peer_guards: int = 0
    dynamic: int = 0
    optimised: int = 0
    peer_dynamic: int = 0
    compared: int = 0
    more: dict[str, list[str]] = field(default_factory=lambda: {"written": [], "evaluated": []})
    files: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def faults(self) -> dict[str, int]:
        """Failures. A second application that runs out of budget is safe and by contract, so it is none while rare."""
        spent = "out-of-budget"
        rare = self.failures[spent] <= self.kernels // 100
        return {kind: count for kind, count in self.failures.items() if kind != spent or not rare}


def choose_pipeline(k: Kernel, rng: random.Random, allowed: list[str]) -> str | None:
    """A third through a real pipeline where the kernel allows it, the rest raw."""
    can = [p for p in k.pipelines() if p in allowed]
    real = [p for p in can if p != "none"]
    if real and ("none" not in can or rng.random() < 0.45):
        return rng.choice(real)
    return "none" if "none" in can else None


def bucket(f: judge.Failure) -> str:
    """Failures that look alike."""
    return f"{f.kind}/{f.pipeline}/" + re.sub(r"-?\d+", "#", re.sub(r"[A-Z][a-z]?\[", "X[", f.detail))[:50]


class Driver:
    """One run of the fuzzer."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.make: Callable[[], Any] = pass_named(args.under_test)
        self.allowed = [p for p in args.pipelines.split(",") if p]
        self.totals = Totals()
        self.seen: Counter[str] = Counter()
        self.out = pathlib.Path(args.out)
        self.candidates = 0

    def run(self) -> Totals:
        """All kernels, or as many as the time allows."""
        start = time.perf_counter()
        for i in range(self.args.start, self.args.start + self.args.count):
            if self.args.seconds and time.perf_counter() - start > self.args.seconds:
                break
            self.one(i)
        self.totals.seconds = time.perf_counter() - start
        return self.totals

    def one(self, i: int) -> None:
        """Kernel number i."""
        name = f"{self.args.seed}:{i}"
        k = generate(name, tuple(self.args.styles.split(",")))
        rng = random.Random(f"{name}/shapes")
        pipeline = choose_pipeline(k, rng, self.allowed)
        t = self.totals
        if pipeline is None:
            return
        envs = pick_shapes(rng, k, self.args.shapes)
        v = judge.check(
            k, name, pipeline, self.make, envs, peer=self.args.peer, properties=self.args.under_test == "ours"
        )
        t.kernels += 1
        t.status[v.status] += 1
        t.pipelines[pipeline] += 1
        t.runs += v.runs
        t.reasons.update(v.skips)
        if v.reason:
            t.reasons[f"{v.status}: {v.reason}"] += 1
        t.pass_ms += v.pass_ms
        if v.failure:
            self.failed(k, name, v.failure)
        elif v.status == "ok" and self.args.peer:
            self.compare(k, name, v)
        every = self.args.execute_c
        if every and "c" in k.pipelines() and v.status == "ok":
            self.candidates += 1
        if every and "c" in k.pipelines() and v.status == "ok" and self.candidates % every == 0:
            state, fault = execute(k, name, self.make, envs)
            t.executed_c[state] += 1
            if fault and state == "fail":
                self.failed(k, name, fault, small=False)
            elif fault:
                t.reasons[fault.detail] += 1

    def compare(self, k: Kernel, name: str, v: judge.Verdict) -> None:
        """Guard work of ours against the peer's, where the peer is sound."""
        t = self.totals
        if v.peer_fault:
            t.peer_faults[v.peer_fault.split(":")[0]] += 1
            return
        t.compared += 1
        t.peer_ms += v.peer_ms
        t.guards += v.guards
        t.peer_guards += v.peer_guards or 0
        t.dynamic += v.dynamic
        t.optimised += v.optimised
        t.peer_dynamic += v.peer_dynamic or 0
        if v.more:
            t.more[v.more].append(name)
            if len(t.more[v.more]) <= self.args.keep:
                detail = (
                    f"guards {v.guards} / {v.peer_guards}, evaluated {v.dynamic} / {v.peer_dynamic}, ours / TileLang's"
                )
                f = judge.Failure(f"more-{v.more}", v.pipeline, {}, detail)
                save(self.out / "more", k, name, f, self.args.under_test)

    def failed(self, k: Kernel, name: str, f: judge.Failure, small: bool = True) -> None:
        """Count, shrink the first of each bucket, write."""
        self.totals.failures[f.kind] += 1
        b = bucket(f)
        self.seen[b] += 1
        if self.seen[b] > self.args.keep:
            return
        if small and self.args.shrink and f.kind != "unsupported":
            k, f = self.smaller(k, name, f)
        self.totals.files.append(str(save(self.out, k, name, f, self.args.under_test)))

    def smaller(self, k: Kernel, name: str, f: judge.Failure) -> tuple[Kernel, judge.Failure]:
        """The smallest kernel that fails in the same way."""
        last = f

        def fails(k2: Kernel, env: dict[str, int]) -> bool:
            nonlocal last
            if f.pipeline not in k2.pipelines():
                return False
            v = judge.check(k2, name, f.pipeline, self.make, [env], properties=f.kind in TWICE)
            if v.failure is None or v.failure.kind != f.kind:
                return False
            last = v.failure
            return True

        env = f.env or dict.fromkeys((*k.symbols, *k.scalars), 8)
        if not fails(k, env):
            return k, f
        k, env, _ = shrink(k, env, fails, self.args.shrink)
        return k, judge.Failure(last.kind, last.pipeline, env, last.detail)


def replay(path: pathlib.Path, under_test: str) -> str:
    """Judge a saved file again: one line."""
    from tests import oracle

    from .lowering import at_pass, only_function

    mod = load(path)
    make = pass_named(under_test)
    before = at_pass(mod.make(), mod.PIPELINE)
    try:
        after = apply_pass(make, before, mod.PIPELINE)
    except Exception as e:
        return f"crash: {judge.first_line(e)}"
    if mod.KIND in TWICE:
        if judge.same(apply_pass(make, after, mod.PIPELINE), after):
            return "right"
        return "out-of-budget" if judge.gives_up(after, mod.PIPELINE) else "not-idempotent"
    want, why = judge.run_safe(oracle.Program(only_function(before), "safe"), mod.arguments())
    if want is None:
        return f"no meaning to compare with: {why}"
    if mod.KIND.startswith("c-"):
        kind, detail = in_child(mod.make(), make, mod.arguments(), want.outputs)
        return f"{kind}: {detail}" if kind else "right"
    kind, detail, _ = judge.compare(want, oracle.Program(only_function(after), "strict"), mod.arguments())
    return f"{kind}: {detail}" if kind else "right"


@contextlib.contextmanager
def quiet(on: bool) -> Iterator[Any]:
    """Keep compilers' chatter off the terminal; yields the terminal."""
    sys.stdout.flush()
    terminal = os.fdopen(os.dup(1), "w")
    if on:
        null = os.open(os.devnull, os.O_WRONLY)
        saved = os.dup(1), os.dup(2)
        os.dup2(null, 1)
        os.dup2(null, 2)
    try:
        yield terminal
    finally:
        sys.stdout.flush()
        if on:
            os.dup2(saved[0], 1)
            os.dup2(saved[1], 2)
        terminal.flush()


def report(t: Totals, say: Callable[[str], None], args: argparse.Namespace) -> None:
    """The summary for people."""
    say(f"seed {args.seed}, pass {args.under_test}: {t.kernels} kernels in {t.seconds:.1f} s "
        f"({t.kernels / max(t.seconds, 1e-9):.1f}/s), {t.runs} runs compared")  # fmt: skip
    say("  " + ", ".join(f"{k} {n}" for k, n in t.status.most_common())
        + " | pipelines " + ", ".join(f"{k} {n}" for k, n in t.pipelines.most_common()))  # fmt: skip
    if t.executed_c:
        say("  executed on the C target: " + ", ".join(f"{k} {n}" for k, n in t.executed_c.most_common()))
    if t.compared:
        say(f"  against TileLang's pass, {t.compared} kernels where it is sound (ours / its):")
        say(
            f"    guard comparisons {t.guards} / {t.peer_guards}, evaluated {t.dynamic} / {t.peer_dynamic}, "
            f"with optimisations {t.optimised}; pass {t.pass_ms:.0f} / {t.peer_ms:.0f} ms"
        )
        for how, names in t.more.items():
            say(f"    more comparisons {how} than its: {len(names)} kernels {' '.join(names[:6])}")
    if t.peer_faults:
        say("  TileLang's pass wrong: " + ", ".join(f"{k} {n}" for k, n in t.peer_faults.most_common()))
    say("  failures: " + (", ".join(f"{k} {n}" for k, n in t.failures.most_common()) or "none"))
    for f in t.files[:20]:
        say(f"    {f}")
    if args.verbose:
        for r, n in t.reasons.most_common(30):
            say(f"    {n} x {r}")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    p = argparse.ArgumentParser(prog="python -m tests.fuzz.driver", description=(__doc__ or "").splitlines()[0])
    p.add_argument("--seed", default="1")
    p.add_argument("--start", type=int, default=0, help="number of the first kernel")
    p.add_argument("--count", type=int, default=100)
    p.add_argument("--pass", dest="under_test", choices=("ours", "tilelang", "none"), default="ours")
    p.add_argument("--pipelines", default=",".join(PIPELINES), help="of none, cuda, c")
    p.add_argument("--styles", default=",".join(STYLES), help="of tile, thread, script")
    p.add_argument("--out", default="build/fuzz", help="folder for failing kernels")
    p.add_argument("--shapes", type=int, default=4, help="shapes a kernel")
    p.add_argument("--shrink", type=int, default=250, metavar="TRIALS", help="0 leaves failures as they are")
    p.add_argument("--keep", type=int, default=2, help="files per kind of failure")
    p.add_argument("--peer", action="store_true", help="count guards against TileLang's pass")
    p.add_argument("--execute-c", type=int, default=0, metavar="K", help="execute every K-th kernel on the C target")
    p.add_argument("--seconds", type=float, default=0, help="stop after this long")
    p.add_argument("--replay", type=pathlib.Path, help="judge one saved file again")
    p.add_argument("--verbose", action="store_true", help="compilers' messages and reasons for skipping")
    return p


def main(argv: list[str] | None = None) -> int:
    """Exit code 0: nothing found; 1: failures; 2: bad usage."""
    args = parser().parse_args(argv)
    bad = [p for p in args.pipelines.split(",") if p not in PIPELINES]
    bad += [s for s in args.styles.split(",") if s not in STYLES]
    if bad or args.count < 0:
        print(f"unknown pipeline or style: {', '.join(bad)}" if bad else "--count is negative", file=sys.stderr)
        return 2
    if args.replay:
        if not args.replay.is_file():
            print(f"no such file: {args.replay}", file=sys.stderr)
            return 2
        with quiet(not args.verbose) as terminal:
            line = replay(args.replay, args.under_test)
            print(line, file=terminal)
        return 0 if line == "right" else 1
    with quiet(not args.verbose) as terminal:
        totals = Driver(args).run()
        report(totals, lambda line: print(line, file=terminal), args)
    out = pathlib.Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "summary.json").write_text(json.dumps(vars(totals), indent=1))
    return 1 if totals.faults else 0


if __name__ == "__main__":
    sys.exit(main())
