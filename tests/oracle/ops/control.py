"""Ops that stand alone as statements: control flow, barriers, assertions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import AssertionFailed
from ..state import merge, narrow
from . import op

Run = Callable[[Any, Any], Any]

# Statements that end the path of the threads reaching them; statements.py asks for these.
LEAVING = ("tirx.break_loop", "tl.loop_break", "tirx.continue_loop", "tirx.thread_return")


def leave(name: str, S: Any, m: Any) -> None:
    """Take the threads of `m` off the present path."""
    if name in ("tirx.break_loop", "tl.loop_break"):
        S.brk = merge(S.brk, m)
    elif name == "tirx.continue_loop":
        S.cont = merge(S.cont, m)


@op(
    "tirx.tvm_storage_sync", "tl.sync_warp", "tirx.ptx_commit_group", "tirx.ptx_wait_group",
    "tl.fence_proxy_async", "tirx.prefetch",
)  # fmt: skip
def _nothing(c: Any, e: Any) -> Run:
    """In lockstep every barrier is already met and every copy already done."""
    return lambda S, m: None


@op("tl.device_assert", "tl.device_assert_with_msg")
def _assert(c: Any, e: Any) -> Run:
    f, text = c.cond(e.args[0]), str(e)
    return lambda S, m: check(f(S, m), S, m, text)


def check(ok: Any, S: Any, m: Any, text: str) -> None:
    """Stop the program when an active thread's assertion is false."""
    bad = narrow(m, ~ok if isinstance(ok, np.ndarray) else not ok)
    if bad is not False:
        raise AssertionFailed(text)
