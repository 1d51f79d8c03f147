"""Atomics, asynchronous copies, views and index arithmetic past 64 bits."""

import numpy as np
import pytest
import tilelang  # noqa: F401
import tilelang.language as T
from tvm.script import tirx as Tx

from tests.fuzz.lowering import only_function, raw_module
from tests.oracle import OutOfBoundsAccess, run


def func(kernel):
    return only_function(raw_module(kernel))


def test_atomic_forms():
    @T.prim_func
    def forms(a: T.Tensor((6,), "int32"), p: T.Tensor((4,), "int32"), q: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=4):
            t = T.get_thread_binding()
            T.atomic_max(a[0], t * 3)
            T.atomic_min(a[1], t - 2)
            T.atomic_or(a[2], 1 << t)
            p[t] = T.atomic_add(a[3], t + 1, return_prev=True)
            T.atomic_store(a[4], t + 40)
            q[t] = T.atomic_load(a[4])

    a = np.array([5, 5, 16, 100, 0, 9], np.int32)
    r = run(func(forms), {"a": a, "p": np.zeros(4, np.int32), "q": np.zeros(4, np.int32)})
    assert r.outputs["a"].tolist() == [9, -2, 31, 110, 43, 9]
    assert r.outputs["p"].tolist() == [100, 101, 103, 106]
    assert r.outputs["q"].tolist() == [43] * 4
    assert r.counts["atomic:a"] == 20


def test_vector_atomics_are_checked_lane_by_lane():
    n = T.dynamic("n")

    @T.prim_func
    def quad(acc: T.Tensor((n,), "float32"), add: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=2):
            t = T.get_thread_binding()
            T.atomic_addx4(acc[t * 4], add[t * 4])

    f = func(quad)
    add = np.arange(1, 9, dtype=np.float32)
    r = run(f, {"acc": np.full(6, 10, np.float32), "add": add})
    assert r.outputs["acc"].tolist() == [11, 12, 13, 14, 15, 16]
    with pytest.raises(OutOfBoundsAccess, match=r"atomic acc\[6\]"):
        run(f, {"acc": np.full(6, 10, np.float32), "add": add}, "strict")


def cp_async(pred=None, safe=None):
    n = T.dynamic("n")

    @T.prim_func
    def stage(src: T.Tensor((n,), "float16"), dst: T.Tensor((8,), "float16")):
        with T.Kernel(1, threads=2):
            if safe is not None:
                T.annotate_safe_value({src: T.float16(safe)})
            t = T.get_thread_binding()
            buf = T.alloc_shared((8,), "float16")
            if pred is None:
                T.ptx_cp_async(T.access_ptr(buf[t * 4], "w", 4), T.access_ptr(src[t * 4], "r", 4), 4)
            else:
                T.ptx_cp_async(T.access_ptr(buf[t * 4], "w", 4), T.access_ptr(src[t * 4], "r", 4), 4, pred(t))
            T.ptx_commit_group()
            T.ptx_wait_group(0)
            for k in T.serial(4):
                dst[t * 4 + k] = buf[t * 4 + k]

    return func(stage)


def test_cp_async_fills_every_element_outside_with_the_safe_value():
    args = {"src": np.arange(1, 7, dtype=np.float16), "dst": np.zeros(8, np.float16)}
    assert run(cp_async(), args).outputs["dst"].tolist() == [1, 2, 3, 4, 5, 6, 0, 0]
    assert run(cp_async(safe=3), args).outputs["dst"].tolist() == [1, 2, 3, 4, 5, 6, 3, 3]
    with pytest.raises(OutOfBoundsAccess, match=r"load src\[6\]"):
        run(cp_async(), args, "strict")


def test_cp_async_with_a_false_predicate_reads_nothing_and_fills_zeros():
    args = {"src": np.arange(1, 7, dtype=np.float16), "dst": np.zeros(8, np.float16)}
    r = run(cp_async(lambda t: t < 1), args, "strict")
    assert r.outputs["dst"].tolist() == [1, 2, 3, 4, 0, 0, 0, 0]
    assert r.counts["load:src"] == 4


