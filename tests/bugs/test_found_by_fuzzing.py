"""Faults of TileLang's pass that random kernels found: one kind each, two kernels of each kind."""

from typing import Any

import tilelang.language as T

from tests.helpers import checks
from tests.helpers.case import Case, each, indices, shapes


def wraps_to_the_end() -> Any:
    """A cast to 8 bits makes 255 of -1: the guard must see what the address sees."""

    @T.prim_func
    def wraps_to_the_end(x: T.Tensor((12,), "float32"), y: T.Tensor((1,), "float32"), s: T.int32):
        with T.Kernel(1, threads=1):
            if s >= 0 and s < 12:
                y[0] = x[T.Cast("uint8", s - 2)]

    return wraps_to_the_end


def sign_of_a_byte() -> Any:
    """A cast to int8 makes a negative of 200."""
    n = T.dynamic("n")

    @T.prim_func
    def sign_of_a_byte(x: T.Tensor((n,), "int32"), y: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            y[t] = x[T.Cast("int8", t * 40)]

    return sign_of_a_byte


def remainder_of_a_negative() -> Any:
    """A truncated remainder has the sign of its dividend."""
    n = T.dynamic("n")

    @T.prim_func
    def remainder_of_a_negative(x: T.Tensor((n,), "float32"), y: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            y[t] = x[T.truncmod(t - 6, 5)]

    return remainder_of_a_negative


def remainder_as_a_column() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def remainder_as_a_column(shift: T.Tensor((16,), "int32"), y: T.Tensor((n, 7), "int32")):
        with T.Kernel(16, threads=1) as row:
            y[row, T.truncmod(shift[row], 7)] = row

    return remainder_as_a_column


def operand_of_a_bare_call() -> Any:
    """The result is thrown away, the load is not."""
    n = T.dynamic("n")

    @T.prim_func
    def operand_of_a_bare_call(x: T.Tensor((n,), "float32"), y: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            T.evaluate(T.call_pure_extern("float32", "fabsf", x[t]))
            if t == 0:
                y[0] = T.float32(1)

    return operand_of_a_bare_call


def operands_of_a_nested_call() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def operands_of_a_nested_call(x: T.Tensor((n,), "float32"), y: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=8):
            t = T.get_thread_binding()
            T.evaluate(T.call_pure_extern("float32", "fabsf", x[t] + x[t + 1]))
            if t == 0:
                y[0] = T.float32(1)

    return operands_of_a_nested_call


def filled_in_the_first_only() -> Any:
    """The first kernel's safe value is not the second's."""
    n = T.dynamic("n")

    @T.prim_func
    def filled_in_the_first_only(
        x: T.Tensor((n,), "float32"), y: T.Tensor((16,), "float32"), z: T.Tensor((16,), "float32")
    ):
        with T.Kernel(1, threads=16):
            T.annotate_safe_value({x: -1.0})
            t = T.get_thread_binding()
            y[t] = x[t]
        with T.Kernel(1, threads=16):
            u = T.get_thread_binding()
            z[u] = x[u]

    return filled_in_the_first_only


def each_with_its_own() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def each_with_its_own(x: T.Tensor((n,), "int32"), y: T.Tensor((8,), "int32"), z: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=8):
            T.annotate_safe_value({x: 7})
            t = T.get_thread_binding()
            y[t] = x[t] + 1
        with T.Kernel(1, threads=8):
            u = T.get_thread_binding()
            z[u] = x[u] - 1

    return each_with_its_own


def sum_with_a_stride() -> Any:
    """The condition of the loop holds at its head; the loop inside moves on and reads again."""
    n = T.dynamic("n")

    @T.prim_func
    def sum_with_a_stride(first: T.Tensor((1,), "int32"), x: T.Tensor((n,), "int32"), out: T.Tensor((2,), "int32")):
        with T.Kernel(1, threads=1):
            at = T.alloc_var("int32")
            at = first[0]
            while at < n:
                if at < n:
                    for k in T.serial(2):
                        out[k] = out[k] + x[at]
                        at = at + 3

    return sum_with_a_stride


def inner_loop_runs_on() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def inner_loop_runs_on(first: T.Tensor((1,), "int32"), x: T.Tensor((n,), "int32"), y: T.Tensor((n,), "int32")):
        with T.Kernel(1, threads=1):
            at = T.alloc_var("int32")
            at = first[0]
            while at < n:
                if at < n:
                    for _k in T.serial(3):
                        y[at] = x[at]
                        at = at + 1

    return inner_loop_runs_on


def before_the_start(shape: tuple[int, ...], env: Any) -> Any:
    return [-2]


CASES = [
    Case(wraps_to_the_end, 1, tuple({"s": s} for s in range(-2, 14))),
    Case(sign_of_a_byte, 2, shapes(n=41)),
    Case(remainder_of_a_negative, 2, shapes(n=4)),
    Case(remainder_as_a_column, 2, shapes(n=16), {"shift": indices(-1, -8, 6, 13, -7)}),
    Case(operand_of_a_bare_call, 1, shapes(n=16)),
    Case(operands_of_a_nested_call, 2, shapes(n=8)),
    Case(filled_in_the_first_only, 2, shapes(n=16)),
    Case(each_with_its_own, 2, shapes(n=8)),
    Case(sum_with_a_stride, 2, shapes(n=5), {"first": before_the_start}),
    Case(inner_loop_runs_on, 2, shapes(n=6), {"first": before_the_start}),
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
