"""Control flow in lockstep: masks, loops whose extent differs by thread, early exits."""

import numpy as np
import pytest
import tilelang  # noqa: F401
import tilelang.language as T
from tvm.script import tirx as Tx

from tests.fuzz.lowering import only_function, raw_module
from tests.oracle import AssertionFailed, OutOfSteps, run


def func(kernel):
    return only_function(raw_module(kernel))


def zeros(n, dtype=np.int32):
    return np.zeros(n, dtype)


def test_loop_extent_may_differ_between_threads():
    @T.prim_func
    def tri(y: T.Tensor((5,), "int32")):
        with T.Kernel(1, threads=5):
            t = T.get_thread_binding()
            for k in T.serial(t):
                y[t] = y[t] + k + 1

    assert run(func(tri), {"y": zeros(5)}).outputs["y"].tolist() == [0, 1, 3, 6, 10]


def test_break_and_continue_leave_only_their_threads():
    @T.prim_func
    def leave(y: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=4):
            t = T.get_thread_binding()
            for k in T.serial(6):
                if k == t:
                    continue
                if k == t + 2:
                    break
                y[t] = y[t] + 10 + k
            y[t] = y[t] * 10

    # Thread t adds 10 + k for k < t + 2 but not for k == t.
    want = [sum(10 + k for k in range(t + 2) if k != t) * 10 for t in range(4)]
    assert run(func(leave), {"y": zeros(4)}).outputs["y"].tolist() == want


def test_break_of_an_inner_loop_does_not_end_the_outer_one():
    @T.prim_func
    def nest(y: T.Tensor((3,), "int32")):
        with T.Kernel(1, threads=3):
            t = T.get_thread_binding()
            for i in T.serial(3):
                if i == 1:
                    continue
                for j in T.serial(5):
                    if j > t:
                        break
                    y[t] = y[t] + 1
                y[t] = y[t] + 100

    assert run(func(nest), {"y": zeros(3)}).outputs["y"].tolist() == [202, 204, 206]


