"""A pointer handed to a foreign function with an extent: TileLang's pass looks at the first element, or not at all.

The oracle cannot run a foreign function: the conditions around its call are evaluated by themselves.
"""

from typing import Any

import tilelang.language as T

from tests.helpers import checks
from tests.helpers.case import Case, each


def fill_eight_of_a_row() -> Any:
    """Eight elements from column t * 8 on, as a span of the flattened buffer."""
    n = T.dynamic("n")

    @T.prim_func
    def fill_eight_of_a_row(out: T.Tensor((n, 20), "float32")):
        with T.Kernel(4, threads=3) as row:
            t = T.get_thread_binding()
            T.call_extern("handle", "fill_eight", T.access_ptr(out[row, t * 8], "w", 8), t)

    return fill_eight_of_a_row


def sum_of_three() -> Any:
    """A value from a span that begins one element early."""
    n = T.dynamic("n")

    @T.prim_func
    def sum_of_three(x: T.Tensor((n,), "float32"), y: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            y[t] = T.call_extern("float32", "sum_of_three", T.access_ptr(x[t - 1], "r", 3))

    return sum_of_three


def row_is_inside(n: int, bx: int, t: int) -> bool:
    return 20 * bx + 8 * t + 8 <= 20 * n


def neighbours_are_inside(n: int, t: int) -> bool:
    return t >= 1 and t + 2 <= n


ROWS = Case(fill_eight_of_a_row, 1)
SUMS = Case(sum_of_three, 2)
EVERY_ROW = [{"n": n, "bx": block, "t": t} for n in range(6) for block in range(4) for t in range(3)]
EVERY_SUM = [{"n": n, "t": t} for n in range(20) for t in range(16)]


def test_rows() -> None:
    checks.guard_count(ROWS)
    checks.runs_exactly_when(ROWS.lowered().after, "fill_eight", EVERY_ROW, row_is_inside)


def test_sums() -> None:
    checks.guard_count(SUMS)
    checks.runs_exactly_when(SUMS.lowered().after, "sum_of_three", EVERY_SUM, neighbours_are_inside)


@each([ROWS, SUMS])
def test_no_call_is_left_bare_in_the_generated_code(case: Case) -> None:
    kernel = case.lowered().kernel
    assert kernel.index("if (") < kernel.rindex("(&(")


def test_tilelang_is_wrong() -> None:
    """A span that is partly outside is handed over."""
    assert checks.conditions_around(SUMS.lowered("tilelang").after, "sum_of_three") == [[]]
    (under,) = checks.conditions_around(ROWS.lowered("tilelang").after, "fill_eight")
    env = {"n": 1, "bx": 0, "t": 2}
    assert not row_is_inside(**env)
    assert all(checks.holds(condition, env) == must for condition, must in under)
