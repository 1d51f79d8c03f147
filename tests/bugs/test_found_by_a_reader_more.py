"""More of what a reader found: further kernels of its kinds, and hoisting and lanes of a loop, which it found too."""

import itertools
from typing import Any

import numpy as np
import pytest
import tilelang.language as T
from tvm import tirx

import tileguard
from tests.helpers import checks, lowered, meaning
from tests.helpers.case import Case, Fill, each
from tests.helpers.cuda_text import depth_of
from tests.helpers.lowered import equal


def store_at_64_bits() -> Any:
    """A store at 2^64 - 1 went in front of the buffer: the test from above saw -1."""
    n = T.dynamic("n")

    @T.prim_func
    def store_at_64_bits(at: T.Tensor((8,), "uint64"), x: T.Tensor((8,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[at[t]] = x[t]

    return store_at_64_bits


def smaller_of_a_difference() -> Any:
    """The operand of an unsigned minimum has wrapped before it is looked at."""
    n = T.dynamic("n")

    @T.prim_func
    def smaller_of_a_difference(
        a: T.Tensor((8,), "uint32"), x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32")
    ):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[t] = x[T.min(a[t] - T.uint32(4), T.uint32(6))]

    return smaller_of_a_difference


def one_below_a_power() -> Any:
    """A second application found one more test to make of a shift."""
    n = T.dynamic("n")

    @T.prim_func
    def one_below_a_power(x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32"), k: T.int32):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            if k >= 0:
                y[t] = x[T.shift_left(1, k) - 1]

    return one_below_a_power


def product_of_bytes() -> Any:
    """C multiplies bytes as integers, so the product goes beyond 255."""

    @T.prim_func
    def product_of_bytes(a: T.Tensor((8,), "uint8"), x: T.Tensor((8,), "float32"), y: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[T.Cast("int32", a[t] * T.uint8(3))] = x[t]

    return product_of_bytes


def store_at_a_complement() -> Any:
    """The store was taken for one that is always outside and deleted."""
    n = T.dynamic("n")

    @T.prim_func
    def store_at_a_complement(at: T.Tensor((8,), "uint32"), x: T.Tensor((8,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[~at[t]] = x[t]

    return store_at_a_complement


def turned_around() -> Any:
    """Two lanes were stored before the other two read what was there."""
    n = T.dynamic("n")

    @T.prim_func
    def turned_around(y: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=1):
            y[T.Ramp(0, 1, 4)] = y[T.Ramp(3, -1, 4)]

    return turned_around


def pairs_at_the_end() -> Any:
    """The last pair is half inside: its first element is added and given back."""
    n = T.dynamic("n")

    @T.prim_func
    def pairs_at_the_end(
        total: T.Tensor((n,), "float16"), part: T.Tensor((16,), "float16"), y: T.Tensor((16,), "float16")
    ):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[T.Ramp(t * 2, 1, 2)] = T.atomic_addx2(total[t * 2], part[t * 2], return_prev=True)

    return pairs_at_the_end


def ticket_in_a_conjunction() -> Any:
    """The index of a guarded atomic behind `and` was drawn once for each test and once for the use."""
    n = T.dynamic("n")

    @T.prim_func
    def ticket_in_a_conjunction(
        cnt: T.Tensor((1,), "int32"), total: T.Tensor((n,), "int32"), y: T.Tensor((8,), "int32")
    ):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            if t < 6 and T.atomic_add(total[T.atomic_add(cnt[0], 1, return_prev=True)], t + 1, return_prev=True) > 2:
                y[t] = 4

    return ticket_in_a_conjunction


def value_in_a_while_loop() -> Any:
    """What the value of a guarded atomic reads at a variable of the thread was bound in front of the guard."""
    n, m = T.dynamic("n, m")

    @T.prim_func
    def value_in_a_while_loop(most: T.Tensor((2,), "int32"), at: T.Tensor((n,), "int32"), x: T.Tensor((m,), "int32")):
        with T.Kernel(1, threads=1):
            w = T.alloc_var("int32")
            w = -1
            while w < 5:
                T.atomic_max(most[1 - w], x[at[w]])
                w = w + 1

    return value_in_a_while_loop


def value_of_a_choice_in_a_while_loop() -> Any:
    n, m = T.dynamic("n, m")

    @T.prim_func
    def value_of_a_choice_in_a_while_loop(
        most: T.Tensor((2,), "int32"), at: T.Tensor((n,), "int32"), x: T.Tensor((m,), "int32")
    ):
        with T.Kernel(2, threads=1) as b:
            w = T.alloc_var("int32")
            w = b - 2
            while w < 5:
                T.atomic_max(most[1 - w], T.Select(w % 2 == 0, x[m - 1 - w], x[T.Select(at[w] > 2, b + 2, b)]))
                w = w + 1
                T.atomic_max(most[1 - w], x[at[w]])

    return value_of_a_choice_in_a_while_loop


def checked_in_two_loops() -> Any:
    """Hoisting out of the inner loop changed the counts that decide about the outer one: a second time hoisted on."""
    n, m = T.dynamic("n, m")

    @T.prim_func
    def checked_in_two_loops(x: T.Tensor((n,), "float32"), z: T.Tensor((m,), "float32"), w: T.Tensor((m,), "float32")):
        with T.Kernel(2, threads=1) as b:
            for t in T.serial(3):
                for i in T.serial(2):
                    w[t - 1] = z[m - 1 - i]
                    for _ in T.serial(3):
                        if t + 1 < n:
                            w[t - 1] = z[t + b]
                        if t + 1 < n:
                            w[b + 1] = x[t + 1]

    return checked_in_two_loops


def checked_in_three_loops() -> Any:
    n, m = T.dynamic("n, m")

    @T.prim_func
    def checked_in_three_loops(
        x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32"), w: T.Tensor((m,), "float32")
    ):
        with T.Kernel(2, threads=1) as b:
            for t in T.serial(3):
                for _ in T.serial(n):
                    for j in T.serial(n):
                        if t + 1 < n:
                            w[t + b] = x[j]
                        if b == 0 and t < n:  # noqa: SIM102 (one condition would not be hoisted twice)
                            if t + 1 < n:
                                w[t - 1] = x[t + 1]
                    y[t * 2] = T.if_then_else(t + 1 < n, x[t + 1], T.float32(1))

    return checked_in_three_loops


def rows_of_all() -> Any:
    """The span of all rows is inside for every n, also where it is empty."""
    n = T.dynamic("n")

    @T.prim_func
    def rows_of_all(x: T.Tensor((n, 4), "float32"), y: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=1):
            T.call_extern("handle", "fill", T.access_ptr(x[0, 0], "w", extent=n * 4), T.access_ptr(y[0], "w", extent=8))

    return rows_of_all


def span_of_another_length() -> Any:
    """The span must fit, and an empty one fits into an empty buffer."""
    n, m = T.dynamic("n, m")

    @T.prim_func
    def span_of_another_length(
        x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32"), z: T.Tensor((m,), "float32")
    ):
        with T.Kernel(1, threads=1):
            T.call_extern("handle", "fill", T.access_ptr(x[0], "r", extent=m), T.access_ptr(y[0], "w", extent=8))

    return span_of_another_length


def index_under_a_predicate() -> Any:
    """The address of a load is computed whatever its predicate says."""
    n = T.dynamic("n")

    @T.prim_func
    def index_under_a_predicate(
        at: T.Tensor((n,), "int32"), x: T.Tensor((64,), "float32"), y: T.Tensor((32,), "float32")
    ):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            T.stg128(y[t * 4 : t * 4 + 4], T.ldg128(x[(at[t] & 7) * 4 : (at[t] & 7) * 4 + 4], t < n))

    return index_under_a_predicate


def ragged_copy_beyond_shared() -> Any:
    """A copy that is outside at both ends was stored beyond its target where its source was tested."""
    n = T.dynamic("n")

    @T.prim_func
    def ragged_copy_beyond_shared(x: T.Tensor((n,), "float32"), y: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            s = T.alloc_shared((30,), "float32")
            T.ptx_cp_async(T.access_ptr(s[t * 4], "w", 4), T.access_ptr(x[t * 4], "r", 4), 4)
            T.ptx_commit_group()
            T.ptx_wait_group(0)
            for v in T.serial(4):
                y[t * 4 + v] = s[t * 4 + v]

    return ragged_copy_beyond_shared


def read_only_load_in_an_arm() -> Any:
    """The index from memory that changes was read for each test and once more for the address."""
    n = T.dynamic("n")

    @T.prim_func
    def read_only_load_in_an_arm(
        at: T.Tensor((8,), "int32"), x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32")
    ):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[t] = T.if_then_else(t > 2, T.__ldg(x[at[t]]), T.float32(1))
            at[t] = 1

    return read_only_load_in_an_arm


def halves_of_a_wide_load() -> Any:
    """A ragged store of a reinterpreted load made a scalar of the load."""
    n = T.dynamic("n")

    @T.prim_func
    def halves_of_a_wide_load(x: T.Tensor((64,), "float16"), y: T.Tensor((n,), "float16")):
        with T.Kernel(1, threads=4):
            t = T.get_thread_binding()
            y[T.Ramp(t * 8, 1, 8)] = T.reinterpret(T.ldg128(x[t * 8 : t * 8 + 8]), "float16x8")

    return halves_of_a_wide_load


def filled(*values: int, dtype: str = "int64") -> Fill:
    def fill(shape: tuple[int, ...], env: Any) -> Any:
        return np.resize(np.array(values, dtype), shape)

    return fill


FEW = tuple({"n": n} for n in (0, 1, 3, 7, 8, 9, 13))
PAIRS = tuple({"n": n, "m": m} for n in range(5) for m in range(5))
AT = {"at": filled(-1, 99, 3, 0, 1)}
CASES = [
    Case(store_at_64_bits, 1, FEW, {"at": filled(0, 2**64 - 1, 3, 2**63 + 1, 1, 2, 5, 7, dtype="uint64")}),
    Case(smaller_of_a_difference, 1, FEW, {"a": filled(4, 0, 5, 9, 1, 11, 20, 3)}),
    Case(one_below_a_power, 1, tuple({"n": 9, "k": k} for k in (0, 1, 3, 4, 29, 30, 31))),
    Case(product_of_bytes, 1, fill={"a": filled(85, 86, 3, 255)}),
    Case(store_at_a_complement, 1, FEW, {"at": filled(2**32 - 1, 2**32 - 3, 0)}),
    Case(turned_around, 8, tuple({"n": n} for n in range(6))),
    Case(pairs_at_the_end, 2, FEW),
    Case(ticket_in_a_conjunction, 2, FEW, {"cnt": filled(-2)}),
    Case(value_in_a_while_loop, 5, PAIRS, AT),
    Case(value_of_a_choice_in_a_while_loop, 11, PAIRS, AT),
    Case(checked_in_two_loops, 7, PAIRS),
    Case(checked_in_three_loops, 4, PAIRS),
]


@each(CASES)
def test_right(case: Case) -> None:
    checks.right_with_ours(case)


@each(CASES, minimal=True)
def test_guards(case: Case) -> None:
    checks.guard_count(case)


@pytest.mark.parametrize(("make", "reads"), [(value_in_a_while_loop, 2), (value_of_a_choice_in_a_while_loop, 8)])
def test_a_value_is_read_under_the_guard_alone(make: Any, reads: int) -> None:
    """`at` is long enough for every w, so nothing but the guard of `most` keeps it from being read."""
    case = next(case for case in CASES if case.make is make)
    done = meaning.strict(case.lowered().after).run(case.arguments({"n": 8, "m": 4}))
    assert done.counts["load:at"] == reads


def test_a_span_of_all_rows_needs_no_guard() -> None:
    checks.guard_count(Case(rows_of_all, 0))


def test_an_empty_span_is_inside() -> None:
    every = [{"n": n, "m": m} for n, m in itertools.product((0, 1, 2, 5, 8), repeat=2)]
    after = Case(span_of_another_length, 1).lowered().after
    checks.runs_exactly_when(after, "fill", every, lambda n, m: m <= n)


def test_a_predicate_covers_no_address() -> None:
    case = Case(index_under_a_predicate, 2)
    checks.guard_count(case)
    assert depth_of(case.lowered().kernel, "at[") >= 2


def test_every_element_of_a_ragged_copy_is_tested() -> None:
    done = Case(ragged_copy_beyond_shared, 0, configs={"tileguard.guard_scopes": "global,shared"}).lowered()
    assert equal(done.again(), done.after)
    # The value of each of the four stores is a choice; a fifth choice is what the threads read in the end.
    stores = checks.conditions_around(done.after, "tirx.if_then_else")[:-1]
    assert len(stores) == 4
    for (lane, under), n, t in itertools.product(enumerate(stores), (0, 1, 27, 28, 29, 30, 31, 32, 40), range(8)):
        stored = all(checks.holds(condition, {"n": n, "t": t}) == must for condition, must in under)
        assert stored == (t * 4 + 3 >= min(n, 30) and t * 4 + lane < 30), (lane, n, t)


def test_an_index_that_changes_is_read_once() -> None:
    done = Case(read_only_load_in_an_arm, 2).lowered()
    assert equal(done.again(), done.after)
    found: list[Any] = []

    def see(node: Any) -> None:
        if isinstance(node, tirx.BufferLoad) and str(node.buffer.name) == "at":
            found.append(node)

    tirx.stmt_functor.post_order_visit(meaning.only_function(done.after).body, see)
    assert len(found) == 1


def test_a_wide_load_of_halves_stays_one() -> None:
    done = Case(halves_of_a_wide_load, 8).lowered()
    assert done.kernel.count("load_global_128") == 1
    assert equal(done.again(), done.after)


@pytest.mark.parametrize(("ahead", "apart"), [(1, False), (2, False), (0, True)])
def test_lanes_that_read_what_others_store(ahead: int, apart: bool) -> None:
    """By hand: TileLang's pipeline makes such a loop serial in front of the pass. Lanes of their own have a tail."""
    n = T.dynamic("n")

    @T.prim_func
    def shifted(y: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            for v in T.vectorized(4):
                y[t * 4 + v + ahead] = y[t * 4 + v] + T.float32(1)

    legalize = tileguard.transform.LegalizeSafeMemoryAccess()
    text = lowered.run_pass(legalize, lowered.raw(shifted), lowered.cuda(), {}).script()
    assert "in T.vectorized(4)" in text
    assert ("_tail" in text) == apart
