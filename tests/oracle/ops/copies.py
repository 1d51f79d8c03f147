"""Asynchronous copies.  In lockstep a copy has arrived when its statement ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import memory
from ..errors import UnsupportedByOracle
from ..state import narrow
from . import op

Run = Callable[[Any, Any], Any]


@op("tl.ptx_cp_async")
def _cp_async(c: Any, e: Any) -> Run:
    """dst, src, number of elements[, predicate]: part of one row; a false predicate fills zeros."""
    args = list(e.args)
    if not hasattr(args[2], "value"):
        raise UnsupportedByOracle("tl.ptx_cp_async", "a number of elements that is not constant")
    n = int(args[2].value)
    dst, src = (c.pointer(a)[0].span(n) for a in args[:2])
    pred = c.cond(args[3]) if len(args) > 3 else None

    def run(S: Any, m: Any) -> Any:
        to = dst.locate(S, m, "store", dst.spread(S, m))
        if pred is None:
            dst.store(S, m, to, src.read(S, m, src.locate(S, m, "load", src.spread(S, m))))
            return None
        k = pred(S, m)
        yes = narrow(m, k)
        no = narrow(m, ~k if isinstance(k, np.ndarray) else not k)
        if yes is not False:
            dst.store(S, yes, to, src.read(S, yes, src.locate(S, yes, "load", src.spread(S, yes))))
        if no is not False:
            memory.write(
                S, S.mem[dst.buf.data], dst.buf.dtype, to.flat, dst.buf.dtype.type(0),
                memory.both(to.ok, memory.lanes_of(no, True)), n, True,
            )  # fmt: skip
        return None

    return run
