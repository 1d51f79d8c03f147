"""What changes in TileLang's pipelines: our pass in place of its own, and what has to happen before it.

Three faults of earlier passes would undo a guard or make it wrong, so three more steps come with the pass: facts about
mutable memory are frozen in front of every pipeline, a copy that must fill with a safe value is kept from the engine
that fills with zeros, and a negative index has one meaning whatever can be proved of it.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from tileguard import hook, transform

Wrapper = Callable[[Callable[..., Any]], Callable[..., Any]]


class _Running(threading.local):
    """How many pipelines this thread is inside of."""

    depth = 0


_running = _Running()


def wrappers() -> list[tuple[Any, str, Wrapper]]:
    """(owner, attribute, wrapper) of what every backend's pipeline goes through."""
    import tilelang.transform
    from tilelang.backend.pass_pipeline import PassPipeline

    return [
        (PassPipeline, "lower", _prepare),
        (tilelang.transform, "LegalizeNegativeIndex", _choose_negative_index),
        (tilelang.transform, hook.PASS_NAME, _choose_pass),
    ]


def _prepare(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def lower(self: Any, mod: Any, target: Any) -> Any:
        with hook.pinned():
            ready = mod
            if _is_ours():
                ready = transform.FreezeMutableReads()(transform.KeepHardwareFills()(mod))
            _running.depth += 1
            try:
                return method(self, ready, target)
            finally:
                _running.depth -= 1

    return lower


def _choose_negative_index(theirs: hook.PassFactory) -> hook.PassFactory:
    @functools.wraps(theirs)
    def LegalizeNegativeIndex() -> Any:
        # By hand, outside any pipeline, TileLang's pass is what its caller asks for.
        return transform.LegalizeNegativeIndex() if _running.depth > 0 and _is_ours() else theirs()

    return LegalizeNegativeIndex


def _choose_pass(theirs: hook.PassFactory) -> hook.PassFactory:
    @functools.wraps(theirs)
    def LegalizeSafeMemoryAccess() -> Any:
        factory = hook.factory()
        if factory is not None:
            return factory()
        return theirs() if hook.mode() is None else transform.LegalizeSafeMemoryAccess()

    return LegalizeSafeMemoryAccess


def _is_ours() -> bool:
    """Whether the pipeline under way is ours and its pass is not turned off."""
    import tilelang.transform

    config = tilelang.transform.get_pass_context().config
    return hook.frontend_is_ours() and not config.get("tl.disable_safe_memory_legalize", False)
