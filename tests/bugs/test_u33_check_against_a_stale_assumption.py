"""The author's check after a write: an assumption about the old value makes TileLang's pipeline delete it."""

from typing import Any

import tilelang.language as T

from tests.helpers import checks
from tests.helpers.case import Case, each


def jump_and_check() -> Any:
    """A jump ahead, then the author's own check."""
    n = T.dynamic("n")

    @T.prim_func
    def jump_and_check(table: T.Tensor((n,), "int32"), start: T.Tensor((16,), "int32"), out: T.Tensor((16,), "int32")):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            at = T.alloc_var("int32")
            at = start[t]
            T.assume(at >= 0 and at < n)
            out[t] = table[at]
            at = at + 7
            if at >= 0 and at < n:
                out[t] = out[t] + table[at]

    return jump_and_check


def step_back_and_check() -> Any:
    """The same downwards, in a local buffer."""
    n = T.dynamic("n")

    @T.prim_func
    def step_back_and_check(
        table: T.Tensor((n,), "int32"), start: T.Tensor((16,), "int32"), out: T.Tensor((16,), "int32")
    ):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            at = T.alloc_local((1,), "int32")
            at[0] = start[t]
            T.assume(at[0] >= 0)
            T.assume(at[0] < n)
            out[t] = table[at[0]]
            at[0] = at[0] - 5
            if at[0] >= 0:
                out[t] = out[t] * 3 + table[at[0]]

    return step_back_and_check


def inside(shape: tuple[int, ...], env: Any) -> Any:
    """What the assumption says."""
    return [lane * 5 % env["n"] for lane in range(shape[0])]


CASES = [
    Case(jump_and_check, 0, tuple({"n": n} for n in (1, 3, 8, 16, 23, 40)), {"start": inside}),
    Case(step_back_and_check, 0, tuple({"n": n} for n in (1, 3, 8, 16, 23, 40)), {"start": inside}),
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


@each(CASES)
def test_check_is_in_the_generated_code(case: Case) -> None:
    assert case.lowered().kernel.count("if (") == 1
    assert case.lowered("tilelang").kernel.count("if (") == 0
