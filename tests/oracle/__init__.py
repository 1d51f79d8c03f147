"""An interpreter of PrimFuncs as they stand where LegalizeSafeMemoryAccess runs.

`run(func, args, mode)` gives the meaning the contract asks for: mode "safe" executes a
function before the pass (loads out of bounds read the safe value, stores and atomics are
skipped), mode "strict" executes one after the pass, where touching a global buffer outside
its shape raises OutOfBoundsAccess.  Written apart from the prover, on numpy alone.
"""

from .errors import (
    AssertionFailed,
    BadArguments,
    OobEvent,
    OracleError,
    OutOfBoundsAccess,
    OutOfSteps,
    UnsupportedByOracle,
)
from .interp import Mode, Program, Result, run

__all__ = [
    "AssertionFailed", "BadArguments", "Mode", "OobEvent", "OracleError", "OutOfBoundsAccess",
    "OutOfSteps", "Program", "Result", "UnsupportedByOracle", "run",
]  # fmt: skip
