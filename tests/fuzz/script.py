"""Kernels in plain tirx script: what no TileLang front end writes but the pass must take."""

from __future__ import annotations

from .exprs import Scope, bin_, call, lit, read
from .plan import Plan, place_value
from .stmts import store
from .tree import E, S


def script_body(plan: Plan) -> tuple[S, ...]:
    """Loops (serial, or bound to threads) around free statements."""
    return tuple(_Script(plan).top())


class _Script:
    def __init__(self, plan: Plan) -> None:
        self.plan, self.rng = plan, plan.rng
        self.wild = self.rng.choice([0.1, 0.3, 0.5, 0.7])
        self.count = 0
        self.heads: list[S] = []

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def top(self) -> list[S]:
        plan = self.plan
        ints: list[E] = []
        loops: list[tuple[str, E]] = []
        own: list[E] = []
        for d, (ext, t) in enumerate(zip(plan.dims, plan.tiles, strict=True)):
            v = E("ijl"[d])
            if d == 0 and not plan.serial:
                loops.append(('for b in T.thread_binding({0}, "blockIdx.x"):', lit(self.rng.choice([1, 2, 3]))))
                loops.append(('for i in T.thread_binding({0}, "threadIdx.x"):', lit(plan.threads)))
                own.append(bin_("+", bin_("*", E("b"), lit(plan.threads)), v))
                ints.append(E("b"))
            else:
                bound = self.rng.choice([ext, ext, lit(t), bin_("+", ext, lit(1))])
                kind = self.rng.choice(["range({0})", "range({0})", "T.serial({0})", "T.parallel({0})"])
                if hasattr(bound, "fmt") and not bound.kids and bound.fmt.isdigit():
                    kind = self.rng.choice([kind, "T.unroll({0})", "T.vectorized({0})"])
                loops.append((f"for {v} in {kind}:", bound))
                own.append(v)
            ints.append(v)
        scope = plan.scope([*own, *own, *ints], self.wild)
        if self.chance(0.4):
            p = self.name("p")
            self.heads.append(S(f'{p} = T.alloc_buffer((1,), "int32", scope="local")'))
            self.heads.append(S(f"{p}[0] = {{0}}", (lit(self.rng.choice([0, 1, 5])),)))
            scope.mutable.append(f"{p}[0]")
        body = self.block(scope, own, 2)
        vectorized = False
        if not plan.serial:
            # What is allocated outside of the threads is shared by them.
            self.heads, body = [], [*self.heads, *body]
        for head, bound in reversed(loops):
            if "vectorized" in head and vectorized:
                head = head.replace("vectorized", "serial")
            vectorized = vectorized or "vectorized" in head
            body = [S(head, (bound,), (tuple(body),))]
        return [*self.heads, *body]

    def block(self, scope: Scope, own: list[E], depth: int) -> list[S]:
        out: list[S] = []
        keep, muts = list(scope.ints), list(scope.mutable)
        for _ in range(self.rng.choice([1, 2, 2])):
            out += self.statement(scope, own, depth)
        scope.ints, scope.mutable = keep, muts
        return out

    def statement(self, scope: Scope, own: list[E], depth: int) -> list[S]:
        makers = [self.store, self.store, self.vector, self.bind, self.move, self.anywhere]
        if depth > 0:
            makers += [self.guard, self.guard, self.loop, self.walk]
        return self.rng.choice(makers)(scope, own, depth)

    def store(self, scope: Scope, own: list[E], depth: int) -> list[S]:
        c = self.plan.buf("C")
        assert c is not None
        idx = own
        if self.plan.serial and self.chance(0.6):
            idx = [scope.index_expr(x) for x in c.shape]
        return [store(c, idx, scope.value(c.dtype))]

    def anywhere(self, scope: Scope, own: list[E], depth: int) -> list[S]:
        d = self.plan.buf("D")
        if d is None:
            return []
        idx = [scope.index_expr(x) for x in d.shape]
        return [store(d, idx, place_value(self.plan, idx))]

    def vector(self, scope: Scope, own: list[E], depth: int) -> list[S]:
        """R takes vectors by Ramp, Broadcast and Shuffle."""
        r, a = self.plan.buf("R"), self.plan.buf("A")
        if r is None or a is None:
            return []
        lanes = self.rng.choice([2, 4])
        base = scope.index_expr(r.shape[0], 1)
        at = call(f"T.Ramp({{0}}, {{1}}, {lanes})", base, lit(self.rng.choice([1, 1, 2])))
        pick = self.rng.randrange(4)
        last = scope.index_expr(a.shape[-1], 1)
        if pick == 0:
            src = call(f"T.Broadcast({{0}}, {lanes})", last)
        elif pick == 1:
            order = list(range(lanes))
            self.rng.shuffle(order)
            kids = tuple(scope.index_expr(a.shape[-1], 1) for _ in range(lanes))
            places = ", ".join(f'T.Cast("int32", {{{i}}})' for i in range(lanes))
            src = E(f"T.Shuffle([{places}], {order})", kids)
        else:
            src = call(f"T.Ramp({{0}}, {{1}}, {lanes})", last, lit(self.rng.choice([1, 1, -1, 3])))
        idx = [*(scope.index_expr(x, 1) for x in a.shape[:-1]), src]
        return [store(r, [at], read(a, idx))]

    def bind(self, scope: Scope, own: list[E], depth: int) -> list[S]:
        q = self.name("q")
        s = S(f'{q}: T.int32 = T.Cast("int32", {{0}})', (scope.index_expr(self.rng.choice(self.plan.dims)),))
        scope.ints = [E(q), E(q), *scope.ints]
        return [s, *self.store(scope, own, depth)]

    def move(self, scope: Scope, own: list[E], depth: int) -> list[S]:
        if not scope.mutable:
            return []
        p = self.rng.choice(scope.mutable)
        new = call('T.Cast("int32", {0})', scope.index_expr(self.plan.dims[0]))
        return [S(f"{p} = {{0}}", (new,)), *self.store(scope, own, depth)]

    def guard(self, scope: Scope, own: list[E], depth: int) -> list[S]:
        d = self.rng.randrange(len(own))
        cond = scope.cond(self.plan.dims[d])
        if self.chance(0.4):
            cond = call("({0} < {1})", own[d], self.plan.dims[d], type_="bool")
        body = tuple(self.block(scope, own, depth - 1))
        if self.chance(0.25):
            return [S("if {0}:", (cond,), (body, tuple(self.block(scope, own, depth - 1))), ("else:",))]
        return [S("if {0}:", (cond,), (body,))]

    def loop(self, scope: Scope, own: list[E], depth: int) -> list[S]:
        k = self.name("k")
        keep = list(scope.ints)
        scope.ints = [E(k), *scope.ints]
        n = self.plan.buf("N")
        bound = read(n, [scope.index_expr(n.shape[0], 1)]) if n and self.chance(0.5) else lit(self.rng.choice([2, 4]))
        body = tuple(self.block(scope, own, depth - 1))
        scope.ints = keep
        return [S(f"for {k} in range({{0}}):", (bound,), (body,))]

    def walk(self, scope: Scope, own: list[E], depth: int) -> list[S]:
        w = self.name("w")
        self.heads.append(S(f'{w} = T.alloc_buffer((1,), "int32", scope="local")'))
        e, ext = E(f"{w}[0]"), self.rng.choice(self.plan.dims)
        keep = list(scope.ints)
        scope.ints = [e, e, *scope.ints]
        step = S(f"{w}[0] = {w}[0] + {self.rng.choice([1, 2])}")
        inner = self.anywhere(scope, own, 0) if not self.plan.serial else self.store(scope, own, 0)
        body = self.rng.choice([[step, *inner], [*inner, step]])
        scope.ints = keep
        return [S(f"{w}[0] = 0"), S("while {0}:", (call("({0} < {1})", e, ext, type_="bool"),), (tuple(body),))]
