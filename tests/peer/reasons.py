"""Why a test of TileLang's ends otherwise with us: the whole list, by test."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """outcome: how the test ends with us, and no other way is accepted."""

    outcome: str
    why: str


_PASS_TESTS = "transform/test_tilelang_transform_legalize_safe_memory_access.py"

REASONS: dict[str, Reason] = {
    f"{_PASS_TESTS}::test_call_extern_multiple_access_ptrs_oob": Reason(
        "failed", "expects one `if` inside another; ours is one `if` with both comparisons (same guard, other text)"
    ),
    f"{_PASS_TESTS}::test_cp_async_access_ptr_nonzero_safe_value_oob": Reason(
        "failed",
        "expects only the first of four destination elements to be filled with the safe value; ours fills all four",
    ),
}
