"""Faults of our own pass that a reader found in calls with pointers and in vectors: what no oracle runs is read."""

from typing import Any

import pytest
import tilelang.language as T

import tileguard
from tests.helpers import lowered
from tests.helpers.case import Case
from tests.helpers.lowered import equal


def span_of_all() -> Any:
    """An empty span is inside wherever it stands: the call and what else it does must not be skipped."""
    n = T.dynamic("n")

    @T.prim_func
    def span_of_all(x: T.Tensor((n,), "float32"), y: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=1):
            T.call_extern("handle", "fill", T.access_ptr(x[0], "r", extent=n), T.access_ptr(y[0], "w", extent=8), n)

    return span_of_all


def store_under_a_predicate() -> Any:
    """A predicate keeps the op from storing, not C from reading what it would have stored."""
    n = T.dynamic("n")

    @T.prim_func
    def store_under_a_predicate(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            T.stg128(y[t * 4 : t * 4 + 4], T.ldg128(x[t * 4 : t * 4 + 4]), t * 4 + 4 <= n)

    return store_under_a_predicate


def copy_under_a_predicate() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def copy_under_a_predicate(
        at: T.Tensor((n,), "int32"), x: T.Tensor((64,), "float32"), y: T.Tensor((32,), "float32")
    ):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            s = T.alloc_shared((32,), "float32")
            T.ptx_cp_async(T.access_ptr(s[t * 4], "w", 4), T.access_ptr(x[(at[t] & 7) * 4], "r", 4), 4, t < n)
            T.ptx_commit_group()
            T.ptx_wait_group(0)
            for v in T.serial(4):
                y[t * 4 + v] = s[t * 4 + v]

    return copy_under_a_predicate


def copy_beyond_shared() -> Any:
    """No predicate of a copy keeps it from writing beyond its target."""

    @T.prim_func
    def copy_beyond_shared(x: T.Tensor((32,), "float32"), y: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            s = T.alloc_shared((30,), "float32")
            T.ptx_cp_async(T.access_ptr(s[t * 4], "w", 4), T.access_ptr(x[t * 4], "r", 4), 4)
            T.ptx_commit_group()
            T.ptx_wait_group(0)
            for v in T.serial(4):
                y[t * 4 + v] = s[t * 4 + v]

    return copy_beyond_shared


def test_an_empty_span_needs_no_guard() -> None:
    assert Case(span_of_all, 0).plain().guards == 0


@pytest.mark.parametrize(("make", "buffer"), [(store_under_a_predicate, "x"), (copy_under_a_predicate, "at")])
def test_a_predicate_covers_no_operand(make: Any, buffer: str) -> None:
    """What the call is given is tested by itself."""
    report = tileguard.analyze(make(), target=lowered.cuda(), pass_configs={"tl.disable_tma_lower": True})
    loads = [access for access in report.accesses if access.buffer == buffer]
    assert loads and all(access.verdict == "Guarded" and access.guards for access in loads)


def test_a_copy_beyond_its_target_is_taken_apart() -> None:
    done = Case(copy_beyond_shared, 0, configs={"tileguard.guard_scopes": "global,shared"}).lowered()
    assert equal(done.again(), done.after)
    stored = [line.strip() for line in done.after.script().splitlines() if "s[t * 4" in line and " = " in line]
    assert len(stored) == 4, stored


@pytest.mark.parametrize("dtype", ["float16x4", "uint8x8"])
def test_a_lane_made_of_half_a_lane_lowers(dtype: str) -> None:
    """A ragged store of a reinterpreted vector with more lanes than the load."""
    n = T.dynamic("n")
    element, lanes = dtype.split("x")

    @T.prim_func
    def bits(x: T.Tensor((64,), "int32"), y: T.Tensor((n,), element)):
        with T.Kernel(1, threads=4):
            t = T.get_thread_binding()
            y[T.Ramp(t * int(lanes), 1, int(lanes))] = T.reinterpret(x[T.Ramp(t * 2, 1, 2)], dtype)

    done = lowered.lower(bits)
    assert f"{lanes}) <" in done.kernel or " < n" in done.kernel