def test_strides_and_rank_zero():
    @Tx.prim_func
    def strided(a: Tx.handle, s: Tx.handle, c: Tx.handle):
        n = Tx.int32()
        A = Tx.match_buffer(a, (n, 3), "int32", strides=(3, 1))
        S = Tx.match_buffer(s, (), "int32")
        C = Tx.match_buffer(c, (n,), "int32")
        for i in range(n):
            C[i] = A[i, 2] + S[()]

    a = np.arange(6, dtype=np.int32).reshape(2, 3)
    r = run(strided, {"A": a, "S": np.array(100, np.int32), "C": np.zeros(2, np.int32)})
    assert r.outputs["C"].tolist() == [102, 105]
    assert r.outputs["S"].shape == ()


def test_two_views_of_one_buffer_see_each_others_writes():
    @T.prim_func
    def alias(x: T.Tensor((4,), "float32"), y: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=4):
            t = T.get_thread_binding()
            flat = T.view(x, (2, 2), "int32")
            flat[t // 2, t % 2] = 0x40000000
            y[t] = flat[1, 1]
            x[t] = x[t] + T.float32(1)

    r = run(func(alias), {"x": np.zeros(4, np.float32), "y": np.zeros(4, np.int32)})
    assert r.outputs["x"].tolist() == [3.0] * 4
    assert r.outputs["y"].tolist() == [0x40000000] * 4


def test_index_arithmetic_past_64_bits_is_exact():
    @Tx.prim_func
    def far(a: Tx.handle, k: Tx.handle, c: Tx.handle):
        A = Tx.match_buffer(a, (8,), "int32")
        K = Tx.match_buffer(k, (4,), "int64")
        C = Tx.match_buffer(c, (4,), "int32")
        for t in Tx.thread_binding(4, "threadIdx.x"):
            # 2^62 * 4 is 0 at 64 bits; the quotient of the exact product is K again.
            C[t] = A[K[t] * Tx.int64(4) + Tx.int64(2)] + A[Tx.floordiv(K[t] * Tx.int64(16), Tx.int64(16))] * 100

    k = np.array([0, 1, 2**62, -(2**63)], np.int64)
    r = run(far, {"A": np.arange(1, 9, dtype=np.int32), "K": k, "C": np.zeros(4, np.int32)})
    assert r.outputs["C"].tolist() == [3 + 100, 7 + 200, 0, 0]


def test_gather_with_extreme_indices():
    n = T.dynamic("n")

    @T.prim_func
    def gather(x: T.Tensor((n, n), "int32"), i: T.Tensor((6,), "int32"), y: T.Tensor((6,), "int32")):
        with T.Kernel(1, threads=6):
            t = T.get_thread_binding()
            y[t] = x[i[t], i[t] + 1]

    i = np.array([0, 1, 2, -1, 2**31 - 1, -(2**31)], np.int32)
    x = np.arange(9, dtype=np.int32).reshape(3, 3) + 1
    r = run(func(gather), {"x": x, "i": i, "y": np.full(6, -5, np.int32)})
    assert r.outputs["y"].tolist() == [2, 6, 0, 0, 0, 0]


def test_index_with_a_side_effect_is_evaluated_once():
    n = T.dynamic("n")

    @T.prim_func
    def compact(count: T.Tensor((1,), "int32"), out: T.Tensor((n,), "int32")):
        with T.Kernel(1, threads=6):
            t = T.get_thread_binding()
            out[T.atomic_add(count[0], 1, return_prev=True)] = t

    r = run(func(compact), {"count": np.zeros(1, np.int32), "out": np.full(4, -1, np.int32)})
    assert r.outputs["count"].tolist() == [6]
    assert r.outputs["out"].tolist() == [0, 1, 2, 3]


def test_uninitialised_memory_holds_the_fill_byte():
    @T.prim_func
    def raw(y: T.Tensor((2,), "uint32")):
        with T.Kernel(1, threads=2):
            s = T.alloc_shared((2,), "uint32")
            t = T.get_thread_binding()
            y[t] = s[t]

    f = func(raw)
    y = np.zeros(2, np.uint32)
    assert run(f, {"y": y}, fill=0x11).outputs["y"].tolist() == [0x11111111] * 2
    assert run(f, {"y": y}, fill=0).outputs["y"].tolist() == [0, 0]
