"""Statements: each becomes a closure f(State, mask) -> the mask of threads that go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .access import Buf, Closure
from .errors import OutOfBoundsAccess, UnsupportedByOracle
from .exprs import ExprCompiler
from .launch import compile_thread_extent
from .ops.control import LEAVING, check, leave
from .state import DEAD, State, merge, narrow
from .values import as_index, split_dtype

_NODES: dict[str, Callable[[StmtCompiler, Any], Closure]] = {}
_THREAD_BINDING = 4


class StmtCompiler(ExprCompiler):
    """Compiles statements on top of expressions."""

    def stmt(self, s: Any) -> Closure:
        """The effect of `s`."""
        fn = _NODES.get(type(s).__name__)
        if fn is None:
            raise UnsupportedByOracle(type(s).__name__)
        return fn(self, s)


def invert(k: Any) -> Any:
    """Logical not of a condition value."""
    return ~k if isinstance(k, np.ndarray) else not k


def _seq(c: StmtCompiler, s: Any) -> Closure:
    parts = [c.stmt(x) for x in s.seq]

    def run(S: State, m: Any) -> Any:
        for f in parts:
            m = f(S, m)
            if m is DEAD:
                return DEAD
        return m

    return run


def _store(c: StmtCompiler, s: Any) -> Closure:
    acc, value = c.access(s), c.expr(s.value)

    def run(S: State, m: Any) -> Any:
        # The generated code is a C++17 assignment: its right-hand side goes first.
        v = value(S, m)
        idx = acc.indices(S, m)
        acc.store(S, m, acc.locate(S, m, "store", idx), v)
        return m

    return run


def _bind(c: StmtCompiler, s: Any) -> Closure:
    value, slot = c.expr(s.value), c.slot(s.var)

    def run(S: State, m: Any) -> Any:
        S.env[slot] = value(S, m)
        return m

    return run


def _if(c: StmtCompiler, s: Any) -> Closure:
    cond, then = c.cond(s.condition), c.stmt(s.then_case)
    other = c.stmt(s.else_case) if s.else_case is not None else None

    def run(S: State, m: Any) -> Any:
        k = cond(S, m)
        if not isinstance(k, np.ndarray):
            return then(S, m) if k else (other(S, m) if other else m)
        yes, no = narrow(m, k), narrow(m, ~k)
        a = then(S, yes) if yes is not DEAD else DEAD
        b = other(S, no) if other and no is not DEAD else no
        return m if a is yes and b is no else merge(a, b)

    return run


def _for(c: StmtCompiler, s: Any) -> Closure:
    if int(s.kind) == _THREAD_BINDING:
        return compile_thread_extent(c, s)
    dt = split_dtype(s.loop_var.dtype)[0]
    fmin, fext = c.expr(s.min), c.expr(s.extent)
    fstep = c.expr(s.step) if s.step is not None else None
    lo, ext = getattr(s.min, "value", None), getattr(s.extent, "value", None)
    if lo is not None and ext is not None and fstep is None:
        c.bounds[hash(s.loop_var)] = max(abs(int(lo)), abs(int(lo) + int(ext)))
    slot, body = c.slot(s.loop_var), c.stmt(s.body)

    def run(S: State, m: Any) -> Any:
        first, count = fmin(S, m), as_index(fext(S, m))
        step = as_index(fstep(S, m)) if fstep else 1
        if isinstance(step, np.ndarray):
            raise UnsupportedByOracle("loop step that differs between threads")
        plain = type(count) is int
        if plain:
            last = count
        else:
            last = int((count if m is None else count[m]).max())
        outer, S.brk = (S.brk, S.cont), DEAD
        live, done = m, DEAD
        base = first if isinstance(first, np.ndarray) else int(first)
        for i in range(0, last, step):
            S.step()
            S.cont = DEAD
            act = live
            if not plain:
                act = narrow(live, i < count)
                done = merge(done, narrow(live, ~(i < count)))
                if act is DEAD:
                    live = DEAD
                    break
            S.env[slot] = (base + i).astype(dt) if isinstance(base, np.ndarray) else dt.type(base + i)
            live = merge(body(S, act), S.cont)
            if live is DEAD:
                break
        live = merge(merge(live, done), S.brk)
        S.brk, S.cont = outer
        return live

    return run


def _while(c: StmtCompiler, s: Any) -> Closure:
    cond, body = c.cond(s.condition), c.stmt(s.body)

    def run(S: State, m: Any) -> Any:
        outer, S.brk = (S.brk, S.cont), DEAD
        live, done = m, DEAD
        while live is not DEAD:
            S.step()
            k = cond(S, live)
            act = narrow(live, k)
            done = merge(done, narrow(live, invert(k)))
            if act is DEAD:
                break
            S.cont = DEAD
            live = merge(body(S, act), S.cont)
        live = merge(done, S.brk)
        S.brk, S.cont = outer
        return live

    return run


def _evaluate(c: StmtCompiler, s: Any) -> Closure:
    name = str(getattr(getattr(s.value, "op", None), "name", ""))
    if name in LEAVING:

        def away(S: State, m: Any) -> Any:
            leave(name, S, m)
            return DEAD

        return away
    value = c.expr(s.value)

    def run(S: State, m: Any) -> Any:
        value(S, m)
        return m

    return run


def _assert(c: StmtCompiler, s: Any) -> Closure:
    cond, text = c.cond(s.condition), str(s.condition)

    def run(S: State, m: Any) -> Any:
        check(cond(S, m), S, m, text)
        return m

    return run


def _alloc(c: StmtCompiler, s: Any) -> Closure:
    buf = c.buffer(s.buffer)

    def run(S: State, m: Any) -> Any:
        buf.allocate(S)
        return m

    return run


def _decl(c: StmtCompiler, s: Any) -> Closure:
    buf = c.buffer(s.buffer)

    def run(S: State, m: Any) -> Any:
        buf.declare(S)
        return m

    return run


def _attr(c: StmtCompiler, s: Any) -> Closure:
    key = str(s.attr_key)
    if key == "thread_extent":
        return compile_thread_extent(c, s)
    body = c.stmt(s.body)
    if key == "tl.assume" and hasattr(s.node, "dtype"):
        return _assume(c.cond(s.node), body)
    return body


def _assume(cond: Closure, body: Closure) -> Closure:
    """Note a false assumption: nothing said about such a run is the pass's fault."""

    def run(S: State, m: Any) -> Any:
        S.quiet, before = True, S.quiet
        try:
            if narrow(m, invert(cond(S, m))) is not DEAD:
                S.notes["false assumption"] += 1
        finally:
            S.quiet = before
        return body(S, m)

    return run


