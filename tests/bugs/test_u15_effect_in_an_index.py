"""An index with a side effect is evaluated once: TileLang's pass repeats it in its own guard."""

from typing import Any

import tilelang.language as T

from tests.helpers import checks
from tests.helpers.case import Case, each, shapes


def append_rows() -> Any:
    """Every row goes to the next free slot."""
    n, room = T.dynamic("n, room")

    @T.prim_func
    def append_rows(x: T.Tensor((n,), "int32"), slot: T.Tensor((1,), "int32"), out: T.Tensor((room, 2), "int32")):
        with T.Kernel(1, threads=1):
            for i in T.serial(n):
                out[T.atomic_add(slot[0], 1, return_prev=True), 1] = x[i]

    return append_rows


def take_tickets() -> Any:
    """Each lane reads what its ticket says."""
    n = T.dynamic("n")

    @T.prim_func
    def take_tickets(x: T.Tensor((n,), "int32"), ticket: T.Tensor((1,), "int32"), out: T.Tensor((16,), "int32")):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            out[t] = x[T.atomic_add(ticket[0], 2, return_prev=True)]

    return take_tickets


def from_minus_two(shape: tuple[int, ...], env: Any) -> Any:
    """The first ticket lies in front of the buffer."""
    return [-2]


CASES = [
    Case(append_rows, 2, shapes(n=8, room=4), {"slot": from_minus_two}),
    Case(take_tickets, 2, shapes(n=16), {"ticket": from_minus_two}),
]


@each(CASES)
def test_right(case: Case) -> None:
    checks.right_with_ours(case)


@each(CASES, minimal=True)
def test_guards(case: Case) -> None:
    checks.guard_count(case)


@each(CASES)
def test_tilelang_is_wrong(case: Case) -> None:
    checks.wrong_with_tilelang(case)
