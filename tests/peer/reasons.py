"""Why a test of TileLang's ends otherwise with us, by part of the test's name."""

from __future__ import annotations

REASONS: dict[str, str] = {
    "test_call_extern_multiple_access_ptrs_oob": (
        "expects one `if` inside another; ours is one `if` with both comparisons (same guard, other text)"
    ),
    "test_cp_async_access_ptr_nonzero_safe_value_oob": (
        "expects only the first of four destination elements to be filled with the safe value; ours fills all four"
    ),
}
