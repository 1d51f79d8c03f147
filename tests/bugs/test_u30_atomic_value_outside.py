"""A load outside inside an atomic's value reads the safe value: TileLang's pass cancels the whole atomic."""

from typing import Any

import tilelang.language as T

from tests.helpers import checks
from tests.helpers.case import Case, each, shapes


def highest_neighbour() -> Any:
    """The neighbour behind the end counts as 500."""
    n = T.dynamic("n")

    @T.prim_func
    def highest_neighbour(x: T.Tensor((n,), "int32"), best: T.Tensor((16,), "int32")):
        with T.Kernel(1, threads=16):
            T.annotate_safe_value({x: 500})
            t = T.get_thread_binding()
            T.atomic_max(best[t], x[t + 1])

    return highest_neighbour


def sum_and_one() -> Any:
    """The one is added on every lane, whatever the load."""
    n = T.dynamic("n")

    @T.prim_func
    def sum_and_one(x: T.Tensor((n,), "int32"), acc: T.Tensor((2,), "int32")):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            T.atomic_add(acc[t % 2], x[t] + 1)

    return sum_and_one


CASES = [
    Case(highest_neighbour, 1, shapes(n=16)),
    Case(sum_and_one, 1, shapes(n=16)),
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
