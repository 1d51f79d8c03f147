"""The genome of a random kernel: a small tree of text templates that can be printed and cut down."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class E:
    """An expression: `fmt` with the operands' text in its places; `type` is a dtype name."""

    fmt: str
    kids: tuple[E, ...] = ()
    type: str = "int32"

    def __str__(self) -> str:
        return self.fmt.format(*self.kids) if self.kids else self.fmt

    def walk(self) -> Iterator[tuple[tuple[int, ...], E]]:
        """Every node with its path, the root first."""
        yield (), self
        for i, k in enumerate(self.kids):
            for path, node in k.walk():
                yield (i, *path), node

    def put(self, path: tuple[int, ...], new: E) -> E:
        """A copy with `new` at `path`."""
        if not path:
            return new
        kids = list(self.kids)
        kids[path[0]] = kids[path[0]].put(path[1:], new)
        return replace(self, kids=tuple(kids))


@dataclass(frozen=True)
class S:
    """A statement: `head` with the operands in its places, then one indented body per entry.

    `links[k]` is the line between body k and body k + 1 ("else:").
    """

    head: str
    kids: tuple[E, ...] = ()
    bodies: tuple[tuple[S, ...], ...] = ()
    links: tuple[str, ...] = ()

    def lines(self, depth: int) -> Iterator[str]:
        """Source lines, indented by four spaces a level."""
        pad = "    " * depth
        yield pad + (self.head.format(*self.kids) if self.kids else self.head)
        for k, body in enumerate(self.bodies):
            if k:
                yield pad + self.links[k - 1]
            yield from (line for s in body for line in s.lines(depth + 1))
            if not body:
                yield pad + "    T.evaluate(0)"


@dataclass(frozen=True)
class Param:
    """A buffer parameter: `role` says how it is filled (see inputs.py)."""

    name: str
    shape: tuple[E, ...]
    dtype: str
    role: str


@dataclass(frozen=True)
class Launch:
    """One `with T.Kernel(...)`: allocations and annotations come first in `body`."""

    grid: tuple[E, ...]
    threads: int
    body: tuple[S, ...]
    blocks: tuple[str, ...] = ("bx", "by", "bz")


@dataclass(frozen=True)
class Kernel:
    """A whole function.

    style:   "tile" (tile-level, every pipeline), "thread" (uses thread indices: not "c"),
             "script" (plain tirx script: pipeline "none" only).
    symbols: dynamic dimension names; scalars: int32 parameters.
    tileop:  uses T.copy and the like, which only a real pipeline lowers.
    """

    style: str
    params: tuple[Param, ...]
    symbols: tuple[str, ...]
    scalars: tuple[str, ...]
    launches: tuple[Launch, ...]
    host: tuple[S, ...] = ()
    tileop: bool = False
    tags: frozenset[str] = field(default_factory=frozenset)

    def source(self) -> str:
        """Python source defining `make()`, which returns the PrimFunc."""
        return _script(self) if self.style == "script" else _tile(self)

    def pipelines(self) -> tuple[str, ...]:
        """The pipelines that can take this kernel."""
        if self.style == "script":
            return ("none",)
        base = ("cuda",) if self.tileop else ("none", "cuda")
        # The C target has no fill of fragments, which a pipelined sum starts with.
        return base if self.style == "thread" or "pipelined" in self.tags else (*base, "c")


def _dims(shape: tuple[E, ...]) -> str:
    return "(" + "".join(f"{d}, " for d in shape) + ")"


def _tile(k: Kernel) -> str:
    out = ["import tilelang.language as T", "", "", "def make():"]
    out += [f'    {s} = T.dynamic("{s}")' for s in k.symbols]
    args = [f'{p.name}: T.Tensor({_dims(p.shape)}, "{p.dtype}")' for p in k.params]
    args += [f"{s}: T.int32" for s in k.scalars]
    out += ["", "    @T.prim_func", f"    def main({', '.join(args)}):"]
    out += [line for s in k.host for line in s.lines(2)]
    for launch in k.launches:
        grid = ", ".join(map(str, launch.grid))
        names = launch.blocks[: len(launch.grid)]
        var = names[0] if len(names) == 1 else f"({', '.join(names)})"
        out.append(f"        with T.Kernel({grid}, threads={launch.threads}) as {var}:")
        body = [line for s in launch.body for line in s.lines(3)]
        out += body or ["            T.evaluate(0)"]
    if not k.launches:
        out.append("        T.evaluate(0)")
    return "\n".join([*out, "", "    return main", ""])


def _script(k: Kernel) -> str:
    out = ["import tilelang  # noqa: F401", "from tvm.script import tirx as T", "", "", "def make():"]
    args = [f"{p.name}_handle: T.handle" for p in k.params] + [f"{s}: T.int32" for s in k.scalars]
    out += ["    @T.prim_func", f"    def main({', '.join(args)}):"]
    out += [f"        {s} = T.int32()" for s in k.symbols]
    out += [f'        {p.name} = T.match_buffer({p.name}_handle, {_dims(p.shape)}, "{p.dtype}")' for p in k.params]
    for launch in k.launches:
        out += [line for s in launch.body for line in s.lines(2)]
    if not any(launch.body for launch in k.launches):
        out.append("        T.evaluate(0)")
    return "\n".join([*out, "", "    return main", ""])
