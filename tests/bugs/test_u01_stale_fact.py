"""A fact about a mutable variable ends at the next write: TileLang's pass lets it vouch for what comes after."""

from typing import Any

import tilelang.language as T

from tests.helpers import checks, cuda_text
from tests.helpers.case import Case, each, indices, shapes


def walk_links() -> Any:
    """A linked list: the check holds for the first node only."""
    n = T.dynamic("n")

    @T.prim_func
    def walk_links(head: T.Tensor((8,), "int32"), follow: T.Tensor((n,), "int32"), out: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            at = T.alloc_var("int32")
            at = head[t]
            out[t] = 0
            if at >= 0 and at < n:
                for _k in T.serial(4):
                    out[t] = out[t] + at
                    at = follow[at]

    return walk_links


def doubled_in_a_loop() -> Any:
    """The bound is checked in front of the loop, the variable grows in it."""
    n = T.dynamic("n")

    @T.prim_func
    def doubled_in_a_loop(start: T.Tensor((8,), "int32"), x: T.Tensor((n,), "float32"), y: T.Tensor((8, 5), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            at = T.alloc_var("int32")
            at = start[t]
            if at < n:
                for k in T.serial(5):
                    y[t, k] = x[at]
                    at = at * 2

    return doubled_in_a_loop


CASES = [
    Case(walk_links, 2, shapes(n=8), {"head": indices(-1, 8, 0), "follow": indices(3, -1, 1, 99, -7)}),
    Case(doubled_in_a_loop, 2, shapes(n=16), {"start": indices(-1, 16, 3, 5)}),
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
def test_both_ends_are_tested_inside_the_loop(case: Case) -> None:
    """In the generated CUDA, after everything that simplifies on the way there."""
    body = cuda_text.block_after(case.lowered().kernel, r"for \(int .*?\{")
    assert "0 <= " in body
    assert "< n)" in body


@each(CASES)
def test_tilelang_loses_one_end(case: Case) -> None:
    body = cuda_text.block_after(case.lowered("tilelang").kernel, r"for \(int .*?\{")
    assert "< n)" not in body
