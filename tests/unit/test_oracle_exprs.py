"""Expressions at their own type: wrap-around, the four divisions, shifts, casts, functions."""

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import tilelang  # noqa: F401
from tvm.script import tirx as Tx

from tests.oracle import run

INTS = [0, 1, -1, 2, 7, -7, 100, -128, 127, 2**31 - 1, -(2**31), 123456789]


def wrap(v: int, bits: int, signed: bool) -> int:
    """A Python integer in two's complement."""
    v %= 1 << bits
    return v - (1 << bits) if signed and v >> (bits - 1) else v


def binary(fn, dtype):
    """C[t] = fn(A[t], B[t]), one thread an element."""

    @Tx.prim_func
    def two(a: Tx.handle, b: Tx.handle, c: Tx.handle):
        n = Tx.int32()
        A = Tx.match_buffer(a, (n,), dtype)
        B = Tx.match_buffer(b, (n,), dtype)
        C = Tx.match_buffer(c, (n,), dtype)
        for t in Tx.thread_binding(n, "threadIdx.x"):
            C[t] = fn(A[t], B[t])

    return two


def apply(f, *arrays):
    args = dict(zip("AB", arrays, strict=False))
    return run(f, {**args, "C": np.zeros_like(arrays[0])}, "strict").outputs["C"]


CASES = {
    "add": (lambda a, b: a + b, lambda a, b: a + b),
    "sub": (lambda a, b: a - b, lambda a, b: a - b),
    "mul": (lambda a, b: a * b, lambda a, b: a * b),
    "min": (Tx.min, min),
    "max": (Tx.max, max),
    "and": (Tx.bitwise_and, lambda a, b: a & b),
    "or": (Tx.bitwise_or, lambda a, b: a | b),
    "xor": (Tx.bitwise_xor, lambda a, b: a ^ b),
}
DIVISIONS = {
    "floordiv": (Tx.floordiv, lambda a, b: a // b),
    "floormod": (Tx.floormod, lambda a, b: a % b),
    "truncdiv": (Tx.truncdiv, lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)),
    "truncmod": (Tx.truncmod, lambda a, b: math.copysign(1, a) * (abs(a) % abs(b))),
}


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "int8"])
@pytest.mark.parametrize("name", [*CASES, *DIVISIONS])
def test_integer_arithmetic_wraps_at_its_type(name, dtype):
    build: Any
    expect: Any
    build, expect = {**CASES, **DIVISIONS}[name]
    bits, signed = int(dtype.lstrip("uint")), dtype[0] == "i"
    pairs = [(wrap(a, bits, signed), wrap(b, bits, signed)) for a in INTS for b in INTS]
    if name in DIVISIONS:
        least = -(1 << (bits - 1))
        pairs = [(a, b) for a, b in pairs if b != 0 and (a, b) != (least, -1)]
    a, b = (np.array(side, dtype) for side in zip(*pairs, strict=True))
    got = apply(binary(build, dtype), a, b)
    assert got.tolist() == [wrap(int(expect(x, y)), bits, signed) for x, y in pairs]


def test_shifts():
    a = np.array([1, -1, -8, 1000, -(2**31)], np.int32)
    b = np.array([31, 4, 1, 3, 31], np.int32)
    assert apply(binary(Tx.shift_left, "int32"), a, b).tolist() == [
        wrap(int(x) << int(y), 32, True) for x, y in zip(a, b, strict=True)
    ]
    assert apply(binary(Tx.shift_right, "int32"), a, b).tolist() == [
        int(x) >> int(y) for x, y in zip(a, b, strict=True)
    ]


def test_division_by_zero_is_noted_on_active_threads_only():
    f = binary(lambda a, b: Tx.if_then_else(b != 0, Tx.floordiv(a, b), -1), "int32")
    args = {"A": np.array([7, 8], np.int32), "B": np.array([2, 0], np.int32), "C": np.zeros(2, np.int32)}
    r = run(f, args)
    assert r.outputs["C"].tolist() == [3, -1] and not r.notes
    r = run(binary(Tx.floordiv, "int32"), args)
    assert r.outputs["C"].tolist() == [3, 0] and r.notes == {"division by zero": 1}


def test_division_by_zero_in_an_index_is_noted():
    @Tx.prim_func
    def place(a: Tx.handle, c: Tx.handle, d: Tx.int32):
        A = Tx.match_buffer(a, (2,), "int32")
        C = Tx.match_buffer(c, (4,), "int32")
        for t in Tx.thread_binding(4, "threadIdx.x"):
            C[t] = A[Tx.if_then_else(t < 2, Tx.floordiv(t, d), 0)] + A[Tx.floormod(t, d + 1)]

    args = {"A": np.array([7, 8], np.int32), "C": np.zeros(4, np.int32)}
    assert run(place, {**args, "d": 1}).notes == {}
    assert run(place, {**args, "d": 0}).notes == {"division by zero": 1}
    assert run(place, {**args, "d": -1}).notes == {"division by zero": 1}


def test_float16_rounds_after_each_operation():
    a = np.array([2048, 0.1, 65504], np.float16)
    b = np.array([1, 0.2, 65504], np.float16)
    got = apply(binary(lambda x, y: x + y, "float16"), a, b)
    assert got[0] == 2048 and got[2] == np.inf
    assert got[1] == np.float16(float(a[1]) + float(b[1]))


