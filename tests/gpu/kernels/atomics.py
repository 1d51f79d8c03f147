"""Atomics of every kind, with and without their old value."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import tilelang.language as T

from tests.gpu.case import Arrays, Env, GpuCase, sizes, small
from tests.helpers.case import zeros

ONE = sizes(n=(1, 2, 31, 32, 33, 61, 64, 65, 127))
NUMPY = {"add": np.add, "max": np.maximum, "min": np.minimum}


def updated(kind: str, dtype: str) -> Any:
    """total[i] op= x[i], one element a thread, over the end."""
    n = T.dynamic("n")
    update = {"add": T.atomic_add, "max": T.atomic_max, "min": T.atomic_min}[kind]

    @T.prim_func
    def updated(x: T.Tensor((n,), dtype), total: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, 64), threads=64) as block:
            t = T.get_thread_binding()
            update(total[block * 64 + t], x[block * 64 + t])

    return updated


def updated_reference(kind: str) -> Callable[..., Arrays]:
    return lambda env, x, total: {"total": NUMPY[kind](total, x)}


def old_value(kind: str) -> Any:
    """The old value goes to a larger buffer: a safe value where the atomic is skipped."""
    n = T.dynamic("n")
    update = {"add": T.atomic_add, "max": T.atomic_max, "min": T.atomic_min}[kind]

    @T.prim_func
    def old_value(total: T.Tensor((n,), "int32"), old: T.Tensor((128,), "int32")):
        with T.Kernel(2, threads=64) as block:
            t = T.get_thread_binding()
            old[block * 64 + t] = update(total[block * 64 + t], 5, return_prev=True)

    return old_value


def old_value_reference(kind: str) -> Callable[..., Arrays]:
    def reference(env: Env, total: np.ndarray, old: np.ndarray) -> Arrays:
        out = np.zeros(128, np.int32)
        out[: env["n"]] = total[:128]
        return {"total": NUMPY[kind](total, np.int32(5)), "old": out}

    return reference


def marked() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def marked(bits: T.Tensor((n,), "uint32")):
        with T.Kernel(T.ceildiv(n, 64), threads=64) as block:
            t = T.get_thread_binding()
            T.atomic_or(bits[block * 64 + t], T.uint32(1024))

    return marked


def stored() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def stored(out: T.Tensor((n,), "int32")):
        with T.Kernel(T.ceildiv(n, 64), threads=64) as block:
            t = T.get_thread_binding()
            T.atomic_store(out[block * 64 + t - 3], t + 1)

    return stored


def stored_reference(env: Env, out: np.ndarray) -> Arrays:
    n, made = env["n"], out.copy()
    for at in range(-(-n // 64) * 64):
        if 0 <= at - 3 < n:
            made[at - 3] = at % 64 + 1
    return {"out": made}


def loaded() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def loaded(x: T.Tensor((n,), "int32"), out: T.Tensor((128,), "int32")):
        with T.Kernel(2, threads=64) as block:
            t = T.get_thread_binding()
            out[block * 64 + t] = T.atomic_load(x[block * 64 + t]) + 1

    return loaded


def loaded_reference(env: Env, x: np.ndarray, out: np.ndarray) -> Arrays:
    made = np.zeros(128, np.int32)
    made[: env["n"]] = x[:128]
    return {"out": made + 1}


def histogram() -> Any:
    """The cell is read from memory; one that does not exist counts nowhere."""
    n, cells = T.dynamic("n, cells")

    @T.prim_func
    def histogram(which: T.Tensor((n,), "int32"), count: T.Tensor((cells,), "int32")):
        with T.Kernel(T.ceildiv(n, 64), threads=64) as block:
            t = T.get_thread_binding()
            if block * 64 + t < n:
                T.atomic_add(count[which[block * 64 + t]], 1)

    return histogram


def histogram_reference(env: Env, which: np.ndarray, count: np.ndarray) -> Arrays:
    made = count.copy()
    inside = which[(which >= 0) & (which < env["cells"])]
    np.add.at(made, inside, 1)
    return {"count": made}


def tickets() -> Any:
    """A slot is drawn inside of the index: once, and the slot drawn is the slot checked."""
    n, room = T.dynamic("n, room")

    @T.prim_func
    def tickets(x: T.Tensor((n,), "int32"), count: T.Tensor((1,), "int32"), out: T.Tensor((room,), "int32")):
        with T.Kernel(T.ceildiv(n, 32), threads=32) as block:
            t = T.get_thread_binding()
            if block * 32 + t < n:
                out[T.atomic_add(count[0], 1, return_prev=True)] = 1

    return tickets


def tickets_reference(env: Env, x: np.ndarray, count: np.ndarray, out: np.ndarray) -> Arrays:
    made = out.copy()
    made[: env["n"]] = 1
    return {"count": np.array([env["n"]], np.int32), "out": made}


def neighbour_added() -> Any:
    """A load outside in the atomic's value reads the safe value; the atomic takes place."""
    n = T.dynamic("n")

    @T.prim_func
    def neighbour_added(total: T.Tensor((n,), "int32"), x: T.Tensor((n,), "int32")):
        with T.Kernel(T.ceildiv(n, 64), threads=64) as block:
            T.annotate_safe_value({x: 1000})
            t = T.get_thread_binding()
            T.atomic_add(total[block * 64 + t], x[block * 64 + t + 1])

    return neighbour_added