def _number(c: StmtCompiler, x: Any) -> Closure:
    """An annotated value: an expression, or before Simplify a plain Python number."""
    if isinstance(x, int | float):
        v = np.asarray(x)[()]
        return lambda S, m: v
    return c.expr(x)


def _block(c: StmtCompiler, s: Any) -> Closure:
    if s.match_buffers:
        raise UnsupportedByOracle("match_buffers of a block", str(s.name_hint))
    allocs: list[Buf] = [c.buffer(b) for b in s.alloc_buffers]
    note = s.annotations.get("safe_value_map") if s.annotations else None
    safe = [(hash(v), _number(c, x)) for v, x in note.items()] if note else []
    inits = s.annotations.get("tl.local_var_init") if s.annotations else None
    init = [(hash(v), _number(c, x)) for v, x in inits.items()] if inits else []
    by_data = {b.data: b for b in allocs}
    first = c.stmt(s.init) if s.init is not None else None
    body = c.stmt(s.body)

    def run(S: State, m: Any) -> Any:
        for b in allocs:
            b.allocate(S)
        for key, f in init:
            S.mem[key].view(by_data[key].dtype)[...] = f(S, m)
        before = dict(S.safe) if safe else None
        for key, f in safe:
            S.safe[key] = f(S, m)
        if first:
            first(S, m)
        out = body(S, m)
        if before is not None:
            S.safe = before
        return out

    return run


def _realize(c: StmtCompiler, s: Any) -> Closure:
    binds = [(c.slot(iv.var), c.expr(v)) for iv, v in zip(s.block.iter_vars, s.iter_values, strict=True)]
    pred, body = c.cond(s.predicate), c.stmt(s.block)

    def run(S: State, m: Any) -> Any:
        for slot, f in binds:
            S.env[slot] = f(S, m)
        k = pred(S, m)
        yes = narrow(m, k)
        if yes is m:
            return body(S, m)
        no = narrow(m, invert(k))
        return merge(body(S, yes) if yes is not DEAD else DEAD, no)

    return run


_NODES.update(
    SeqStmt=_seq, BufferStore=_store, Bind=_bind, IfThenElse=_if, For=_for, While=_while,
    Evaluate=_evaluate, AssertStmt=_assert, AllocBuffer=_alloc, DeclBuffer=_decl, AttrStmt=_attr,
    SBlock=_block, SBlockRealize=_realize,
)  # fmt: skip
__all__ = ["OutOfBoundsAccess", "StmtCompiler"]