def test_bfloat16_adds_in_its_own_precision():
    a = np.array([256, 1], ml_dtypes.bfloat16)
    b = np.array([1, 1], ml_dtypes.bfloat16)
    assert apply(binary(lambda x, y: x + y, "bfloat16"), a, b).astype(float).tolist() == [256, 2]


@pytest.mark.parametrize(
    ("src", "dst", "values", "expect"),
    [
        ("int32", "int8", [127, 128, -129, 256], [127, -128, 127, 0]),
        ("int32", "uint32", [-1, 5], [2**32 - 1, 5]),
        ("float32", "int32", [1.9, -1.9, 0.5], [1, -1, 0]),
        ("int32", "bool", [0, 2, -1], [False, True, True]),
        ("int64", "int32", [2**32 + 5, -(2**40)], [5, 0]),
        ("float32", "float16", [1 / 3], [float(np.float16(1 / 3))]),
    ],
)
def test_casts(src, dst, values, expect):
    @Tx.prim_func
    def one(a: Tx.handle, c: Tx.handle):
        n = Tx.int32()
        A = Tx.match_buffer(a, (n,), src)
        C = Tx.match_buffer(c, (n,), dst)
        for i in range(n):
            C[i] = Tx.Cast(dst, A[i])

    out = run(one, {"A": np.array(values, src), "C": np.zeros(len(values), dst)}).outputs["C"]
    assert out.tolist() == expect


@pytest.mark.parametrize(
    ("name", "call", "expect"),
    [
        ("exp", lambda x: Tx.exp(x), math.exp),
        ("exp2", lambda x: Tx.exp2(x), lambda x: 2.0**x),
        ("log", lambda x: Tx.log(x), math.log),
        ("sqrt", lambda x: Tx.sqrt(x), math.sqrt),
        ("rsqrt", lambda x: Tx.rsqrt(x), lambda x: 1 / math.sqrt(x)),
        ("tanh", lambda x: Tx.tanh(x), math.tanh),
        ("floor", lambda x: Tx.floor(x), math.floor),
        ("ceil", lambda x: Tx.ceil(x), math.ceil),
        ("fabsf", lambda x: Tx.call_pure_extern("float32", "fabsf", -x), abs),
        ("pow", lambda x: Tx.pow(x, x), lambda x: x**x),
        ("erf", lambda x: Tx.erf(x), math.erf),
    ],
)
def test_functions_are_rounded_once(name, call, expect):
    values = np.array([0.1, 1.0, 2.5, 7.3], np.float32)

    @Tx.prim_func
    def one(a: Tx.handle, c: Tx.handle):
        A = Tx.match_buffer(a, (4,), "float32")
        C = Tx.match_buffer(c, (4,), "float32")
        for i in range(4):
            C[i] = call(A[i])

    got = run(one, {"A": values, "C": np.zeros(4, np.float32)}).outputs["C"]
    want = np.array([expect(float(v)) for v in values]).astype(np.float32)
    # libm and numpy may differ in the last bit of a double: at most one float32 step.
    assert np.all(np.abs(got.view(np.int32) - want.view(np.int32)) <= 1)


def test_vectors_ramp_broadcast_shuffle_select():
    @Tx.prim_func
    def vec(a: Tx.handle, c: Tx.handle):
        A = Tx.match_buffer(a, (8,), "int32")
        C = Tx.match_buffer(c, (12,), "int32")
        for t in Tx.thread_binding(1, "threadIdx.x"):
            C[Tx.Ramp(0, 1, 4)] = A[Tx.Ramp(7, -2, 4)]
            C[Tx.Ramp(4, 1, 4)] = Tx.Broadcast(A[t + 2], 4) * Tx.Ramp(0, 3, 4)
            C[Tx.Ramp(8, 1, 2)] = A[Tx.Shuffle([t + 6, t + 9], [1, 0])]
            C[10] = Tx.Shuffle([A[Tx.Ramp(0, 1, 4)]], [3])
            C[11] = 5

    a = np.array([10, 11, 12, 13, 14, 15, 16, 17], np.int32)
    r = run(vec, {"A": a, "C": np.zeros(12, np.int32)})
    assert r.outputs["C"].tolist() == [17, 15, 13, 11, 0, 36, 72, 108, 0, 16, 13, 5]
    assert r.counts["outside.load:A"] == 1


def test_comparisons_are_counted_by_thread_and_lazily():
    @Tx.prim_func
    def cmp(c: Tx.handle):
        C = Tx.match_buffer(c, (4,), "int32")
        for t in Tx.thread_binding(4, "threadIdx.x"):
            if t > 1 and t < 3:
                C[t] = 1

    r = run(cmp, {"C": np.zeros(4, np.int32)})
    assert r.outputs["C"].tolist() == [0, 0, 1, 0]
    assert r.counts["compare"] == 4 + 2


def test_let_and_bind_keep_the_value_they_saw():
    @Tx.prim_func
    def keep(c: Tx.handle):
        C = Tx.match_buffer(c, (2,), "int32")
        old: Tx.int32 = C[0] + 1
        C[0] = 50
        C[1] = old

    r = run(keep, {"C": np.array([4, 0], np.int32)})
    assert r.outputs["C"].tolist() == [50, 5]
