"""Random index, condition and value expressions."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from .tree import E, Param

CONSTANTS = (0, 1, 2, 3, 5, 7, 8, 15, 31)


def lit(v: int) -> E:
    """An integer literal."""
    return E(str(v) if v >= 0 else f"({v})")


def bin_(op: str, a: E, b: E) -> E:
    """An infix operator."""
    return E(f"({{0}} {op} {{1}})", (a, b), a.type)


def call(fmt: str, *kids: E, type_: str = "int32") -> E:
    """A function-like template."""
    return E(fmt, kids, type_)


def read(p: Param, idx: tuple[E, ...] | list[E]) -> E:
    """A load."""
    places = ", ".join(f"{{{i}}}" for i in range(len(idx)))
    return E(f"{p.name}[{places}]", tuple(idx), p.dtype)


@dataclass
class Scope:
    """What an expression may use.

    ints: index-like expressions with a hint of their range; data: read-only buffers to load
    from; index: index tensors; mutable: names of mutable int32 variables.
    """

    rng: random.Random
    ints: list[E]
    sizes: list[E]
    data: list[Param]
    index: list[Param]
    scalars: list[str]
    mutable: list[str] = field(default_factory=list)
    wild: float = 0.35
    depth: int = 2
    script: bool = False

    def chance(self, p: float) -> bool:
        """True with probability p."""
        return self.rng.random() < p

    # -- integers ---------------------------------------------------------------------------
    def base(self) -> E:
        """A plain index."""
        r = self.rng
        pool: list[E] = list(self.ints) * 3 + [E(v) for v in self.mutable] * 4
        if self.chance(0.1):
            pool += [E(s) for s in self.scalars]
        return r.choice(pool) if pool and not self.chance(0.03) else lit(r.choice(CONSTANTS))

    def index_expr(self, ext: E, depth: int | None = None) -> E:
        """An index meant for a dimension of extent `ext`; may well miss it."""
        depth = self.depth if depth is None else depth
        if depth <= 0 or not self.chance(self.wild):
            b = self.base()
            off = self.rng.choice([0, 0, 0, 0, 1, -1, 2, -3])
            return b if off == 0 else bin_("+" if off > 0 else "-", b, lit(abs(off)))
        makers = [
            self._arith, self._divide, self._bits, self._clamp, self._choose, self._casts,
            self._gather, self._gather, self._reverse, self._scaled, self._arith, self._clamp,
            self._constant if self.chance(0.4) else self._divide,
        ]  # fmt: skip
        return self.rng.choice(makers)(ext, depth - 1)

    def _arith(self, ext: E, d: int) -> E:
        op = self.rng.choice(["+", "-", "*"])
        b = lit(self.rng.choice([1, 2, 3, 4])) if op == "*" else self.index_expr(ext, d)
        return bin_(op, self.index_expr(ext, d), b)

    def _divide(self, ext: E, d: int) -> E:
        a = self.index_expr(ext, d)
        by = lit(self.rng.choice([2, 3, 4, 8])) if self.chance(0.7) else self.rng.choice([*self.sizes, ext])
        fmt = self.rng.choice(
            ["({0} // {1})", "({0} % {1})", "({0} % {1})", "T.truncmod({0}, {1})", "T.truncdiv({0}, {1})"]
        )
        return call(fmt, a, by)

    def _bits(self, ext: E, d: int) -> E:
        a = self.index_expr(ext, d)
        fmt, k = self.rng.choice(
            [("({0} >> {1})", 1), ("({0} << {1})", 1), ("({0} & {1})", 7), ("({0} & {1})", 3), ("({0} ^ {1})", 1),
             ("({0} | {1})", 1), ("({0} >> {1})", 2)]
        )  # fmt: skip
        return call(fmt, a, lit(k))

    def _clamp(self, ext: E, d: int) -> E:
        a = self.index_expr(ext, d)
        last = bin_("-", ext, lit(self.rng.choice([1, 1, 1, 0, 2])))
        return self.rng.choice(
            [call("T.min({0}, {1})", a, last), call("T.max({0}, {1})", a, lit(0)),
             call("T.max(T.min({0}, {1}), {2})", a, last, lit(0)),
             call("T.min(T.max({0}, {1}), {2})", a, lit(0), last)]
        )  # fmt: skip

    def _choose(self, ext: E, d: int) -> E:
        fmt = self.rng.choice(["T.if_then_else({0}, {1}, {2})", "T.Select({0}, {1}, {2})"])
        return call(fmt, self.cond(ext, d), self.index_expr(ext, d), self.index_expr(ext, d))

    def _casts(self, ext: E, d: int) -> E:
        a = self.index_expr(ext, d)
        fmt = self.rng.choice(
            ['T.Cast("int64", {0})', '(T.Cast("int64", {0}) * T.int64(3) - T.int64(2))',
             'T.Cast("int32", T.Cast("int8", {0}))', 'T.Cast("uint8", {0})',
             'T.Cast("uint32", {0})', '(T.Cast("uint32", {0}) + T.uint32(1))',
             'T.Cast("int32", T.Cast("uint16", {0}))']
        )  # fmt: skip
        kind = "int64" if "int64" in fmt else "int32"
        return call(fmt, a, type_="int32" if kind == "int32" else kind)

    def _gather(self, ext: E, d: int) -> E:
        if not self.index:
            return self.index_expr(ext, d)
        p = self.rng.choice(self.index)
        return read(p, [self.index_expr(x, d) for x in p.shape])

    def _reverse(self, ext: E, d: int) -> E:
        return bin_("-", bin_("-", ext, lit(1)), self.index_expr(ext, d))

    def _constant(self, ext: E, d: int) -> E:
        return lit(self.rng.choice([*CONSTANTS, -1]))

    def _scaled(self, ext: E, d: int) -> E:
        by = self.rng.choice([lit(65536), lit(2**20), *self.sizes])
        return bin_("+", bin_("*", self.index_expr(ext, d), by), self.base())

    # -- conditions -------------------------------------------------------------------------
    def cond(self, ext: E | None = None, depth: int = 1) -> E:
        """A condition; often one that bounds an index, right or wrong."""
        r = self.rng
        ext = ext or r.choice([*self.sizes, lit(8)])
        if depth > 0 and self.chance(0.3):
            a, b = self.cond(ext, depth - 1), self.cond(ext, depth - 1)
            if self.script:
                return call(r.choice(["T.And({0}, {1})", "T.Or({0}, {1})"]), a, b, type_="bool")
            return call(r.choice(["T.And({0}, {1})", "T.Or({0}, {1})", "T.Not(T.And({0}, {1}))"]), a, b, type_="bool")
        a = self.index_expr(ext, depth - 1)
        if self.data and self.chance(0.12):
            return call("({0} > {1})", self.load(depth - 1), lit(r.choice([2, 9, 30])), type_="bool")
        return call(
            r.choice(["({0} < {1})", "({0} < {1})", "({0} >= {2})", "({0} <= {1})", "({0} > {2})", "({0} % 2 == {2})",
                      "({1} > {0})", "({0} + 1 < {1})", "({0} != {1})"]),
            a, ext, lit(0), type_="bool",
        )  # fmt: skip

    # -- values -----------------------------------------------------------------------------
    def load(self, depth: int | None = None) -> E:
        """A load from a data buffer."""
        p = self.rng.choice(self.data)
        return read(p, [self.index_expr(x, depth) for x in p.shape])

    def value(self, dtype: str, depth: int = 2) -> E:
        """A value of `dtype`, mostly made of loads."""
        r = self.rng
        pick = r.random()
        if depth > 0 and pick < 0.35:
            return bin_(r.choice(["+", "-", "*"]), self.value(dtype, depth - 1), self.value(dtype, depth - 1))
        if depth > 0 and pick < 0.45:
            fmt = r.choice(["T.if_then_else({0}, {1}, {2})", "T.Select({0}, {1}, {2})"])
            kids = (self.cond(), self.value(dtype, depth - 1), self.value(dtype, depth - 1))
            return call(fmt, *kids, type_=dtype)
        if depth > 0 and pick < 0.5 and dtype == "float32":
            fmt = r.choice(
                ["T.exp({0} * T.float32(0.01))", "T.abs({0})", 'T.call_pure_extern("float32", "fabsf", {0})']
            )
            return call(fmt, self.value(dtype, depth - 1), type_=dtype)
        if pick > 0.95 or not self.data:
            return call(f'T.Cast("{dtype}", {{0}})', self.base(), type_=dtype)
        v = self.load()
        return v if v.type == dtype else call(f'T.Cast("{dtype}", {{0}})', v, type_=dtype)