def test_while_runs_until_every_thread_is_done():
    @T.prim_func
    def collatz(x: T.Tensor((4,), "int32"), y: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=4):
            t = T.get_thread_binding()
            v = T.alloc_var("int32")
            v = x[t]
            while v != 1:
                v = T.if_then_else(v % 2 == 0, v // 2, 3 * v + 1)
                y[t] = y[t] + 1

    def steps(v):
        n = 0
        while v != 1:
            v, n = (v // 2 if v % 2 == 0 else 3 * v + 1), n + 1
        return n

    x = np.array([1, 6, 7, 27], np.int32)
    assert run(func(collatz), {"x": x, "y": zeros(4)}).outputs["y"].tolist() == [steps(int(v)) for v in x]


def test_endless_loop_is_stopped():
    @T.prim_func
    def forever(y: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=1):
            while y[0] == 0:
                y[0] = 0

    with pytest.raises(OutOfSteps):
        run(func(forever), {"y": zeros(1)}, max_steps=1000)


def test_thread_return_ends_the_thread_not_the_block_nor_the_next_kernel():
    @T.prim_func
    def early(y: T.Tensor((4,), "int32")):
        with T.Kernel(2, threads=4) as b:
            t = T.get_thread_binding()
            if t >= 2 + b:
                T.thread_return()
            y[t] = y[t] + 1
        with T.Kernel(1, threads=4):
            t = T.get_thread_binding()
            y[t] = y[t] + 10

    assert run(func(early), {"y": zeros(4)}).outputs["y"].tolist() == [12, 12, 11, 10]


def test_shared_memory_is_exchanged_in_lockstep():
    @T.prim_func
    def reverse(x: T.Tensor((8,), "int32"), y: T.Tensor((8,), "int32")):
        with T.Kernel(2, threads=4) as b:
            s = T.alloc_shared((4,), "int32")
            t = T.get_thread_binding()
            s[t] = x[b * 4 + t]
            T.sync_threads()
            y[b * 4 + t] = s[3 - t]

    x = np.arange(8, dtype=np.int32)
    assert run(func(reverse), {"x": x, "y": zeros(8)}).outputs["y"].tolist() == [3, 2, 1, 0, 7, 6, 5, 4]


def test_one_statement_loads_for_all_threads_before_it_stores():
    @T.prim_func
    def rotate(y: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=4):
            t = T.get_thread_binding()
            y[t] = y[(t + 1) % 4]

    assert run(func(rotate), {"y": np.arange(4, dtype=np.int32)}).outputs["y"].tolist() == [1, 2, 3, 0]


def test_highest_thread_wins_a_collision():
    @T.prim_func
    def collide(y: T.Tensor((3,), "int32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[0] = t
            y[1 + t % 2] = t * 10
            if t < 5:
                y[0] = y[0] * 100 + t

    assert run(func(collide), {"y": zeros(3)}).outputs["y"].tolist() == [704, 60, 70]


def test_local_memory_belongs_to_one_thread():
    @T.prim_func
    def own(y: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=4):
            t = T.get_thread_binding()
            r = T.alloc_local((3,), "int32")
            v = T.alloc_var("int32", init=5)
            for i in T.serial(3):
                r[i] = t * 10 + i
            r[t % 3] = 7
            if t == 2:
                v = 1000
            y[t] = r[0] + r[1] + r[2] + v

    # Thread t holds t*10, t*10+1, t*10+2 with the element t % 3 replaced by 7.
    want = [sum(7 if i == t % 3 else t * 10 + i for i in range(3)) + (1000 if t == 2 else 5) for t in range(4)]
    assert run(func(own), {"y": zeros(4)}).outputs["y"].tolist() == want


def test_threads_in_three_dimensions():
    @T.prim_func
    def grid(y: T.Tensor((2, 3, 4), "int32")):
        with T.Kernel(2, threads=(4, 3)) as b:
            tx = T.get_thread_binding(0)
            ty = T.get_thread_binding(1)
            y[b, ty, tx] = b * 100 + ty * 10 + tx

    want = [[[b * 100 + j * 10 + i for i in range(4)] for j in range(3)] for b in range(2)]
    assert run(func(grid), {"y": zeros((2, 3, 4))}).outputs["y"].tolist() == want


def test_parallel_unrolled_and_vectorized_loops_run_in_order():
    @Tx.prim_func
    def kinds(c: Tx.handle):
        C = Tx.match_buffer(c, (3,), "int32")
        for i in Tx.parallel(3):
            C[0] = C[0] * 10 + i
        for i in Tx.unroll(1, 4):
            C[1] = C[1] * 10 + i
        for i in Tx.vectorized(3):
            C[2] = C[2] + i

    assert run(kinds, {"C": np.array([7, 0, 1], np.int32)}).outputs["C"].tolist() == [7012, 123, 4]


def test_asserts_stop_the_program():
    @T.prim_func
    def sure(x: T.Tensor((4,), "int32"), y: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=4):
            t = T.get_thread_binding()
            if t != 2:
                T.device_assert(x[t] > 0)
            y[t] = 1

    good = np.array([1, 1, -1, 1], np.int32)
    assert run(func(sure), {"x": good, "y": zeros(4)}).outputs["y"].tolist() == [1] * 4
    with pytest.raises(AssertionFailed):
        run(func(sure), {"x": -good, "y": zeros(4)})


def test_false_assumption_is_noted():
    n = T.dynamic("n")

    @T.prim_func
    def trust(y: T.Tensor((n,), "int32")):
        T.assume(n % 8 == 0)
        with T.Kernel(1, threads=1):
            y[0] = 1

    assert run(func(trust), {"y": zeros(8)}).notes == {}
    assert run(func(trust), {"y": zeros(7)}).notes == {"false assumption": 1}


def test_scalar_parameter_and_expression_shape():
    n, m = T.dynamic("n, m")

    @T.prim_func
    def fill(y: T.Tensor((n, 2 * m), "int32"), k: T.Tensor((m,), "int32"), s: T.int32):
        with T.Kernel(n, threads=8) as b:
            t = T.get_thread_binding()
            y[b, t] = k[t // 2] * s

    r = run(func(fill), {"y": zeros((2, 6)), "k": np.array([1, 2, 3], np.int32), "s": 4})
    assert r.outputs["y"].tolist() == [[4, 4, 8, 8, 12, 12]] * 2
    assert r.counts["outside.store:y"] == 4 and r.counts["outside.load:k"] == 4
