"""Pipelined copies of rows whose length is assumed to be a multiple of 8: with TileLang's pass lowering dies.

Nothing runs tile operations of a GPU here: the widths of the asynchronous copies are read from the generated CUDA.
"""

import re
from typing import Any

import pytest
import tilelang
import tilelang.language as T

import tileguard
from tests.fuzz.lowering import target_of
from tests.helpers.case import Case, each


def sums(stages: int) -> Any:
    n, length = T.dynamic("n, length")

    @T.prim_func
    def sum_of_tiles(x: T.Tensor((n, length), "float16"), y: T.Tensor((n, 32), "float16")):
        T.assume(length % 8 == 0)
        with T.Kernel(T.ceildiv(n, 32), threads=64) as block:
            tile = T.alloc_shared((32, 32), "float16")
            acc = T.alloc_fragment((32, 32), "float16")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(length, 32), num_stages=stages):
                T.copy(x[block * 32, k * 32], tile)
                for i, j in T.Parallel(32, 32):
                    acc[i, j] = acc[i, j] + tile[i, j]
            T.copy(acc, y[block * 32, 0])

    return sum_of_tiles


def two_stages() -> Any:
    return sums(2)


def one_stage() -> Any:
    return sums(1)


def three_stages() -> Any:
    return sums(3)


def product_of_tiles() -> Any:
    """Two operands, each with its own assumption."""
    m, n, k_len = T.dynamic("m, n, k_len")

    @T.prim_func
    def product_of_tiles(
        a: T.Tensor((m, k_len), "float16"), b: T.Tensor((k_len, n), "float16"), c: T.Tensor((m, n), "float32")
    ):
        T.assume(k_len % 8 == 0)
        T.assume(n % 8 == 0)
        with T.Kernel(T.ceildiv(n, 64), T.ceildiv(m, 64), threads=128) as (bx, by):
            a_tile = T.alloc_shared((64, 32), "float16")
            b_tile = T.alloc_shared((32, 64), "float16")
            acc = T.alloc_fragment((64, 64), "float32")
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(k_len, 32), num_stages=2):
                T.copy(a[by * 64, k * 32], a_tile)
                T.copy(b[k * 32, bx * 64], b_tile)
                T.gemm(a_tile, b_tile, acc)
            T.copy(acc, c[by * 64, bx * 64])

    return product_of_tiles


CASES = [Case(make, 0, arch="sm_80", needed=False) for make in (one_stage, two_stages, product_of_tiles)]


@each(CASES)
def test_copies_have_sixteen_bytes(case: Case) -> None:
    widths = re.findall(r"cp_async_gs(?:_conditional)?<(\d+)>", case.lowered().kernel)
    assert widths
    assert set(widths) == {"16"}


@each(CASES)
def test_copies_are_guarded(case: Case) -> None:
    """Rows and the last tile are ragged: no copy without a condition on both."""
    kernel = case.lowered().kernel
    for call in re.finditer(r"cp_async_gs(_conditional)?<", kernel):
        if call[1] is None:
            assert "if (" in kernel[: call.start()]
    assert "< n)" in kernel or "< m)" in kernel


def test_three_stages() -> None:
    """TileLang's own pipeline dies of three stages, also when no pass guards at all: one sentence says so."""
    kernel = three_stages()
    with tileguard.installed(), target_of("cuda", "sm_80"), pytest.raises(Exception) as caught:
        tilelang.lower(kernel)
    said = str(caught.value)
    assert said.startswith("TileGuard: TileLang cannot lower, even without any guard, sum_of_tiles (")
    assert re.search(r"test_u28_async_copy_of_eights\.py:\d+\): .", said)
    assert "\n" not in said


@each(CASES)
def test_tilelang_is_wrong(case: Case) -> None:
    with pytest.raises(Exception, match="PTX byte width"):
        case.lowered("tilelang")
