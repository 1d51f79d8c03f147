"""A bit view of a buffer whose safe value has another type: TileLang's pass rounds the bits through that type."""

from typing import Any

import numpy as np
import tilelang.language as T

from tests.helpers import checks
from tests.helpers.case import Case, each, shapes


def float_bits() -> Any:
    """The right neighbour's 32 bits."""
    n = T.dynamic("n")

    @T.prim_func
    def float_bits(x: T.Tensor((n,), "float32"), y: T.Tensor((32,), "int32")):
        with T.Kernel(1, threads=32):
            T.annotate_safe_value({x: T.float32(-2.5)})
            t = T.get_thread_binding()
            bits = T.view(x, (n,), "int32")
            y[t] = bits[t + 1]

    return float_bits


def integer_as_float() -> Any:
    """Large integers looked at as floats: NaNs among them, bit by bit."""
    n = T.dynamic("n")

    @T.prim_func
    def integer_as_float(x: T.Tensor((n,), "int32"), y: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=32):
            T.annotate_safe_value({x: 0x3FC00000})
            t = T.get_thread_binding()
            floats = T.view(x, (n,), "float32")
            y[t] = floats[t]

    return integer_as_float


CASES = [
    Case(float_bits, 1, shapes(n=32), {"x": lambda shape, env: np.linspace(0.1, 9.7, shape[0])}),
    Case(integer_as_float, 1, shapes(n=32), {"x": lambda shape, env: np.arange(shape[0]) * 77777777 % 2**31}),
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
