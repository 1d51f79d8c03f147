"""An index in a mutable variable that the author has checked: no second test until it is written."""

from typing import Any

import tilelang.language as T

from tests.helpers.case import Case, indices, shapes


def scatter_checked() -> Any:
    n, m = T.dynamic("n, m")

    @T.prim_func
    def scatter_checked(where: T.Tensor((n,), "int32"), x: T.Tensor((n,), "float32"), out: T.Tensor((m,), "float32")):
        with T.Kernel(1, threads=32):
            t = T.get_thread_binding()
            to = T.alloc_var("int32")
            if t < n:
                to = where[t]
                if to >= 0 and to < m:
                    out[to] = x[t]

    return scatter_checked


def lookup_with_sentinel() -> Any:
    rows = T.dynamic("rows")

    @T.prim_func
    def lookup_with_sentinel(
        page: T.Tensor((16,), "int32"), table: T.Tensor((rows, 8), "int32"), out: T.Tensor((16, 8), "int32")
    ):
        with T.Kernel(2, threads=8) as block:
            t = T.get_thread_binding()
            row = T.alloc_var("int32")
            row = page[block * 8 + t]
            for j in T.serial(8):
                if row != -1 and row >= 0 and row < rows:
                    out[block * 8 + t, j] = table[row, j]
                else:
                    out[block * 8 + t, j] = -1

    return lookup_with_sentinel


def checked_then_moved() -> Any:
    """The check bounds the second access from above alone: the write in between moves it down, by no more than 3."""
    n = T.dynamic("n")

    @T.prim_func
    def checked_then_moved(
        start: T.Tensor((16,), "int32"), x: T.Tensor((n,), "int32"), out: T.Tensor((16, 2), "int32")
    ):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            at = T.alloc_var("int32")
            at = start[t]
            if at >= 0 and at < n:
                out[t, 0] = x[at]
                at = at - 3
                out[t, 1] = x[at]

    return checked_then_moved


def clamped_step_by_step() -> Any:
    """What either `if` stores is remembered where it meets what was there; -1 is left where n is 0."""
    n = T.dynamic("n")

    @T.prim_func
    def clamped_step_by_step(
        start: T.Tensor((16,), "int32"), x: T.Tensor((n,), "float32"), out: T.Tensor((16,), "float32")
    ):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            at = T.alloc_var("int32")
            at = start[t]
            if at < 0:
                at = 0
            if at > n - 1:
                at = n - 1
            out[t] = x[at]

    return clamped_step_by_step


def wrapped_around() -> Any:
    """A ring: the step past the end goes back to the start."""
    n = T.dynamic("n")

    @T.prim_func
    def wrapped_around(start: T.Tensor((16,), "int32"), x: T.Tensor((n,), "int32"), out: T.Tensor((16,), "int32")):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            at = T.alloc_var("int32")
            at = start[t]
            if at >= 0 and at < n:
                at = at + 1
                if at == n:
                    at = 0
                out[t] = x[at]

    return wrapped_around


def left_then_moved() -> Any:
    """As above with a return in place of the condition."""
    n = T.dynamic("n")

    @T.prim_func
    def left_then_moved(start: T.Tensor((16,), "int32"), x: T.Tensor((n,), "int32"), out: T.Tensor((16, 2), "int32")):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            at = T.alloc_var("int32")
            at = start[t]
            if at < 0 or at >= n:
                T.thread_return()
            out[t, 0] = x[at]
            at = at - 3
            out[t, 1] = x[at]

    return left_then_moved


CASES = [
    Case(scatter_checked, 0, shapes(n=32, m=8), {"where": indices(-1, 5, 40, -(2**31), 2**31 - 1, 0, 7)}),
    Case(lookup_with_sentinel, 0, shapes(rows=8), {"page": indices(-1, 8, 3, -9, 100)}),
    Case(checked_then_moved, 1, shapes(n=16), {"start": indices(-1, 0, 2, 3, 12, 15, 16)}),
    Case(clamped_step_by_step, 1, shapes(n=16), {"start": indices(-1, 0, 2, 99, 12, 15, 16)}),
    Case(wrapped_around, 0, shapes(n=16), {"start": indices(-1, 0, 2, 99, 12, 15, 16)}),
    Case(left_then_moved, 1, shapes(n=16), {"start": indices(-1, 0, 2, 3, 12, 15, 16)}),
]
