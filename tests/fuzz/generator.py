"""Random kernels: `generate(seed)` is deterministic; the same seed gives the same source."""

from __future__ import annotations

import random

from .exprs import call, lit
from .plan import Plan, make_plan
from .script import script_body
from .stmts import Body
from .tileops import tile_statements
from .tree import E, Kernel, Launch, S

STYLES = ("tile", "tile", "thread", "thread", "thread", "script", "script")


def generate(seed: str, styles: tuple[str, ...] = STYLES) -> Kernel:
    """The kernel of a seed."""
    rng = random.Random(seed)
    plan = make_plan(rng, rng.choice(styles))
    if plan.style == "script":
        launches: tuple[Launch, ...] = (Launch((), 1, script_body(plan)),)
        host: tuple[S, ...] = ()
    else:
        count = 2 if rng.random() < 0.12 else 1
        launches = tuple(_launch(plan, k) for k in range(count))
        host = _host(plan)
    return Kernel(
        plan.style, tuple(plan.params), tuple(plan.symbols), tuple(plan.scalars), launches, host,
        plan.tileop, frozenset(plan.tags),
    )  # fmt: skip


def _host(plan: Plan) -> tuple[S, ...]:
    rng = plan.rng
    if not plan.symbols or rng.random() > 0.2:
        return ()
    s = rng.choice(plan.symbols)
    return (S(f"T.assume({s} % {rng.choice([2, 4, 8])} == 0)") if rng.random() < 0.6 else S(f"T.assume({s} > 0)"),)


def _grid(plan: Plan) -> tuple[E, ...]:
    """One block dimension for each tiled dimension, right, a little off, or unrelated."""
    out: list[E] = []
    for d, t in list(zip(plan.dims, plan.tiles, strict=True))[:2]:
        t = _span(plan, len(out), t)
        right = call(f"T.ceildiv({{0}}, {t})", d)
        out.append(
            plan.rng.choice(
                [right, right, right, right, call(f"({{0}} // {t} + 1)", d), lit(plan.rng.choice([1, 2, 3]))]
            )
        )
    return tuple(out)


def _span(plan: Plan, d: int, tile: int) -> int:
    """How many elements of dimension d one block owns."""
    if plan.style == "thread":
        last = d == min(len(plan.dims), 2) - 1
        return plan.threads * plan.vector if last else 1
    return tile


def _launch(plan: Plan, k: int) -> Launch:
    rng = plan.rng
    head: list[S] = []
    data = [p for p in plan.params if p.role in ("data", "valid", "wild")]
    if rng.random() < 0.3:
        p = rng.choice(data)
        v = rng.choice([1.5, 3.0, 2.25]) if p.dtype[0] == "f" else rng.choice([1, 3, 100])
        # Typed: a bare number reaches the raw pipeline as a Python number, which no pass expects.
        head.append(S("T.annotate_safe_value({" + f"{p.name}: T.{p.dtype}({v})" + "})"))
        plan.tags.add("safe_value")
    blocks = [E("bx"), E("by")][: min(len(plan.dims), 2)]
    body = Body(plan, blocks, k)
    if plan.style == "thread":
        head.append(S("tx = T.get_thread_binding()"))
        main = body.thread_body()
    else:
        main = tile_statements(plan, body) if plan.tileop and rng.random() < 0.8 else body.tile_body()
    return Launch(_grid(plan), plan.threads, (*head, *body.allocs, *main))
