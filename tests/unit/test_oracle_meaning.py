"""The contract's meaning, rule by rule, on kernels small enough to compute by hand."""

import numpy as np
import pytest
import tilelang  # noqa: F401
import tilelang.language as T
from tvm.script import tirx as Tx

from tests.fuzz.lowering import only_function, raw_module
from tests.oracle import BadArguments, OutOfBoundsAccess, UnsupportedByOracle, run


def func(kernel):
    return only_function(raw_module(kernel))


def shift_kernel(safe=None):
    n = T.dynamic("n")

    @T.prim_func
    def shift(x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=8):
            if safe is not None:
                T.annotate_safe_value({x: safe})
            t = T.get_thread_binding()
            y[t] = x[t - 1] * T.float32(2)

    return func(shift)


X5 = np.array([1, 2, 3, 4, 5], np.float32)


def test_load_outside_reads_zero():
    r = run(shift_kernel(), {"x": X5, "y": np.full(8, 9, np.float32)})
    assert r.outputs["y"].tolist() == [0, 2, 4, 6, 8, 10, 0, 0]
    assert r.counts["load:x"] == 5 and r.counts["store:y"] == 8
    assert r.counts["outside.load:x"] == 3
    assert r.oob_events[0].indices == (-1,) and r.oob_events[0].shape == (5,)


def test_load_outside_reads_the_annotated_value():
    r = run(shift_kernel(1.5), {"x": X5, "y": np.zeros(8, np.float32)})
    assert r.outputs["y"].tolist() == [3, 2, 4, 6, 8, 10, 3, 3]


def test_empty_tensor_reads_the_annotated_value():
    r = run(shift_kernel(1.5), {"x": X5[:0], "y": np.zeros(8, np.float32)})
    assert r.outputs["y"].tolist() == [3.0] * 8


def test_strict_raises_with_the_facts():
    with pytest.raises(OutOfBoundsAccess) as e:
        run(shift_kernel(), {"x": X5, "y": np.zeros(8, np.float32)}, "strict")
    ev = e.value.event
    assert (ev.kind, ev.buffer, ev.indices, ev.shape, ev.thread) == ("load", "x", (-1,), (5,), 0)
    assert ev.block == {"blockIdx.x": 0} and ev.lanes == 3


