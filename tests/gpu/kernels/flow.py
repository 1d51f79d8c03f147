"""Control flow: early returns, collectives, lazy operands, mutable indices, several kernels."""

from typing import Any

import numpy as np
import tilelang.language as T

from tests.gpu.case import Arrays, Env, GpuCase, padded, sizes, small, taken

LENGTHS = sizes(n=(1, 31, 32, 33, 61, 64, 65, 127))


def warp_sums() -> Any:
    """All 32 lanes take part, whoever stores."""
    n = T.dynamic("n")

    @T.prim_func
    def warp_sums(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 32), threads=32) as block:
            t = T.get_thread_binding()
            y[block * 32 + t] = T.warp_reduce_sum(x[block * 32 + t])

    return warp_sums


def warp_sums_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    n = env["n"]
    wide = padded(x, (-(-n // 32) * 32,)).reshape(-1, 32)
    return {"y": np.repeat(wide.sum(axis=1), 32)[:n]}


def warp_maxima() -> Any:
    """With a safe value that would win if it were read for an element inside."""
    n = T.dynamic("n")

    @T.prim_func
    def warp_maxima(x: T.Tensor((n,), "int32"), y: T.Tensor((n,), "int32")):
        with T.Kernel(T.ceildiv(n, 32), threads=32) as block:
            T.annotate_safe_value({x: -1000})
            t = T.get_thread_binding()
            y[block * 32 + t] = T.warp_reduce_max(x[block * 32 + t])

    return warp_maxima


def warp_maxima_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    n = env["n"]
    wide = padded(x, (-(-n // 32) * 32,), -1000).reshape(-1, 32)
    return {"y": np.repeat(wide.max(axis=1), 32)[:n]}


def swapped() -> Any:
    """A shuffle whose two sides are ragged at different places."""
    n, m = T.dynamic("n, m")

    @T.prim_func
    def swapped(x: T.Tensor((n,), "int32"), y: T.Tensor((m,), "int32")):
        with T.Kernel(4, threads=32) as block:
            t = T.get_thread_binding()
            y[block * 32 + t] = T.shfl_xor(x[block * 32 + t], 1)

    return swapped


def swapped_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    out = y.copy()
    made = taken(x, np.arange(128) ^ 1)
    out[:128] = made[: out.size]
    return {"y": out}


def counted() -> Any:
    """A vote of the block."""
    n = T.dynamic("n")

    @T.prim_func
    def counted(x: T.Tensor((n,), "int32"), y: T.Tensor((n,), "int32")):
        with T.Kernel(T.ceildiv(n, 64), threads=64) as block:
            t = T.get_thread_binding()
            y[block * 64 + t] = T.syncthreads_count(x[block * 64 + t] > 10)

    return counted


def counted_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    n = env["n"]
    wide = padded(x, (-(-n // 64) * 64,)).reshape(-1, 64) > 10
    return {"y": np.repeat(wide.sum(axis=1), 64)[:n].astype(np.int32)}


def block_sum() -> Any:
    """A reduction over the whole block and one store."""
    n, m = T.dynamic("n, m")

    @T.prim_func
    def block_sum(x: T.Tensor((n,), "float32"), y: T.Tensor((m,), "float32")):
        with T.Kernel(T.ceildiv(n, 128), threads=128) as block:
            part = T.alloc_fragment((128,), "float32")
            total = T.alloc_fragment((1,), "float32")
            for i in T.Parallel(128):
                part[i] = x[block * 128 + i]
            T.reduce_sum(part, total, dim=0)
            y[block] = total[0]

    return block_sum


def block_sum_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    out, blocks = y.copy(), -(-env["n"] // 128)
    made = padded(x, (blocks * 128,)).reshape(-1, 128).sum(axis=1)
    room = min(blocks, out.size)
    out[:room] = made[:room]
    return {"y": out}


def returned_early() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def returned_early(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 64), threads=64) as block:
            t = T.get_thread_binding()
            if block * 64 + t >= n:
                T.thread_return()
            y[block * 64 + t] = x[block * 64 + t - 2] + x[block * 64 + t]

    return returned_early


def returned_early_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    at = np.arange(env["n"])
    return {"y": taken(x, at - 2) + x}


def linked_list() -> Any:
    """The index is moved in the loop; the check in front of it holds for the first node only."""
    n = T.dynamic("n")

    @T.prim_func
    def linked_list(head: T.Tensor((32,), "int32"), follow: T.Tensor((n,), "int32"), out: T.Tensor((32,), "int32")):
        with T.Kernel(1, threads=32):
            t = T.get_thread_binding()
            at = T.alloc_var("int32")
            at = head[t]
            out[t] = 0
            if at >= 0 and at < n:
                for _k in T.serial(6):
                    out[t] = out[t] + at
                    at = follow[at]

    return linked_list


def walked(env: Env, head: np.ndarray, follow: np.ndarray, out: np.ndarray) -> Arrays:
    made = np.zeros(32, np.int64)
    for lane, start in enumerate(head):
        at = int(start)
        if 0 <= at < env["n"]:
            for _ in range(6):
                made[lane] += at
                at = int(follow[at]) if 0 <= at < env["n"] else 0
    return {"out": made.astype(np.int32)}


def checked_after_a_jump() -> Any:
    """An assumption about the old value must not delete the author's own check."""
    n = T.dynamic("n")

    @T.prim_func
    def checked_after_a_jump(
        table: T.Tensor((n,), "int32"), start: T.Tensor((32,), "int32"), out: T.Tensor((32,), "int32")
    ):
        with T.Kernel(1, threads=32):
            t = T.get_thread_binding()
            at = T.alloc_var("int32")
            at = start[t]
            T.assume(at >= 0 and at < n)
            out[t] = table[at]
            at = at + 13
            if at < n:
                out[t] = out[t] + table[at]

    return checked_after_a_jump


def starts(shape: tuple[int, ...], env: Env) -> np.ndarray:
    return np.arange(shape[0]) * 5 % env["n"]


def checked_after_a_jump_reference(env: Env, table: np.ndarray, start: np.ndarray, out: np.ndarray) -> Arrays:
    return {"out": table[start] + taken(table, start + 13)}


def while_inside() -> Any:
    """A bisection that may run to the end of the table and past it."""
    n = T.dynamic("n")

    @T.prim_func
    def while_inside(x: T.Tensor((n,), "int32"), key: T.Tensor((32,), "int32"), out: T.Tensor((32,), "int32")):
        with T.Kernel(1, threads=32):
            t = T.get_thread_binding()
            at = T.alloc_var("int32")
            at = 0
            while at <= n and x[at] < key[t] and at < 100:
                at = at + 1
            out[t] = at

    return while_inside


def rising(shape: tuple[int, ...], env: Env) -> np.ndarray:
    return np.arange(shape[0]) * 3


def while_inside_reference(env: Env, x: np.ndarray, key: np.ndarray, out: np.ndarray) -> Arrays:
    made = []
    for want in key:
        at = 0
        while at <= env["n"] and (x[at] if at < env["n"] else 0) < want and at < 100:
            at += 1
        made.append(at)
    return {"out": np.array(made, np.int32)}


def lazy_arms() -> Any:
    """Loads in the arms of a lazy choice and behind `and`: guarded where they stand."""
    n = T.dynamic("n")

    @T.prim_func
    def lazy_arms(x: T.Tensor((n,), "int32"), total: T.Tensor((64,), "int32"), y: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64):
            t = T.get_thread_binding()
            T.atomic_add(total[t], T.if_then_else(t >= 1, x[t - 1], 100))
            y[t] = T.if_then_else(t % 2 == 0 and x[t + 1] > 20, x[t + 2], x[t - 2] + 7)

    return lazy_arms


def lazy_arms_reference(env: Env, x: np.ndarray, total: np.ndarray, y: np.ndarray) -> Arrays:
    t = np.arange(64)
    added = np.where(t >= 1, taken(x, t - 1), 100)
    chosen = np.where((t % 2 == 0) & (taken(x, t + 1) > 20), taken(x, t + 2), taken(x, t - 2) + 7)
    return {"total": total + added, "y": chosen}


def negative_rows() -> Any:
    """Rows and columns to the left of the array, for loads and stores."""
    m, n = T.dynamic("m, n")

    @T.prim_func
    def negative_rows(x: T.Tensor((m, n), "float32"), y: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, 32), T.ceildiv(m, 8), threads=64) as (bx, by):
            for i, j in T.Parallel(8, 32):
                y[by * 8 + i - 2, bx * 32 + j - 5] = x[by * 8 + i - 3, bx * 32 + j - 1]

    return negative_rows


def negative_rows_reference(env: Env, x: np.ndarray, y: np.ndarray) -> Arrays:
    m, n = x.shape
    out = y.copy()
    for i in range(-(-m // 8) * 8):
        for j in range(-(-n // 32) * 32):
            if 0 <= i - 2 < m and 0 <= j - 5 < n:
                inside = 0 <= i - 3 < m and 0 <= j - 1 < n
                out[i - 2, j - 5] = x[i - 3, j - 1] if inside else 0
    return {"y": out}


def two_kernels() -> Any:
    """Each with its own safe value; the second reads what the first wrote."""
    n = T.dynamic("n")

    @T.prim_func
    def two_kernels(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32"), z: T.Tensor((128,), "float32")):
        with T.Kernel(T.ceildiv(n, 64), threads=64) as block:
            T.annotate_safe_value({x: 9.0})
            t = T.get_thread_binding()
            y[block * 64 + t] = x[block * 64 + t + 1]
        with T.Kernel(2, threads=64) as other:
            u = T.get_thread_binding()
            z[other * 64 + u] = x[other * 64 + u] + y[other * 64 + u + 2]

    return two_kernels


def two_kernels_reference(env: Env, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> Arrays:
    at = np.arange(128)
    first = np.append(x[1:], np.float32(9))
    return {"y": first, "z": taken(x, at) + taken(first, at + 2)}


TWO = sizes(m=(1, 7, 9, 37), n=(1, 31, 33, 61))
CASES = [
    GpuCase("warp_reduce_sum, ragged store", warp_sums, LENGTHS, warp_sums_reference, {"x": small()}),
    GpuCase("warp_reduce_max, safe value", warp_maxima, LENGTHS, warp_maxima_reference),
    GpuCase("shfl_xor", swapped, sizes(n=(1, 33, 61, 128), m=(128, 2, 65, 31)), swapped_reference),
    GpuCase("syncthreads_count", counted, LENGTHS, counted_reference),
    GpuCase(
        "block reduction, ragged store",
        block_sum,
        sizes(n=(1, 129, 500, 300), m=(1, 1, 2, 7)),
        block_sum_reference,
        {"x": small()},
    ),
    GpuCase("early return", returned_early, LENGTHS, returned_early_reference),
    GpuCase("mutable index", linked_list, LENGTHS, walked, {"head": small(-3, 40), "follow": small(-4, 70)}),
    GpuCase(
        "author's check after a write", checked_after_a_jump, LENGTHS, checked_after_a_jump_reference, {"start": starts}
    ),
    GpuCase("while over a table", while_inside, LENGTHS, while_inside_reference, {"x": rising, "key": small(-5, 120)}),
    GpuCase("lazy operands", lazy_arms, LENGTHS, lazy_arms_reference),
    GpuCase("negative indices", negative_rows, TWO, negative_rows_reference),
    GpuCase("several kernels", two_kernels, LENGTHS, two_kernels_reference),
]
