"""Faults of our own pass that the nightly run of random kernels found: one kind each."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tilelang.language as T
from tvm.ir import structural_equal

from tests.fuzz.lowering import apply_pass, pass_named, raw_module
from tests.helpers import checks
from tests.helpers.case import Case, each, indices
from tests.helpers.meaning import arguments, faults

ROOT = Path(__file__).parents[2]


def product_of_a_choice() -> Any:
    """A factor of either sign hid that equal factors make equal products."""
    n = T.dynamic("n")

    @T.prim_func
    def product_of_a_choice(
        at: T.Tensor((4,), "int64"), x: T.Tensor((n,), "float32"), y: T.Tensor((4,), "float32"), step: T.int64
    ):
        with T.Kernel(1, threads=4):
            t = T.get_thread_binding()
            if at[t] * step >= 0 and at[t] * step < n and at[t] > 1:
                y[t] = x[T.if_then_else(at[t] > 0, at[t], 7) * step]

    return product_of_a_choice


CASES = [
    Case(
        product_of_a_choice,
        0,
        tuple({"n": n, "step": step} for n in (0, 1, 9) for step in (-2, -1, 0, 1, 3)),
        {"at": indices(-2, 3, 0, 2)},
    )
]


@each(CASES)
def test_right(case: Case) -> None:
    checks.right_with_ours(case)


@each(CASES, minimal=True)
def test_guards(case: Case) -> None:
    checks.guard_count(case)


def at_the_end(shape: tuple[int, ...], env: Mapping[str, int]) -> Any:
    return np.full(shape, 2**31 - 1, "int32")


def chosen_by_a_sum_that_wraps() -> Any:
    @T.prim_func
    def chosen_by_a_sum_that_wraps(at: T.Tensor((1,), "int32"), x: T.Tensor((8,), "int32"), y: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=1):
            for j in T.vectorized(4):
                y[T.Select(at[0] + 1 < 3, -2, j)] = x[j]

    return chosen_by_a_sum_that_wraps


def test_guard_and_address_choose_alike() -> None:
    """The sum in the guard was simplified, and no longer wrapped where that of the address did."""
    before = raw_module(chosen_by_a_sum_that_wraps())
    ours = pass_named("ours")
    after = apply_pass(ours, before)
    assert structural_equal(apply_pass(ours, after), after)
    env: dict[str, int] = {}
    assert not faults(before, after, [(env, arguments(before, env, {"at": at_the_end}))])


def a_column_too_far() -> Any:
    m = T.dynamic("m")

    @T.prim_func
    def a_column_too_far(a: T.Tensor((m + 1, m), "float32"), c: T.Tensor((m, 8), "float32")):
        with T.Kernel(m, threads=32) as b:
            for i in T.unroll(6):
                j = (i * 32 + T.get_thread_binding()) % 24 // 3
                c[b, j] = a[b, (T.Cast("uint32", j) + T.uint32(1)) * T.Cast("uint32", m)]

    return a_column_too_far


def test_a_shape_that_is_met_in_a_sum_first() -> None:
    """In `m + 1` the symbol was read before it was known as a shape, and its unsigned product stayed unknown."""
    before = raw_module(a_column_too_far())
    after = apply_pass(pass_named("ours"), before)
    assert "a[" in str(before)
    assert "a[" not in str(after)  # always outside


def frozen_before_an_inner_loop() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def frozen_before_an_inner_loop(
        x: T.Tensor((n,), "int32"), y: T.Tensor((n,), "int32"), at: T.Tensor((9,), "int32")
    ):
        with T.Kernel(1, threads=1):
            p = T.alloc_local((1,), "int32")
            p[0] = at[0]
            for v in T.vectorized(2):
                if p[0] + v < n and p[0] >= 0:
                    p[0] = at[v]
                    for k in T.serial(2):
                        y[v + k] = x[p[0]]

    return frozen_before_an_inner_loop


def test_a_frozen_value_before_an_inner_loop() -> None:
    """TileLang took the process down (SIGSEGV), which no test survives that runs beside it."""
    script = (
        "import tilelang, tileguard, tests.bugs.test_found_nightly as t; from tvm.target import Target\n"
        "with tileguard.installed(), Target({'kind': 'cuda', 'arch': 'sm_90'}):\n"
        "    print(tilelang.lower(t.frozen_before_an_inner_loop()).kernel_source)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr[-300:]
    assert "y[" in done.stdout
