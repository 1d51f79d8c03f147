"""Tile operators: copies of regions to shared memory and fragments and back, pipelined loops."""

from __future__ import annotations

from .exprs import bin_, call, lit
from .stmts import Body
from .tree import E, S


def _at(name: str, idx: list[E]) -> E:
    places = ", ".join(f"{{{i}}}" for i in range(len(idx)))
    return E(f"{name}[{places}]", tuple(idx))


def tile_statements(plan: object, body: Body) -> list[S]:
    """A load, an elementwise step and a store, each by tile operators or parallel loops."""
    p, rng = body.plan, body.rng
    if len(p.dims) > 2:
        return body.tile_body()
    tile = p.tiles[: len(p.dims)]
    shape = "(" + "".join(f"{t}, " for t in tile) + ")"
    sh, fr = body.name("sh"), body.name("fr")
    body.allocs.append(S(f'{sh} = T.alloc_shared({shape}, "{p.dtype}")'))
    body.allocs.append(S(f'{fr} = T.alloc_fragment({shape}, "{p.dtype}")'))
    corner = [bin_("*", b, lit(t)) for b, t in zip(body.blocks, tile, strict=True)]
    source = list(corner)
    if body.chance(0.3):
        d = rng.randrange(len(source))
        source[d] = bin_(rng.choice(["+", "-"]), source[d], lit(rng.choice([1, 2, 3])))
    names = ["i", "j"][: len(tile)]
    own = body.tile_own([E(v) for v in names])
    scope = p.scope([*own, *(E(v) for v in names)], body.wild)
    local = _at(fr, [E(v) for v in names])
    step = S(f"{fr}[{', '.join(names)}] = {{0}}", (bin_("+", E(str(local), (), p.dtype), scope.value(p.dtype, 1)),))
    loop = f"for {', '.join(names)} in T.Parallel({', '.join(map(str, tile))}):"
    fill = S("T.copy({0}, {1})", (_at("A", source), E(sh)))
    out: list[S]
    if body.chance(0.35):
        p.tags.add("pipelined")
        ko = body.name("k")
        moving = [*source[:-1], bin_("*", E(ko), lit(tile[-1]))]
        fill = S("T.copy({0}, {1})", (_at("A", moving), E(sh)))
        add = S(f"{fr}[{', '.join(names)}] = {fr}[{', '.join(names)}] + {sh}[{', '.join(names)}]")
        trips = rng.choice([call(f"T.ceildiv({{0}}, {tile[-1]})", p.dims[-1]), lit(2), lit(3)])
        stages = rng.choice([0, 1, 2, 3])
        out = [
            S(f"T.clear({fr})"),
            S(
                f"for {ko} in T.Pipelined({{0}}, num_stages={stages}):",
                (trips,),
                ((fill, S(loop, (), ((add,),))),),
            ),
        ]
    else:
        direct = body.chance(0.3)
        out = [S("T.copy({0}, {1})", (_at("A", source), E(fr)))] if direct else [fill, S(f"T.copy({sh}, {fr})")]
    if body.chance(0.6):
        out.append(S(loop, (), ((step,),)))
    if body.chance(0.7):
        out.append(S("T.copy({0}, {1})", (E(fr), _at("C", corner))))
    else:
        back = S(f"C[{', '.join(map(str, own))}] = {fr}[{', '.join(names)}]")
        out.append(S(loop, (), ((body.maybe_if(scope, own, [back]),),)))
    if body.chance(0.2):
        body.uniform(out)
    return out