def test_strict_accepts_what_is_inside():
    n = T.dynamic("n")

    @T.prim_func
    def copy(x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[t] = T.if_then_else(t < n, x[t], T.float32(7))

    r = run(func(copy), {"x": X5, "y": np.zeros(8, np.float32)}, "strict")
    assert r.outputs["y"].tolist() == [1, 2, 3, 4, 5, 7, 7, 7]
    assert r.counts["compare"] == 8


def test_arguments_are_not_changed():
    y = np.full(8, 9, np.float32)
    run(shift_kernel(), {"x": X5, "y": y})
    assert y.tolist() == [9.0] * 8


def test_store_outside_is_skipped_but_its_value_is_evaluated():
    room = T.dynamic("room")

    @T.prim_func
    def ticket(count: T.Tensor((1,), "int32"), out: T.Tensor((room,), "int32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            out[t] = T.atomic_add(count[0], 1, return_prev=True)

    f = func(ticket)
    r = run(f, {"count": np.array([10], np.int32), "out": np.zeros(3, np.int32)})
    assert r.outputs["count"].tolist() == [18]
    assert r.outputs["out"].tolist() == [10, 11, 12]
    with pytest.raises(OutOfBoundsAccess, match="store out"):
        run(f, {"count": np.array([10], np.int32), "out": np.zeros(3, np.int32)}, "strict")


def test_atomic_outside_is_skipped_and_yields_the_safe_value():
    n = T.dynamic("n")

    @T.prim_func
    def bump(acc: T.Tensor((n,), "int32"), prev: T.Tensor((4,), "int32"), x: T.Tensor((3,), "int32")):
        with T.Kernel(1, threads=4):
            T.annotate_safe_value({acc: -7, x: 5})
            t = T.get_thread_binding()
            prev[t] = T.atomic_add(acc[t], x[t], return_prev=True)

    args = {"acc": np.array([1, 2], np.int32), "prev": np.zeros(4, np.int32), "x": np.array([10, 20, 30], np.int32)}
    r = run(func(bump), args)
    assert r.outputs["acc"].tolist() == [11, 22]
    assert r.outputs["prev"].tolist() == [1, 2, -7, -7]


def test_load_outside_in_an_atomics_value_does_not_cancel_it():
    @T.prim_func
    def add(acc: T.Tensor((4,), "int32"), x: T.Tensor((2,), "int32")):
        with T.Kernel(1, threads=4):
            T.annotate_safe_value({x: 5})
            t = T.get_thread_binding()
            T.atomic_add(acc[t], x[t])

    r = run(func(add), {"acc": np.arange(4, dtype=np.int32), "x": np.array([10, 20], np.int32)})
    assert r.outputs["acc"].tolist() == [10, 21, 7, 8]


def test_vector_acts_lane_by_lane():
    n = T.dynamic("n")

    @T.prim_func
    def quads(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=2):
            t = T.get_thread_binding()
            y[T.Ramp(t * 4, 1, 4)] = x[T.Ramp(t * 4, 1, 4)] + T.Broadcast(T.float32(1), 4)

    r = run(func(quads), {"x": X5, "y": np.full(5, 9, np.float32)})
    assert r.outputs["y"].tolist() == [2, 3, 4, 5, 6]
    assert r.counts["load:x"] == 5 and r.counts["load.v4:x"] == 2 and r.counts["load.v1:x"] == 0


def test_view_has_exact_bits_and_safe_bits():
    n = T.dynamic("n")

    @T.prim_func
    def bits(x: T.Tensor((n,), "float32"), y: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=4):
            T.annotate_safe_value({x: T.float32(1.0)})
            t = T.get_thread_binding()
            raw = T.view(x, (n,), "int32")
            y[t] = raw[t]

    x = np.array([0.1, -2.5], np.float32)
    r = run(func(bits), {"x": x, "y": np.zeros(4, np.int32)})
    assert r.outputs["y"].tolist() == [*x.view(np.int32).tolist(), 0x3F800000, 0x3F800000]


def test_safe_value_ends_with_its_kernel():
    m = T.dynamic("m")

    @T.prim_func
    def two(a: T.Tensor((m,), "float32"), c: T.Tensor((4,), "float32"), d: T.Tensor((4,), "float32")):
        with T.Kernel(1, threads=4):
            T.annotate_safe_value({a: 3.0})
            t = T.get_thread_binding()
            c[t] = a[t]
        with T.Kernel(1, threads=4):
            t = T.get_thread_binding()
            d[t] = a[t]

    zeros = np.zeros(4, np.float32)
    r = run(func(two), {"a": np.array([1, 2], np.float32), "c": zeros, "d": zeros})
    assert r.outputs["c"].tolist() == [1, 2, 3, 3]
    assert r.outputs["d"].tolist() == [1, 2, 0, 0]


@pytest.mark.parametrize(
    ("index", "s", "inside"),
    [
        # 65536 * 65536 is 0 at 32 bits, 2^32 in mathematical integers.
        (lambda s: s * 65536 + 3, 65536, False),
        (lambda s: s * 65536 * 65536 * 65536 * 65536 + 3, 2, False),
        # An excursion that comes back is in bounds.
        (lambda s: (s + 2147483647) - 2147483647 + 1, 2, True),
        # A narrowing cast wraps on purpose: (uint8)(-1) is 255, (int8)257 is 1.
        (lambda s: Tx.Cast("int32", Tx.Cast("uint8", s)), -1, False),
        (lambda s: Tx.Cast("int32", Tx.Cast("int8", s + 2)), 257, True),
        # uint32 arithmetic below zero is outside, whatever it wraps to.
        (lambda s: Tx.Cast("uint32", s) - Tx.uint32(3), 2, False),
        (lambda s: Tx.Cast("uint32", s) - Tx.uint32(2), 5, True),
    ],
)
def test_in_bounds_is_judged_in_mathematical_integers(index, s, inside):
    @Tx.prim_func
    def wide(a: Tx.handle, c: Tx.handle, s: Tx.int32):
        A = Tx.match_buffer(a, (8,), "int32")
        C = Tx.match_buffer(c, (1,), "int32")
        C[0] = A[index(s)]

    r = run(wide, {"A": np.arange(8, dtype=np.int32), "C": np.array([-1], np.int32), "s": s})
    assert r.outputs["C"].tolist() == [3 if inside else 0]


def test_strict_takes_the_index_at_its_own_type():
    @Tx.prim_func
    def wide(a: Tx.handle, c: Tx.handle, s: Tx.int32):
        A = Tx.match_buffer(a, (8,), "int32")
        C = Tx.match_buffer(c, (1,), "int32")
        C[0] = A[s * 65536 + 3]

    r = run(wide, {"A": np.arange(8, dtype=np.int32), "C": np.zeros(1, np.int32), "s": 65536}, "strict")
    assert r.outputs["C"].tolist() == [3]


def test_lazy_operands_are_not_evaluated():
    n = T.dynamic("n")

    @T.prim_func
    def lazy(x: T.Tensor((n,), "int32"), y: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            if t < n and x[t] > 1:
                y[t] = 1
            if t >= n or x[t] > 3:
                y[t] = y[t] + 2

    args = {"x": np.array([1, 2, 3, 4], np.int32), "y": np.zeros(8, np.int32)}
    for mode in ("safe", "strict"):
        r = run(func(lazy), args, mode)
        assert r.outputs["y"].tolist() == [0, 1, 1, 3, 2, 2, 2, 2]
        assert r.counts["load:x"] == 8 and not r.oob_events


def test_select_evaluates_both_arms():
    @T.prim_func
    def eager(x: T.Tensor((4,), "int32"), y: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[t] = T.Select(t < 4, x[t], 9)

    args = {"x": np.array([1, 2, 3, 4], np.int32), "y": np.zeros(8, np.int32)}
    assert run(func(eager), args).outputs["y"].tolist() == [1, 2, 3, 4, 9, 9, 9, 9]
    with pytest.raises(OutOfBoundsAccess):
        run(func(eager), args, "strict")


def test_shared_memory_outside_is_recorded_not_fatal():
    @T.prim_func
    def near(y: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=4):
            s = T.alloc_shared((4,), "int32")
            t = T.get_thread_binding()
            s[t] = t
            y[t] = s[t + 1]

    r = run(func(near), {"y": np.zeros(4, np.int32)}, "strict")
    assert r.outputs["y"].tolist()[:3] == [1, 2, 3]
    assert [(e.buffer, e.indices, e.thread) for e in r.oob_events] == [("s", (4,), 3)]


def test_bad_arguments_are_said_in_one_sentence():
    f = shift_kernel()
    y = np.zeros(8, np.float32)
    with pytest.raises(BadArguments, match="no array for buffer 'y'"):
        run(f, {"x": X5})
    with pytest.raises(BadArguments, match="'x' wants float32, got float64"):
        run(f, {"x": X5.astype(np.float64), "y": y})
    with pytest.raises(BadArguments, match="unknown argument 'z'"):
        run(f, {"x": X5, "y": y, "z": 1})
    with pytest.raises(BadArguments, match=r"'y' wants shape \(8,\), got \(7,\)"):
        run(f, {"x": X5, "y": y[:7]})


def test_unknown_op_is_named():
    @T.prim_func
    def hand_over(y: T.Tensor((4,), "float32")):
        with T.Kernel(1, threads=4):
            T.call_extern("handle", "fill_four", T.access_ptr(y[0], "w", 4))

    with pytest.raises(UnsupportedByOracle, match=r"tirx\.call_extern"):
        run(func(hand_over), {"y": np.zeros(4, np.float32)})
