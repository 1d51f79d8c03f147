"""A recorder in the place of TileLang's pass: it keeps the module that comes in and hands back what the pass makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tilelang.transform
import tvm
import tvm_ffi
from tvm.target import Target

from bench.corpus.store import Entry, Store, structure

DISABLED = "tl.disable_safe_memory_legalize"


class Recorder:
    """Records for one script. `test` names the test under way, where there is one."""

    def __init__(self, store: Store, script: str) -> None:
        self.store, self.script, self.test = store, script, ""
        self.calls = self.kept = 0

    def install(self) -> None:
        theirs = tilelang.transform.LegalizeSafeMemoryAccess
        tilelang.transform.LegalizeSafeMemoryAccess = lambda: self._recording(theirs())

    def _recording(self, their_pass: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def run(module: Any) -> Any:
            self._record(module)
            return their_pass(module)

        return run

    def _record(self, module: Any) -> None:
        self.calls += 1
        config = {name: _plain(value) for name, value in tvm.transform.PassContext.current().config.items()}
        if config.get(DISABLED):
            return
        entry = Entry(structure(module), self.script, self.test, _target(module), config)
        self.kept += self.store.add(module, entry)


def _target(module: Any) -> dict[str, Any]:
    """The target of the compilation, as a dictionary that `Target` takes; empty when there is none."""
    current = Target.current(allow_none=True)
    for func in module.functions.values():
        current = (func.attrs or {}).get("target", current) if current is None else current
    return {} if current is None else {name: _plain(value) for name, value in current.export().items()}


def _plain(value: Any) -> Any:
    """A pass-config or target value as JSON has it."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict | tvm_ffi.Map):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | tvm_ffi.Array):
        return [_plain(inner) for inner in value]
    number = getattr(value, "value", None)
    return number if isinstance(number, bool | int | float) else str(value)
