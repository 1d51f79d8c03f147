"""Faults of our own pass that a reader found: widths, views, lanes, effects in lazy places, predicates, spans."""

from typing import Any

import numpy as np
import tilelang.language as T
from tvm import tirx

from tests.helpers import checks
from tests.helpers.case import Case, each, zeros


def last_of_64_bits() -> Any:
    """An index of 2^64 - 1 was cast to -1 and passed the test from above."""
    n = T.dynamic("n")

    @T.prim_func
    def last_of_64_bits(at: T.Tensor((8,), "uint64"), x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[t] = x[at[t]]

    return last_of_64_bits


def half_of_a_difference() -> Any:
    """The operand of an unsigned quotient was proved wrapped and compared unwrapped."""
    n = T.dynamic("n")

    @T.prim_func
    def half_of_a_difference(a: T.Tensor((8,), "uint32"), x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[t] = x[(a[t] - T.uint32(4)) // T.uint32(2)]

    return half_of_a_difference


def remainder_of_a_difference() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def remainder_of_a_difference(
        a: T.Tensor((8,), "uint32"), x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32")
    ):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[t] = x[(a[t] - T.uint32(4)) % T.uint32(10)]

    return remainder_of_a_difference


def bucket_of_a_hash() -> Any:
    """A hash is meant to wrap, and what it says in bounds must not change."""
    n = T.dynamic("n")

    @T.prim_func
    def bucket_of_a_hash(a: T.Tensor((8,), "uint32"), x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            if n > 0:
                y[t] = x[(a[t] * T.uint32(2654435761)) % T.Cast("uint32", n)]

    return bucket_of_a_hash


def far_shift() -> Any:
    """The host took a shift for one that cannot overflow."""
    n = T.dynamic("n")

    @T.prim_func
    def far_shift(x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32"), k: T.int32):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            if k >= 0:
                y[t] = x[T.shift_left(t, k)]

    return far_shift


def sum_of_bytes() -> Any:
    """C adds bytes as integers, so the sum goes beyond 255."""

    @T.prim_func
    def sum_of_bytes(a: T.Tensor((8,), "uint8"), x: T.Tensor((256,), "float32"), y: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[t] = x[T.Cast("int32", a[t] + T.uint8(10))]

    return sum_of_bytes


def complement() -> Any:
    """`~a` of an unsigned number is no negative one."""
    n = T.dynamic("n")

    @T.prim_func
    def complement(at: T.Tensor((8,), "uint32"), x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[t] = x[~at[t]]

    return complement


def checked_through_a_view() -> Any:
    """Equal indices of two views are two places where the views have different shapes."""

    @T.prim_func
    def checked_through_a_view(
        at: T.Tensor((2, 4), "int32"), x: T.Tensor((8,), "float32"), y: T.Tensor((8,), "float32")
    ):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            view = T.reshape(at, (4, 2))
            if at[1, 0] >= 0 and at[1, 0] < 8:
                y[t] = x[view[1, 0]]

    return checked_through_a_view


def checked_through_a_local_view() -> Any:
    @T.prim_func
    def checked_through_a_local_view(
        at: T.Tensor((8,), "int32"), x: T.Tensor((8,), "float32"), y: T.Tensor((8,), "float32")
    ):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            held = T.alloc_local((2, 4), "int32")
            for i, j in T.grid(2, 4):
                held[i, j] = at[i * 4 + j]
            view = T.reshape(held, (4, 2))
            if held[1, 0] >= 0 and held[1, 0] < 8:
                y[t] = x[view[1, 0]]

    return checked_through_a_local_view


def shifted_by_one() -> Any:
    """A vector is read before any of it is stored, also when its store is taken apart."""
    n = T.dynamic("n")

    @T.prim_func
    def shifted_by_one(y: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=1):
            y[T.Ramp(1, 1, 4)] = y[T.Ramp(0, 1, 4)]

    return shifted_by_one


def pairs_before() -> Any:
    """Of a pair that gives back what was there, one bad element cancelled the good one."""
    n = T.dynamic("n")

    @T.prim_func
    def pairs_before(total: T.Tensor((n,), "float32"), part: T.Tensor((16,), "float32"), y: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[T.Ramp(t * 2, 1, 2)] = T.atomic_addx2(total[t * 2 - 1], part[t * 2], return_prev=True)

    return pairs_before


def ticket_in_an_arm() -> Any:
    """The index of a guarded atomic in a lazy place was evaluated for each test of it."""
    n = T.dynamic("n")

    @T.prim_func
    def ticket_in_an_arm(cnt: T.Tensor((1,), "int32"), total: T.Tensor((n,), "int32"), y: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[t] = T.if_then_else(
                t < 6, T.atomic_add(total[T.atomic_add(cnt[0], 1, return_prev=True)], 1, return_prev=True), -5
            )

    return ticket_in_an_arm


def ticket_in_a_loop_condition() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def ticket_in_a_loop_condition(
        cnt: T.Tensor((1,), "int32"), total: T.Tensor((n,), "int32"), y: T.Tensor((8,), "int32")
    ):
        with T.Kernel(1, threads=1):
            k = T.alloc_var("int32")
            k = 0
            while k < 10 and T.atomic_add(total[T.atomic_add(cnt[0], 1, return_prev=True)], 1, return_prev=True) < 5:
                k = k + 1
            y[0] = k

    return ticket_in_a_loop_condition


def value_behind_a_guard() -> Any:
    """What the value of a guarded atomic reads was bound in front of the guard that makes it safe."""
    n = T.dynamic("n")

    @T.prim_func
    def value_behind_a_guard(
        low: T.Tensor((8,), "int32"),
        at: T.Tensor((8,), "int32"),
        x: T.Tensor((n,), "int32"),
        most: T.Tensor((8,), "int32"),
    ):
        with T.Kernel(1, threads=8):
            w = T.alloc_var("int32")
            t = T.get_thread_binding()
            w = low[t]
            T.atomic_max(most[w], x[at[w]])
            w = w + 1
            T.atomic_max(most[w], x[at[w]])

    return value_behind_a_guard


def let_around_two_loads() -> Any:
    """A test that two loads share was put in front of the variable it tests."""
    n = T.dynamic("n")

    @T.prim_func
    def let_around_two_loads(
        at: T.Tensor((8,), "int32"),
        x: T.Tensor((n,), "float32"),
        z: T.Tensor((n,), "float32"),
        y: T.Tensor((8,), "float32"),
    ):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            v = tirx.Var("v", "int32")
            y[t] = tirx.Let(v, at[t], x[v] + z[v])

    return let_around_two_loads


def let_around_a_mutable_read() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def let_around_a_mutable_read(
        at: T.Tensor((n,), "int32"), x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32")
    ):
        with T.Kernel(1, threads=1):
            for t in T.serial(8):
                v = tirx.Var("v", "int32")
                y[t] = tirx.Let(v, T.min(t + 1, 6), x[at[v]] * T.Cast("float32", v))
                if t < n:
                    at[t] = 1

    return let_around_a_mutable_read


def filled(*values: int, dtype: str = "int64") -> Any:
    def fill(shape: tuple[int, ...], env: Any) -> Any:
        return np.resize(np.array(values, dtype), shape)

    return fill


FEW = tuple({"n": n} for n in (0, 1, 3, 7, 8, 9, 13))
# Where `needed` is off, the author's own test or the same test at another lane or read stands beside each comparison.
CASES = [
    Case(last_of_64_bits, 1, FEW, {"at": filled(0, 2**64 - 1, 3, 2**63 + 1, 1, 2, 5, 7, dtype="uint64")}),
    Case(half_of_a_difference, 1, FEW, {"a": filled(4, 0, 5, 9, 1, 11, 20, 3)}),
    Case(remainder_of_a_difference, 1, FEW, {"a": filled(4, 0, 5, 9, 1, 11, 20, 3)}),
    Case(bucket_of_a_hash, 0, FEW, {"a": filled(4, 0, 5, 9, 1, 11, 20, 3)}),
    Case(far_shift, 1, tuple({"n": 9, "k": k} for k in (0, 1, 3, 29, 30)), needed=False),
    Case(sum_of_bytes, 1, fill={"a": filled(250, 3, 9, 255)}),
    Case(complement, 1, FEW, {"at": filled(2**32 - 1, 2**32 - 3, 0)}),
    Case(checked_through_a_view, 2, fill={"at": filled(0, 1, -1, 5, 7, 2, 3, 4)}, needed=False),
    Case(checked_through_a_local_view, 2, fill={"at": filled(0, 1, 99, 5, 7, 2, 3, 4)}, needed=False),
    Case(shifted_by_one, 8, tuple({"n": n} for n in range(8)), needed=False),
    Case(pairs_before, 5, FEW, needed=False),
    Case(ticket_in_an_arm, 2, FEW, {"cnt": filled(-2)}),
    Case(ticket_in_a_loop_condition, 2, FEW, {"cnt": filled(-2), "total": zeros}),
    Case(
        value_behind_a_guard,
        8,
        FEW,
        {"low": filled(-2, 7, 3, 0, -1, 8, 2, 5), "at": filled(-1, 3, 99, 0)},
        needed=False,
    ),
    Case(let_around_two_loads, 4, FEW, {"at": filled(-1, 0, 3, 99)}, needed=False),
    Case(let_around_a_mutable_read, 3, FEW, {"at": filled(-1, 0, 3, 99)}, needed=False),
]


@each(CASES)
def test_right(case: Case) -> None:
    checks.right_with_ours(case)


@each(CASES, minimal=True)
def test_guards(case: Case) -> None:
    checks.guard_count(case)
