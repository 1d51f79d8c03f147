"""The bulk (TMA) engine fills with zeros: a copy whose buffer has another safe value must not be left to it.

What the engine does no oracle here can run: the generated CUDA says who makes the copy, and with what fill.
"""

from collections.abc import Callable
from typing import Any

import pytest
import tilelang.language as T
from tilelang.cuda.language import copy as cuda_copy

from tests.helpers import lowered

Make = Callable[..., Any]


def scores_with_a_mask(depth: Any, safe: float | None, **how: Any) -> Any:
    """A product whose left side is padded with `safe`; 64 columns a step."""

    @T.prim_func
    def scores_with_a_mask(
        x: T.Tensor((256, depth), "float16"), w: T.Tensor((depth, 128), "float16"), y: T.Tensor((256, 128), "float32")
    ):
        with T.Kernel(2, threads=128) as by:
            if safe is not None:
                T.annotate_safe_value({x: safe})
            left = T.alloc_shared((128, 64), "float16")
            right = T.alloc_shared((64, 128), "float16")
            acc = T.alloc_fragment((128, 128), "float32")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(depth, 64), num_stages=2):
                cuda_copy(x[by * 128, k * 64], left, **how)
                cuda_copy(w[k * 64, 0], right)
                T.gemm(left, right, acc)
            T.copy(acc, y[by * 128, 0])

    return scores_with_a_mask


def rows_with_a_mask(depth: Any, safe: float | None, **how: Any) -> Any:
    """The ragged side is the number of rows."""

    @T.prim_func
    def rows_with_a_mask(
        x: T.Tensor((depth, 256), "bfloat16"), w: T.Tensor((256, 64), "bfloat16"), y: T.Tensor((depth, 64), "float32")
    ):
        with T.Kernel(T.ceildiv(depth, 128), threads=128) as by:
            if safe is not None:
                T.annotate_safe_value({x: safe})
            left = T.alloc_shared((128, 64), "bfloat16")
            right = T.alloc_shared((64, 64), "bfloat16")
            acc = T.alloc_fragment((128, 64), "float32")
            T.clear(acc)
            for k in T.Pipelined(4, num_stages=2):
                cuda_copy(x[by * 128, k * 64], left, **how)
                cuda_copy(w[k * 64, 0], right)
                T.gemm(left, right, acc)
            T.copy(acc, y[by * 128, 0])

    return rows_with_a_mask


EACH = pytest.mark.parametrize("make", [scores_with_a_mask, rows_with_a_mask])


def by_engine(func: Any, maker: str = "ours") -> tuple[bool, bool]:
    """Whether the bulk engine makes the copies of x and of w."""
    kernel = lowered.lower(func, maker).kernel
    return "tma_load(x_desc" in kernel, "tma_load(w_desc" in kernel


@EACH
@pytest.mark.parametrize(("safe", "fill"), [(1.5, "0x1.8p+0f"), (-0.0, "-0x0p+0f")])
def test_ragged_copies_are_made_by_threads(make: Make, safe: float, fill: str) -> None:
    func = make(1000, safe)
    assert by_engine(func) == (False, True)
    assert by_engine(func, "tilelang") == (True, True)  # reads zeros there
    assert f"_t({fill}" in lowered.lower(func).kernel


@EACH
def test_a_shape_known_at_run_time(make: Make) -> None:
    assert by_engine(make(T.dynamic("d"), 1.5))[0] is False


@EACH
def test_what_fits_or_fills_with_zero_stays_with_the_engine(make: Make) -> None:
    assert by_engine(make(1024, 1.5)) == (True, True)
    assert by_engine(make(1000, 0.0)) == (True, True)
    assert by_engine(make(1000, None)) == (True, True)


@EACH
def test_asked_for_by_name_it_stays_and_says_so(make: Make, capfd: pytest.CaptureFixture[str]) -> None:
    assert by_engine(make(1000, 1.5, prefer_instruction="tma")) == (True, True)
    assert any("x" in line and "safe value" in line for line in capfd.readouterr().err.splitlines())
