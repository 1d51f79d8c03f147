"""ldg and stg of 32 to 128 bits: TileLang's pass does not know them.

The oracle cannot run them: the conditions around the ops are evaluated by themselves, and the scalars that take the
place of a partly outside one are counted in the generated code.
"""

from typing import Any

import pytest
import tilelang.language as T

from tests.helpers import checks
from tests.helpers.case import Case, each
from tests.helpers.cuda_text import scalar_accesses


def load_pairs() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def load_pairs(x: T.Tensor((n,), "float32"), y: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=32):
            t = T.get_thread_binding()
            T.stg64(y[t * 2 : t * 2 + 2], T.ldg64(x[t * 2 : t * 2 + 2]))

    return load_pairs


def store_eight_halves() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def store_eight_halves(x: T.Tensor((128,), "float16"), y: T.Tensor((n,), "float16")):
        with T.Kernel(1, threads=16):
            t = T.get_thread_binding()
            T.stg128(y[t * 8 : t * 8 + 8], T.ldg128(x[t * 8 : t * 8 + 8]))

    return store_eight_halves


def load_single_words() -> Any:
    n = T.dynamic("n")

    @T.prim_func
    def load_single_words(x: T.Tensor((n,), "int32"), y: T.Tensor((32,), "int32")):
        with T.Kernel(1, threads=32):
            t = T.get_thread_binding()
            T.stg32(y[t : t + 1], T.ldg32(x[t + 3 : t + 4]))

    return load_single_words


def store_quads_of_rows() -> Any:
    n, m = T.dynamic("n, m")

    @T.prim_func
    def store_quads_of_rows(x: T.Tensor((8, 4), "float32"), y: T.Tensor((n, m), "float32")):
        with T.Kernel(4, threads=8) as row:
            t = T.get_thread_binding()
            T.stg128(y[row, t * 4 : t * 4 + 4], T.ldg128(x[t, 0:4]))

    return store_quads_of_rows


# kernel, op on the ragged buffer, the buffer, elements of one access, the first one's offset, scalars in its stead
TABLE = [
    (Case(load_pairs, 2), "tl.ldg64", "x", 2, 0, 1),
    (Case(store_eight_halves, 8), "tl.stg128", "y", 8, 0, 7),
    (Case(load_single_words, 1), "tl.ldg32", "x", 1, 3, 0),
]
EACH = pytest.mark.parametrize(
    ("case", "op", "buffer", "width", "offset", "scalars"), TABLE, ids=[case[0].name for case in TABLE]
)


@EACH
def test_right(case: Case, op: str, buffer: str, width: int, offset: int, scalars: int) -> None:
    def inside(n: int, t: int) -> bool:
        return t * width + offset + width <= n

    lowered = case.lowered()
    every = [{"n": n, "t": t} for n in (0, 1, 2, 3, 7, 8, 9, 31, 61, 64, 127, 128, 200) for t in range(16)]
    checks.runs_exactly_when(lowered.after, op, every, inside)
    assert scalar_accesses(lowered.kernel, buffer) == scalars


@each([case[0] for case in TABLE], minimal=True)
def test_guards(case: Case) -> None:
    checks.guard_count(case)


@EACH
def test_tilelang_is_wrong(case: Case, op: str, buffer: str, width: int, offset: int, scalars: int) -> None:
    assert checks.conditions_around(case.lowered("tilelang").after, op) == [[]]


def test_guard_is_as_wide_as_the_address() -> None:
    kernel = Case(store_quads_of_rows, 4).lowered().kernel
    assert "((int64_t)((int)blockIdx.x)) * ((int64_t)m)" in kernel
    assert "(int64_t)(((int)blockIdx.x) * m)" not in kernel
