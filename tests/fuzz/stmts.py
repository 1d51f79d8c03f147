"""Random statements of one kernel launch."""

from __future__ import annotations

from collections.abc import Callable

from .exprs import Scope, bin_, call, lit, read
from .plan import Plan, place_value
from .tree import E, Param, S


def store(p: Param, idx: list[E], value: E) -> S:
    """p[idx] = value."""
    places = ", ".join(f"{{{i}}}" for i in range(len(idx)))
    return S(f"{p.name}[{places}] = {{{len(idx)}}}", (*idx, value))


class Body:
    """Builds the statements of one launch."""

    def __init__(self, plan: Plan, blocks: list[E], launch: int) -> None:
        self.plan = plan
        self.rng = plan.rng
        self.blocks = blocks
        self.allocs: list[S] = []
        self.counter = launch * 100
        self.wild = self.rng.choice([0.0, 0.2, 0.4, 0.6])

    def name(self, stem: str) -> str:
        """A fresh name."""
        self.counter += 1
        return f"{stem}{self.counter}"

    def chance(self, p: float) -> bool:
        """True with probability p."""
        return self.rng.random() < p

    # -- how the output is owned --------------------------------------------------------------
    def tile_own(self, inner: list[E]) -> list[E]:
        """bx * T0 + i and so on; dimensions past the grid by their loop alone."""
        own = []
        for d, i in enumerate(inner):
            e = i
            if d < len(self.blocks):
                e = bin_("+", bin_("*", self.blocks[d], lit(self.plan.tiles[d])), i)
            own.append(e)
        return own

    def thread_own(self, lane: E | None, extra: E | None) -> list[E]:
        """The last gridded dimension by thread, those before by block, those after by a loop."""
        b, v = self.blocks, self.plan.vector
        flat = bin_("+", bin_("*", b[-1], lit(self.plan.threads)), E("tx"))
        if lane is not None:
            flat = bin_("+", bin_("*", flat, lit(v)), lane)
        own = [*b[:-1], flat]
        if len(self.plan.dims) > 2 and extra is not None:
            own.append(extra)
        return own

    # -- tile-level kernels ---------------------------------------------------------------------
    def tile_body(self) -> list[S]:
        """Parallel loops, perhaps inside serial ones, perhaps through shared memory."""
        out: list[S] = []
        self.uniform(out)
        for _ in range(self.rng.choice([1, 1, 2])):
            if self.chance(0.25):
                out += self.shared_stage()
            elif self.chance(0.2):
                k = self.name("k")
                bound = self.rng.choice([lit(2), lit(3), self.count()])
                out.append(S(f"for {k} in T.serial({{0}}):", (bound,), (tuple(self.parallel([E(k)])),)))
            else:
                out += self.parallel([])
        return out

    def count(self) -> E:
        """A loop bound read from memory, if there is a tensor of them."""
        n = self.plan.buf("N")
        return read(n, [self.rng.choice([self.blocks[0], lit(0), lit(9)])]) if n else lit(3)

    def parallel(self, more: list[E]) -> list[S]:
        """One T.Parallel nest over the tile."""
        plan = self.plan
        names = ["i", "j", "l"][: len(plan.dims)]
        ext = [str(t) for t in plan.tiles[: len(names)]]
        vars_ = [E(v) for v in names]
        own = self.tile_own(vars_)
        scope = plan.scope([*own, *vars_, *self.blocks, *more], self.wild)
        body = self.block(scope, own, 2, parallel=True)
        return [S(f"for {', '.join(names)} in T.Parallel({', '.join(ext)}):", (), (tuple(body),))]

    def shared_stage(self) -> list[S]:
        """Fill shared memory by one parallel loop, read neighbours in another."""
        plan, sh = self.plan, self.name("sh")
        t = plan.tiles[0]
        self.allocs.append(S(f'{sh} = T.alloc_shared(({t + 2},), "{plan.dtype}")'))
        i = E("i")
        inner = [i, *(lit(0) for _ in plan.dims[1:])]
        own = self.tile_own(inner)
        scope = plan.scope([*own, i], self.wild)
        fill = S(f"{sh}[{{0}}] = {{1}}", (i, scope.value(plan.dtype)))
        near = E(f"{sh}[{{0}}]", (call(f"T.max({{0}} - 1, 0) % {t}", i),), plan.dtype)
        use = store(self.plan.buf("C"), own, bin_("+", near, scope.value(plan.dtype, 1)))  # type: ignore[arg-type]
        return [
            S(f"for i in T.Parallel({t}):", (), ((fill,),)),
            S(f"for i in T.Parallel({t}):", (), ((self.maybe_if(scope, own, [use]),),)),
        ]

    def uniform(self, out: list[S]) -> None:
        """Statements that all threads execute alike: variables, searches, stores by place."""
        scope = self.plan.scope([*self.blocks], self.wild)
        if self.chance(0.25):
            out += self.variable(scope)
            if self.chance(0.6):
                out += self.search(scope)
        if self.chance(0.3):
            out += self.place_store(scope)

    # -- thread-level kernels --------------------------------------------------------------------
    def thread_body(self) -> list[S]:
        """A body over `tx`, perhaps in a loop over what the grid leaves open."""
        plan = self.plan
        tx = E("tx")
        base = self.thread_own(None, None)
        ints = [*base, *base, tx, *self.blocks]
        scope = plan.scope(ints, self.wild)
        out: list[S] = []
        if self.chance(0.35):
            out += self.variable(scope)
        if self.chance(0.15):
            ret = S("T.thread_return()")
            out.append(S("if {0}:", (scope.cond(plan.dims[-1]),), ((ret,),)))
        lane, extra = None, None
        wrap: list[tuple[str, E]] = []
        if len(plan.dims) > 2:
            extra = E("l")
            wrap.append(("for l in T.serial({0}):", self.rng.choice([plan.dims[2], lit(plan.tiles[2])])))
            scope.ints.append(extra)
        if plan.vector > 1:
            lane = E("v")
            wrap.append(("for v in T.vectorized({0}):", lit(plan.vector)))
        own = self.thread_own(lane, extra)
        scope.ints = [*own, *own, *scope.ints]
        core = self.block(scope, own, 3, parallel=plan.vector > 1)
        for head, bound in reversed(wrap):
            core = [S(head, (bound,), (tuple(core),))]
        return out + core

    # -- statements ---------------------------------------------------------------------------------
    def block(self, scope: Scope, own: list[E], depth: int, parallel: bool, loop: bool = False) -> list[S]:
        """A few statements; `parallel` forbids what a parallel loop cannot hold."""
        keep, muts = list(scope.ints), list(scope.mutable)
        out: list[S] = []
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            out += self.statement(scope, own, depth, parallel, loop)
        scope.ints, scope.mutable = keep, muts
        return out

    def statement(self, scope: Scope, own: list[E], depth: int, parallel: bool, loop: bool) -> list[S]:
        """One random statement (or a few that belong together)."""
        makers: list[tuple[float, Callable[[], list[S]]]] = [
            (5, lambda: [self.own_store(scope, own)]),
            (1, lambda: self.place_store(scope)),
            (1, lambda: self.atomic(scope)),
            (1, lambda: self.bind(scope, own)),
        ]
        if depth > 0:
            makers += [
                (2, lambda: [self.maybe_if(scope, own, self.block(scope, own, depth - 1, parallel, loop))]),
                (1, lambda: self.loop(scope, own, depth - 1, parallel)),
            ]  # fmt: skip
        if not parallel:
            makers += [(1, lambda: self.reassign(scope, own)), (1, lambda: self.vector_store(scope)),
                       (1, lambda: self.ticket(scope)), (0.4, lambda: self.evaluate(scope))]  # fmt: skip
            if depth > 0:
                makers.append((0.7, lambda: self.search(scope)))
            if loop:
                jump = self.rng.choice(["break", "continue"])
                makers.append((0.7, lambda: [S("if {0}:", (scope.cond(),), ((S(jump),),))]))
        weights = [w for w, _ in makers]
        return self.rng.choices([f for _, f in makers], weights)[0]()

    def own_store(self, scope: Scope, own: list[E]) -> S:
        """Write the own element of C, perhaps from its old value."""
        c = self.plan.buf("C")
        assert c is not None
        value = scope.value(c.dtype)
        if self.chance(0.2):
            value = bin_("+", read(c, own), value)
        return store(c, own, value)

    def place_store(self, scope: Scope) -> list[S]:
        """Write D anywhere, with what belongs there."""
        d = self.plan.buf("D")
        if d is None:
            return []
        idx = [scope.index_expr(x) for x in d.shape]
        return [store(d, idx, place_value(self.plan, idx))]

    def atomic(self, scope: Scope) -> list[S]:
        """A commutative atomic on K."""
        k = self.plan.buf("K")
        if k is None:
            return []
        value = scope.value("int32", 1)
        if self.chance(0.3) and self.plan.dtype == "int32":
            value = call("T.if_then_else({0}, {1}, 100)", scope.cond(), value)
        return [S(f"T.atomic_{self.plan.atomic}(K[{{0}}], {{1}})", (scope.index_expr(k.shape[0]), value))]

    def ticket(self, scope: Scope) -> list[S]:
        """An atomic inside an index; only where a single thread runs."""
        k, r = self.plan.buf("K"), self.plan.buf("R")
        if r is None:
            return []
        if k is None or self.plan.atomic != "add":
            return [store(r, [scope.index_expr(r.shape[0])], scope.value(r.dtype, 1))]
        draw = call("T.atomic_add(K[{0}], 1, return_prev=True)", scope.index_expr(k.shape[0]))
        return [store(r, [draw], scope.value(r.dtype, 1))]

    def bind(self, scope: Scope, own: list[E]) -> list[S]:
        """Name an index, then store under a condition on the name."""
        q = self.name("q")
        d = self.rng.choice(self.plan.dims)
        s = S(f"{q} = {{0}}", (scope.index_expr(d),))
        scope.ints = [E(q), E(q), *scope.ints]
        return [s, self.maybe_if(scope, own, [self.own_store(scope, own)])]

    def maybe_if(self, scope: Scope, own: list[E], body: list[S]) -> S:
        """The author's own check, right or wrong."""
        d = self.rng.randrange(len(self.plan.dims))
        cond = scope.cond(self.plan.dims[d])
        if self.chance(0.4) and d < len(own):
            cond = call("({0} < {1})", own[d], self.plan.dims[d], type_="bool")
        if self.chance(0.2):
            return S("if {0}:", (cond,), (tuple(body), (self.own_store(scope, own),)), ("else:",))
        return S("if {0}:", (cond,), (tuple(body),))

    def loop(self, scope: Scope, own: list[E], depth: int, parallel: bool) -> list[S]:
        """A serial or unrolled loop; its bound may be a symbol, a thread or read from memory."""
        k = self.name("k")
        bounds = [lit(2), lit(3), lit(4)]
        if not parallel:
            bounds += [self.rng.choice(self.plan.dims), self.count()]
            if self.plan.style == "thread":
                bounds.append(E("tx"))
        kind = "unroll" if self.chance(0.2) else "serial"
        bound = lit(3) if kind == "unroll" else self.rng.choice(bounds)
        keep = list(scope.ints)
        scope.ints = [E(k), bin_("+", self.rng.choice(own), E(k)), *scope.ints]
        body = self.block(scope, own, depth, parallel=parallel, loop=kind == "serial")
        scope.ints = keep
        return [S(f"for {k} in T.{kind}({{0}}):", (bound,), (tuple(body),))]

    def variable(self, scope: Scope) -> list[S]:
        """A mutable index and its first value."""
        p = self.name("p")
        self.allocs.append(S(f'{p} = T.alloc_var("int32")'))
        out = [S(f"{p} = {{0}}", (scope.index_expr(self.plan.dims[0]),))]
        scope.mutable.append(p)
        if self.chance(0.2):
            out.append(S(f"T.assume({p} < {{0}})", (self.rng.choice(self.plan.dims),)))
        return out

    def reassign(self, scope: Scope, own: list[E]) -> list[S]:
        """Check a mutable index, move it, use it."""
        if not scope.mutable:
            return []
        p = E(self.rng.choice(scope.mutable))
        ext = self.rng.choice(self.plan.dims)
        move = S(f"{p} = {{0}}", (self.rng.choice([call("{0} + 1", p), scope.index_expr(ext)]),))
        use = self.own_store(scope, own)
        kind = self.rng.randrange(3)
        if kind == 0:
            return [move, use]
        inside = [move, use] if kind == 1 else [use, move, self.own_store(scope, own)]
        return [S("if {0}:", (call("({0} < {1})", p, ext, type_="bool"),), (tuple(inside),))]

    def search(self, scope: Scope) -> list[S]:
        """A while loop that walks a mutable index."""
        w = self.name("w")
        self.allocs.append(S(f'{w} = T.alloc_var("int32")'))
        e, ext = E(w), self.rng.choice(self.plan.dims)
        scope.ints = [e, e, *scope.ints]
        step = S(f"{w} = {w} + {self.rng.choice([1, 2, 3])}")
        inner = self.place_store(scope) or self.atomic(scope) or self.ticket(scope)
        body = self.rng.choice([[step, *inner], [*inner, step], [*inner, step, *inner]])
        if self.chance(0.3):
            test = call("({0} < {1})", e, ext, type_="bool")
            again = S("for u in T.serial(2):", (), ((*inner, step),))
            body = [S("if {0}:", (test,), ((again,),)), step]
        start = lit(self.rng.choice([0, 0, -1])) if self.chance(0.7) else scope.base()
        if any(str(node) == w for _, node in start.walk()):
            start = lit(0)  # the variable has no value yet
        scope.ints = [x for x in scope.ints if str(x) != w]
        cond = call("({0} < {1})", e, ext, type_="bool")
        if self.chance(0.2) and scope.data:
            cond = call("T.And({0}, {1})", cond, scope.cond(), type_="bool")
        return [S(f"{w} = {{0}}", (start,)), S("while {0}:", (cond,), (tuple(body),))]

    def vector_store(self, scope: Scope) -> list[S]:
        """An explicit vector access; D takes it with what belongs there, R takes anything."""
        r = self.plan.buf("R")
        if r is None or r.dtype != "float32":
            return []
        a = self.plan.buf("A")
        assert a is not None
        at = call("T.Ramp({0}, 1, 4)", scope.index_expr(r.shape[0], 1))
        step = lit(self.rng.choice([1, 1, 2, -1]))
        src = call("T.Ramp({0}, {1}, 4)", scope.index_expr(a.shape[-1], 1), step)
        idx = [*(scope.index_expr(x, 1) for x in a.shape[:-1]), src]
        return [store(r, [at], read(a, idx))]

    def evaluate(self, scope: Scope) -> list[S]:
        """A value computed and dropped, or asserted."""
        if self.plan.style == "thread" and scope.data and self.chance(0.5):
            cond = call("({0} < {1})", scope.base(), lit(2**30), type_="bool")
            return [S("T.device_assert({0})", (call("T.Or({0}, {1})", scope.cond(), cond, type_="bool"),))]
        if self.plan.dtype != "float32":
            return []
        return [S('T.evaluate(T.call_pure_extern("float32", "fabsf", {0}))', (scope.value("float32", 1),))]
