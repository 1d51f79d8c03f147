"""The passes, for use by hand: `mod = tileguard.transform.LegalizeSafeMemoryAccess()(mod)`."""

from __future__ import annotations

from typing import Any

from tileguard import _lib

__all__ = ["FreezeMutableReads", "KeepHardwareFills", "LegalizeNegativeIndex", "LegalizeSafeMemoryAccess"]


def LegalizeSafeMemoryAccess() -> Any:
    """A `tvm.transform.Pass` that proves the global accesses of a module in bounds and guards exactly the others.

    It stands where TileLang's pass of this name stands: in front of `Simplify`, before or after layout inference.
    """
    return _lib.function("tileguard.transform.LegalizeSafeMemoryAccess")()


def FreezeMutableReads() -> Any:
    """A `tvm.transform.Pass` for the front of a pipeline: facts about memory that changes in their scope become facts
    about an immutable copy, so that no later pass deletes a check by a fact that no longer holds. `install()` runs it.
    """
    return _lib.function("tileguard.transform.FreezeMutableReads")()


def KeepHardwareFills() -> Any:
    """A `tvm.transform.Pass` for the front of a pipeline: a bulk (TMA) copy from a buffer with a safe value other than
    zero, which may reach beyond the buffer, is made by threads instead; the bulk engine fills with zeros alone.
    `install()` runs it.
    """
    return _lib.function("tileguard.transform.KeepHardwareFills")()


def LegalizeNegativeIndex() -> Any:
    """A `tvm.transform.Pass` in place of TileLang's of this name: a literal negative index counts from the end, every
    other index means itself. `install()` uses it.
    """
    return _lib.function("tileguard.transform.LegalizeNegativeIndex")()
