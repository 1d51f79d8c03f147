"""A store evaluates its value first, then its indices, as a C++17 assignment does: effects of either are seen so."""

from typing import Any

import tilelang.language as T

from tests.helpers import checks
from tests.helpers.case import Case, each, shapes


def index_after_the_counter_moved() -> Any:
    """The check speaks of the counter before the atomic, the index reads it after: a stale fact."""
    n = T.dynamic("n")

    @T.prim_func
    def index_after_the_counter_moved(at: T.Tensor((1,), "int32"), out: T.Tensor((n,), "int32"), step: T.int32):
        with T.Kernel(1, threads=1):
            if at[0] >= 0 and at[0] < n:
                out[at[0]] = T.atomic_add(at[0], step, return_prev=True)

    return index_after_the_counter_moved


def variable_moved_by_the_value() -> Any:
    """The same with memory of the block."""
    n = T.dynamic("n")

    @T.prim_func
    def variable_moved_by_the_value(start: T.Tensor((1,), "int32"), out: T.Tensor((n,), "int32"), step: T.int32):
        with T.Kernel(1, threads=1):
            at = T.alloc_shared((1,), "int32")
            at[0] = start[0]
            if at[0] >= 0 and at[0] < n:
                out[at[0]] = T.atomic_add(at[0], step, return_prev=True)

    return variable_moved_by_the_value


def value_before_the_ticket() -> Any:
    """What is stored is the counter as it was before the index took its ticket."""
    n = T.dynamic("n")

    @T.prim_func
    def value_before_the_ticket(at: T.Tensor((1,), "int32"), out: T.Tensor((n,), "int32")):
        with T.Kernel(1, threads=1):
            for i in T.serial(4):
                out[T.atomic_add(at[0], 1, return_prev=True)] = 10 * at[0] + i

    return value_before_the_ticket


def row_read_after_the_value() -> Any:
    """An index that is itself a guarded load is read after the effects of the value."""
    n, m = T.dynamic("n, m")

    @T.prim_func
    def row_read_after_the_value(rows: T.Tensor((m,), "int32"), out: T.Tensor((n,), "int32")):
        with T.Kernel(1, threads=1):
            for i in T.serial(4):
                if i < m:
                    out[rows[i + 1]] = T.atomic_add(rows[i], 1, return_prev=True)

    return row_read_after_the_value


def around_zero(shape: tuple[int, ...], env: Any) -> Any:
    return [value % 5 - 2 for value in range(shape[0])]


def one(shape: tuple[int, ...], env: Any) -> Any:
    return [1]


STEPS = tuple({"n": n, "step": step} for n in (0, 2, 6) for step in (-3, 0, 1, 5))

CASES = [
    Case(index_after_the_counter_moved, 2, STEPS, {"at": one}),
    Case(variable_moved_by_the_value, 2, STEPS, {"start": one}),
    Case(value_before_the_ticket, 2, shapes(n=6), {"at": around_zero}),
    Case(row_read_after_the_value, 3, shapes(n=4, m=4), {"rows": around_zero}),
]


@each(CASES)
def test_right(case: Case) -> None:
    checks.right_with_ours(case)


@each(CASES, minimal=True)
def test_guards(case: Case) -> None:
    checks.guard_count(case)