def neighbour_added_reference(env: Env, total: np.ndarray, x: np.ndarray) -> Arrays:
    return {"total": total + np.append(x[1:], np.int32(1000))}


def tile_added() -> Any:
    """T.atomic_add of a whole tile of sums into a ragged matrix."""
    m, n = T.dynamic("m, n")

    @T.prim_func
    def tile_added(x: T.Tensor((m, n), "float32"), total: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, 32), T.ceildiv(m, 16), threads=64) as (bx, by):
            tile = T.alloc_fragment((16, 32), "float32")
            for i, j in T.Parallel(16, 32):
                tile[i, j] = x[by * 16 + i, bx * 32 + j] * T.float32(2)
            T.atomic_add(total[by * 16, bx * 32], tile)

    return tile_added


def tile_added_reference(env: Env, x: np.ndarray, total: np.ndarray) -> Arrays:
    return {"total": total + 2 * x}


def of_one(update: str, dtype: str) -> GpuCase:
    return GpuCase(
        f"atomic_{update} of {dtype}",
        partial(updated, update, dtype),
        ONE,
        updated_reference(update),
        {"x": small(), "total": small()},
        name_=f"atomic_{update}_{dtype}",
    )


TWO = sizes(m=(1, 15, 16, 17, 37, 33), n=(1, 33, 31, 32, 61, 130))
CASES = [
    *(of_one(kind, dtype) for kind in NUMPY for dtype in ("int32", "float32")),
    of_one("add", "float16"),
    *(
        GpuCase(
            f"atomic_{kind}, old value used",
            partial(old_value, kind),
            ONE,
            old_value_reference(kind),
            name_=f"atomic_{kind}_old",
        )
        for kind in NUMPY
    ),
    GpuCase("atomic_or", marked, ONE, lambda env, bits: {"bits": bits | np.uint32(1024)}),
    GpuCase("atomic_store, negative indices", stored, ONE, stored_reference),
    GpuCase("atomic_load", loaded, ONE, loaded_reference),
    GpuCase(
        "atomic through an index",
        histogram,
        sizes(n=(1, 64, 100, 129), cells=(1, 3, 0, 7)),
        histogram_reference,
        {"which": small(-3, 9), "count": zeros},
    ),
    GpuCase(
        "atomic inside of an index",
        tickets,
        sizes(n=(1, 40, 64, 100), room=(1, 17, 64, 128)),
        tickets_reference,
        {"count": zeros, "out": zeros},
    ),
    GpuCase("load outside in an atomic's value", neighbour_added, ONE, neighbour_added_reference),
    GpuCase("atomic of a tile", tile_added, TWO, tile_added_reference, {"x": small(), "total": small()}),
]
