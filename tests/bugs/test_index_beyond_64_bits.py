"""A guard is computed in 64 bits: an index that leaves even those wraps past the one bound that seemed enough."""

from typing import Any

import tilelang.language as T

from tests.helpers import checks
from tests.helpers.case import Case, each

FAR = (0, 1, 2, 2**32 - 1)


def product_of_unsigned() -> Any:
    """(2^32 - 1)^2 is negative in int64, and 1 in the address."""
    n = T.dynamic("n")

    @T.prim_func
    def product_of_unsigned(at: T.Tensor((2,), "uint32"), x: T.Tensor((n,), "float32"), y: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=1):
            y[0] = x[at[0] * at[1]]

    return product_of_unsigned


def product_of_casts() -> Any:
    """The same of signed values taken for unsigned ones; a second application found no test of it."""
    n = T.dynamic("n")

    @T.prim_func
    def product_of_casts(at: T.Tensor((2,), "int32"), x: T.Tensor((n,), "float32"), y: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=1):
            y[0] = x[T.Cast("uint32", at[0]) * T.Cast("uint32", at[1])]

    return product_of_casts


def product_of_three() -> Any:
    """Three sizes of 31 bits make 93."""
    n = T.dynamic("n")

    @T.prim_func
    def product_of_three(
        x: T.Tensor((n,), "float32"), y: T.Tensor((1,), "float32"), a: T.int32, b: T.int32, c: T.int32
    ):
        with T.Kernel(1, threads=1):
            if a >= 0 and b >= 0 and c >= 0:
                y[0] = x[a * b * c]

    return product_of_three


def behind_the_largest() -> Any:
    """An int64 one behind the largest is the smallest."""
    n = T.dynamic("n")

    @T.prim_func
    def behind_the_largest(at: T.Tensor((1,), "int64"), x: T.Tensor((n,), "float32"), y: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=1):
            if at[0] >= 0:
                y[0] = x[at[0] + 1]

    return behind_the_largest


def stored_behind_the_largest() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def stored_behind_the_largest(at: T.Tensor((2,), "int64"), y: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=1):
            if at[0] >= 0 and at[1] >= 0:
                y[at[0] + at[1]] = 1.0

    return stored_behind_the_largest


def below_a_bound() -> Any:
    """What is known to be small needs no second comparison."""
    n = T.dynamic("n")

    @T.prim_func
    def below_a_bound(at: T.Tensor((1,), "int64"), x: T.Tensor((n,), "float32"), y: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=1):
            if at[0] >= 0 and at[0] < n:
                y[0] = x[at[0] + 1]

    return below_a_bound


def row_of_a_flat_matrix() -> Any:
    """Nor does an index of a flat matrix, whose rows are no more than its sizes say."""
    m, n, size = T.dynamic("m, n, size")

    @T.prim_func
    def row_of_a_flat_matrix(
        shape: T.Tensor((m, n), "float32"), x: T.Tensor((size,), "float32"), y: T.Tensor((m, n), "float32")
    ):
        with T.Kernel(T.ceildiv(m, 2), threads=4) as block:
            t = T.get_thread_binding()
            for i in T.serial(2):
                if block * 2 + i < m and t < n:
                    y[block * 2 + i, t] = x[(block * 2 + i) * n + t]

    return row_of_a_flat_matrix


def unsigned_far(shape: tuple[int, ...], env: Any) -> Any:
    return [FAR[env["n"] % 4]] * shape[0]


def signed_far(shape: tuple[int, ...], env: Any) -> Any:
    return [(0, 1, 2, -1)[env["n"] % 4]] * shape[0]


def largest(shape: tuple[int, ...], env: Any) -> Any:
    return [2**63 - 1 if env["n"] % 2 else env["n"] // 2] * shape[0]


SIZES = tuple({"n": n} for n in (0, 1, 2, 3, 6, 7, 8))
THREE = tuple(
    {"n": 9, "a": a, "b": b, "c": c} for a, b, c in ((0, 1, 1), (2, 2, 2), (3, 3, 1), (2**21, 2**21, 2**21), (2, 2, 3))
)
FLAT = tuple({"m": m, "n": n, "size": size} for m in (1, 2, 3) for n in (1, 3) for size in (0, 1, 5, 9))
CASES = [
    Case(product_of_unsigned, 1, SIZES, {"at": unsigned_far}),
    Case(product_of_casts, 1, SIZES, {"at": signed_far}),
    Case(product_of_three, 1, THREE),
    Case(behind_the_largest, 1, SIZES, {"at": largest}),
    Case(stored_behind_the_largest, 1, SIZES, {"at": largest}),
    Case(below_a_bound, 1, SIZES, {"at": largest}),
    Case(row_of_a_flat_matrix, 1, FLAT),
]


@each(CASES)
def test_right(case: Case) -> None:
    checks.right_with_ours(case)


@each(CASES, minimal=True)
def test_guards(case: Case) -> None:
    checks.guard_count(case)
