"""Faults of our own pass that random kernels, tests of TileLang and readers found: one kind each."""

from typing import Any

import numpy as np
import pytest
import tilelang.language as T

from tests.helpers import checks, lowered
from tests.helpers.case import Case, each, indices, shapes
from tileguard.atoms import comparisons


def atomics_in_a_vector_loop() -> Any:
    """A lane inside was dropped with the lanes outside of its vector."""
    n = T.dynamic("n")

    @T.prim_func
    def atomics_in_a_vector_loop(total: T.Tensor((n,), "float32"), part: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            for v in T.vectorized(4):
                T.atomic_add(total[t * 4 + v - 2], part[t * 4 + v])

    return atomics_in_a_vector_loop


def atomics_down_a_vector_loop() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def atomics_down_a_vector_loop(total: T.Tensor((n,), "int32"), part: T.Tensor((32,), "int32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            for v in T.vectorized(4):
                T.atomic_max(total[20 - t * 4 - v], part[t * 4 + v])

    return atomics_down_a_vector_loop


def read_behind_a_test() -> Any:
    """The read in an arm of the index was moved in front of the test that makes it safe."""
    n = T.dynamic("n")

    @T.prim_func
    def read_behind_a_test(at: T.Tensor((n,), "int32"), x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[t] = x[T.if_then_else(t < n, at[t], -1)]
            if t < n:
                at[t] = at[t] + 1

    return read_behind_a_test


def read_behind_an_and() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def read_behind_an_and(at: T.Tensor((n,), "int32"), x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[t] = x[T.if_then_else(T.And(t < n, at[t] > 2), at[t] - 2, n + t)]
            if t < n:
                at[t] = at[t] + 1

    return read_behind_an_and


def wrapped_in_an_arm() -> Any:
    """A product that wraps in 32 bits was compared as if it did not, because a choice stood around it."""
    n = T.dynamic("n")

    @T.prim_func
    def wrapped_in_an_arm(at: T.Tensor((8,), "int32"), x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[t] = x[T.if_then_else(at[t] > 0, at[t] * 65536, at[t] + 1)]

    return wrapped_in_an_arm


def sum_wrapped_in_an_arm() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def sum_wrapped_in_an_arm(at: T.Tensor((8,), "int32"), x: T.Tensor((8,), "int32"), y: T.Tensor((n,), "int32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[T.if_then_else(t % 2 == 0, at[t] + 2147483647, at[t])] = x[t]

    return sum_wrapped_in_an_arm


def row_of_a_page() -> Any:
    """The row is the same for all lanes and read from memory: one comparison of it, not one per lane."""
    n = T.dynamic("n")

    @T.prim_func
    def row_of_a_page(page: T.Tensor((4,), "int32"), x: T.Tensor((n, 32), "float16"), y: T.Tensor((4, 32), "float16")):
        with T.Kernel(4, threads=4) as b:
            t = T.get_thread_binding()
            for v in T.vectorized(8):
                y[b, t * 8 + v] = x[page[b], t * 8 + v]

    return row_of_a_page


def ragged_value_of_a_whole_store() -> Any:
    """Lanes of the load are tested, the store needs nothing: it stays one store."""

    @T.prim_func
    def ragged_value_of_a_whole_store(x: T.Tensor((30,), "float32"), y: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            for v in T.vectorized(4):
                y[t * 4 + v] = x[t * 4 + v - 1] + T.float32(1)

    return ragged_value_of_a_whole_store


def quads_of_whole_rows() -> Any:
    """All four elements lie in one row and the rows are whole: they are inside together or not at all."""
    n = T.dynamic("n")

    @T.prim_func
    def quads_of_whole_rows(total: T.Tensor((n, 16), "float32"), part: T.Tensor((4, 16), "float32")):
        with T.Kernel(4, threads=4) as row:
            t = T.get_thread_binding()
            T.atomic_addx4(total[row, t * 4], part[row, t * 4])

    return quads_of_whole_rows


def remainder_times_a_symbol() -> Any:
    """Whether `r * n` is below `4 * n` must be as plain the second time as the first."""
    n = T.dynamic("n")

    @T.prim_func
    def remainder_times_a_symbol(x: T.Tensor((4 * n,), "float32"), y: T.Tensor((16, n), "float32")):
        with T.Kernel(16, threads=8) as b:
            t = T.get_thread_binding()
            y[b, t] = x[(b % 4) * n + t] + x[(b % 3) * n + t]

    return remainder_times_a_symbol


def remainder_of_a_sum_times_a_symbol() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def remainder_of_a_sum_times_a_symbol(x: T.Tensor((n, 8), "float32"), y: T.Tensor((5 * n,), "float32")):
        with T.Kernel(n, threads=8) as b:
            t = T.get_thread_binding()
            y[((b + t) % 5) * n + b] = x[b, t]

    return remainder_of_a_sum_times_a_symbol


def column_read_from_memory() -> Any:
    """A lane's own index from memory has no key that a second application could find again."""
    n = T.dynamic("n")

    @T.prim_func
    def column_read_from_memory(
        at: T.Tensor((16,), "int32"), x: T.Tensor((n, 16), "float32"), y: T.Tensor((n, 16), "float32")
    ):
        with T.Kernel(n, threads=4) as b:
            t = T.get_thread_binding()
            for v in T.vectorized(4):
                y[b, t * 4 + v] = x[b, at[t * 4 + v]]

    return column_read_from_memory


def lane_shuffled_into_a_ragged_store() -> Any:
    """A lane of a load was taken for outside because the load's own full vector was, where only the store's is."""
    n, m = T.dynamic("n, m")

    @T.prim_func
    def lane_shuffled_into_a_ragged_store(x: T.Tensor((m,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(8, threads=1) as b:
            y[T.Ramp(b * 4 - 1, 1, 4)] = x[T.Shuffle([b, 5, b + 1, b], [1, 2, 3, 0])]

    return lane_shuffled_into_a_ragged_store


def remainder_of_an_empty_shape() -> Any:
    """`t % n` lies below n only where n is not zero; a device divides by zero and goes on."""
    n = T.dynamic("n")

    @T.prim_func
    def remainder_of_an_empty_shape(x: T.Tensor((n,), "float32"), y: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            y[t] = x[t % n]

    return remainder_of_an_empty_shape


def column_of_a_swizzle() -> Any:
    """Exclusive or with a constant is as exact as a sum."""
    n = T.dynamic("n")

    @T.prim_func
    def column_of_a_swizzle(x: T.Tensor((n,), "float32"), y: T.Tensor((16, n), "float32")):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            for k in T.serial(n):
                y[T.bitwise_xor(t, 5), k] = x[n - 1 - k] + x[n - T.bitwise_xor(t % 2 + 2, 1)]

    return column_of_a_swizzle


def next_one_wraps() -> Any:
    """The largest index plus one is negative, so the author's check lets it through."""
    n = T.dynamic("n")

    @T.prim_func
    def next_one_wraps(at: T.Tensor((8,), "int32"), x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            if at[t] + 1 < n:
                y[t] = x[at[t]]

    return next_one_wraps


def argument_wraps() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def argument_wraps(x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32"), s: T.int32):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            if s + t + 3 < n:
                y[t] = x[s + t + 3]

    return argument_wraps


def checked_on_both_sides() -> Any:
    """The host makes `-3 <= at` of the first check, which lets a wrapped sum through: one wide test is left."""
    n = T.dynamic("n")

    @T.prim_func
    def checked_on_both_sides(at: T.Tensor((8,), "int32"), x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            if at[t] + 3 >= 0 and at[t] + 3 < n:
                y[t] = x[at[t] + 3]

    return checked_on_both_sides


def lanes_a_stride_apart() -> Any:
    """The last lane is the farthest for any stride, so one test speaks for all four."""
    n, m = T.dynamic("n, m")

    @T.prim_func
    def lanes_a_stride_apart(x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32"), z: T.Tensor((m,), "float32")):
        with T.Kernel(1, threads=2):
            t = T.get_thread_binding()
            y[T.Ramp(t * 4, 1, 4)] = x[T.Ramp(t, m, 4)]

    return lanes_a_stride_apart


def bare_safe_value() -> Any:
    """A number without a type is a number of the buffer's."""
    n = T.dynamic("n")

    @T.prim_func
    def bare_safe_value(x: T.Tensor((n,), "float16"), y: T.Tensor((16,), "float16")):
        with T.Kernel(1, threads=16):
            T.annotate_safe_value({x: 1.5})
            t = T.get_thread_binding()
            y[t] = x[t] * T.float16(2)

    return bare_safe_value


def wide(shape: tuple[int, ...], env: Any) -> Any:
    """32768 * 65536 is 2^31 and 65536 * 65536 is 2^32: one wraps to a negative number, the other to 0."""
    return np.resize([1, 65536, 32768, -1, 0, 65537, -5, 2], shape)


def at_both_ends(shape: tuple[int, ...], env: Any) -> Any:
    return np.resize([2147483647, -2147483648, 2, -3, 2147483645, -4, 0, 7], shape)


def below_the_wrap(shape: tuple[int, ...], env: Any) -> Any:
    """What happens beyond, the host's own rewriting has changed already."""
    return np.resize([2147483644, -2147483648, 2, -3, 5, -4, 0, 7], shape)


def near_the_end(shape: tuple[int, ...], env: Any) -> Any:
    return np.resize([0, -5, -2147483647, 3, 2147483647, 0, 1, 2], shape)


AT = {"at": indices(-1, 99, 3)}
# A choice in an index stands in each comparison of it and, with a read in an arm, also around that read: so many
# comparisons of text are two of the plan.
CASES = [
    Case(atomics_in_a_vector_loop, 2, shapes(n=32)),
    Case(atomics_down_a_vector_loop, 2, shapes(n=20)),
    Case(read_behind_a_test, 2, shapes(n=8), AT),
    Case(read_behind_an_and, 9, shapes(n=8), AT, needed=False),
    Case(wrapped_in_an_arm, 4, shapes(n=8), {"at": wide}),
    Case(sum_wrapped_in_an_arm, 4, shapes(n=8), {"at": near_the_end}),
    Case(row_of_a_page, 2, shapes(n=4), {"page": indices(-1, 99, 3)}),
    Case(ragged_value_of_a_whole_store, 2),
    Case(quads_of_whole_rows, 1, shapes(n=4)),
    Case(remainder_times_a_symbol, 1, shapes(n=8)),
    Case(remainder_of_a_sum_times_a_symbol, 0, shapes(n=8)),
    Case(column_read_from_memory, 2, shapes(n=3), AT),
    Case(lane_shuffled_into_a_ragged_store, 17, shapes(n=22, m=5)),
    Case(remainder_of_an_empty_shape, 1, tuple({"n": n} for n in (1, 7, 8, 9, 37)), needed=False),
    Case(column_of_a_swizzle, 1, shapes(n=5)),
    Case(next_one_wraps, 2, shapes(n=8), {"at": at_both_ends}),
    Case(argument_wraps, 2, tuple({"n": n, "s": s} for n in (0, 3, 9) for s in (-(2**31), -11, -3, 0, 2, 2**31 - 5))),
    Case(checked_on_both_sides, 1, shapes(n=8), {"at": below_the_wrap}, needed=False),
    Case(lanes_a_stride_apart, 4, shapes(n=8, m=3)),
    Case(bare_safe_value, 1, shapes(n=16)),
]


@each(CASES)
def test_right(case: Case) -> None:
    checks.right_with_ours(case)


@each(CASES, minimal=True)
def test_guards(case: Case) -> None:
    checks.guard_count(case)


def test_lanes_that_agree_have_no_fallback() -> None:
    """A wide op whose elements are in or out together is tested once and never taken apart."""
    case = next(case for case in CASES if case.make is quads_of_whole_rows)
    assert len(checks.conditions_around(case.lowered().after, "tl.atomic_addx4_elem_op")) == 1
    assert "AtomicAdd(" not in case.lowered().kernel


@pytest.mark.parametrize("dtype", ["float4_e2m1fn", "float8_e4m3"])
def test_types_beyond_numpy(dtype: str) -> None:
    """A buffer of a type that TVM knows by name alone is guarded like any other."""
    n = T.dynamic("n")

    @T.prim_func
    def copy(x: T.Tensor((n,), dtype), y: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, 32), threads=32) as b:
            t = T.get_thread_binding()
            y[b * 32 + t] = x[b * 32 + t]

    done = lowered.lower(copy)
    assert comparisons(done.after) > comparisons(done.before)
