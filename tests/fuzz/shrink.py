"""Making a failing kernel small: greedy cuts, the largest first, while it fails the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from .exprs import lit
from .tree import E, Kernel, Launch, Param, S

Env = dict[str, int]


def shrink(
    kernel: Kernel, env: Env, fails: Callable[[Kernel, Env], bool], budget: int = 400
) -> tuple[Kernel, Env, int]:
    """The smallest kernel and shape found within `budget` trials; also the trials used."""
    used = 0
    progress = True
    while progress and used < budget:
        progress = False
        for k2, env2 in _candidates(kernel, env):
            if used >= budget:
                break
            used += 1
            if fails(k2, env2):
                kernel, env, progress = k2, env2, True
                break
    return kernel, env, used


def _candidates(k: Kernel, env: Env) -> Iterator[tuple[Kernel, Env]]:
    for k2 in kernels(k):
        yield k2, {s: v for s, v in env.items() if s in (*k2.symbols, *k2.scalars)}
    for s, v in env.items():
        for w in (0, 1, v // 2, v - 1):
            if abs(w) < abs(v) and (w >= 0 or s in k.scalars):
                yield k, {**env, s: w}


def kernels(k: Kernel) -> Iterator[Kernel]:
    """Smaller kernels, the most daring first."""
    for i in range(len(k.launches)):
        if len(k.launches) > 1:
            yield replace(k, launches=k.launches[:i] + k.launches[i + 1 :])
    if k.host:
        yield replace(k, host=())
    for i, launch in enumerate(k.launches):
        for body in bodies(launch.body):
            yield _with(k, i, replace(launch, body=body))
    yield from _params(k)
    for i, launch in enumerate(k.launches):
        for g, e in enumerate(launch.grid):
            for e2 in _exprs(e):
                yield _with(k, i, replace(launch, grid=(*launch.grid[:g], e2, *launch.grid[g + 1 :])))
        for body in _expr_bodies(launch.body):
            yield _with(k, i, replace(launch, body=body))


def _with(k: Kernel, i: int, launch: Launch) -> Kernel:
    return replace(k, launches=(*k.launches[:i], launch, *k.launches[i + 1 :]))


def bodies(body: tuple[S, ...]) -> Iterator[tuple[S, ...]]:
    """A statement less, or one replaced by its own body."""
    if len(body) > 3:
        half = len(body) // 2
        yield body[:half]
        yield body[half:]
    for i, s in enumerate(body):
        yield body[:i] + body[i + 1 :]
        for b in s.bodies:
            yield body[:i] + b + body[i + 1 :]
    for i, s in enumerate(body):
        if len(s.bodies) == 2:
            yield (*body[:i], replace(s, bodies=s.bodies[:1], links=()), *body[i + 1 :])
        for j, b in enumerate(s.bodies):
            for b2 in bodies(b):
                yield (*body[:i], replace(s, bodies=(*s.bodies[:j], b2, *s.bodies[j + 1 :])), *body[i + 1 :])


def _expr_bodies(body: tuple[S, ...]) -> Iterator[tuple[S, ...]]:
    for i, s in enumerate(body):
        for j, e in enumerate(s.kids):
            for e2 in _exprs(e):
                yield (*body[:i], replace(s, kids=(*s.kids[:j], e2, *s.kids[j + 1 :])), *body[i + 1 :])
        for j, b in enumerate(s.bodies):
            for b2 in _expr_bodies(b):
                yield (*body[:i], replace(s, bodies=(*s.bodies[:j], b2, *s.bodies[j + 1 :])), *body[i + 1 :])


def _exprs(e: E) -> Iterator[E]:
    """Smaller expressions: a subtree in its parent's place, or a constant."""
    for path, node in e.walk():
        if node.kids:
            for kid in node.kids:
                yield e.put(path, kid)
            if node.type == "int32":
                yield e.put(path, lit(0))
            elif node.type != "bool":
                yield e.put(path, E(f'T.Cast("{node.type}", 1)', (), node.type))
        elif node.fmt.isdigit() and int(node.fmt) > 1:
            yield e.put(path, lit(1))


def _params(k: Kernel) -> Iterator[Kernel]:
    body = "\n".join(k.source().splitlines()[1:])
    for i, p in enumerate(k.params):
        if body.count(f"{p.name}[") == 0 and f"{p.name}:" in body:
            rest = k.params[:i] + k.params[i + 1 :]
            yield replace(k, params=rest)
            left = " ".join(str(d) for q in rest for d in q.shape)
            kept = tuple(s for s in k.symbols if s in left)
            if kept != k.symbols:
                yield replace(k, params=rest, symbols=kept)
        for d, e in enumerate(p.shape):
            for e2 in _exprs(e):
                q: Param = replace(p, shape=(*p.shape[:d], e2, *p.shape[d + 1 :]))
                yield replace(k, params=(*k.params[:i], q, *k.params[i + 1 :]))
    for s in k.scalars:
        yield replace(k, scalars=tuple(x for x in k.scalars if x != s))
