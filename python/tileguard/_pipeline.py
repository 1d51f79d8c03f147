"""What changes in TileLang's pipelines: our pass in place of its own, and what has to happen before it.

Three faults of earlier passes would undo a guard or make it wrong, so three more steps come with the pass: facts about
mutable memory are frozen in front of every pipeline, a copy that must fill with a safe value is kept from the engine
that fills with zeros, and a negative index has one meaning whatever can be proved of it. A fourth ends the process:
what is frozen in a vectorized loop in front of an inner loop, a pass substitutes in the step which that loop has not.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from typing import Any

from tileguard import hook, transform
from tileguard._lib import TileGuardError
from tileguard.messages import first_line, name_of, place_of

Wrapper = Callable[[Callable[..., Any]], Callable[..., Any]]


class _Running(threading.local):
    """What this thread is inside of: how many pipelines, and whether our pass has run in the present compilation."""

    depth = 0
    guarded = False


_running = _Running()


def wrappers() -> list[tuple[Any, str, Wrapper]]:
    """(owner, attribute, wrapper) of what every backend's pipeline goes through."""
    import tilelang.engine.lower
    import tilelang.transform
    from tilelang.backend.pass_pipeline import PassPipeline
    from tilelang.transform import decouple_type_cast

    return [
        (decouple_type_cast, "_substitute_bind_env", spare_the_absent),
        (sys.modules["tilelang.engine.lower"], "lower_with_context", _say_who_fails),
        (PassPipeline, "lower", _prepare),
        (tilelang.transform, "LegalizeNegativeIndex", _choose_negative_index),
        (tilelang.transform, hook.PASS_NAME, _choose_pass),
    ]


def spare_the_absent(substitute: Callable[..., Any]) -> Callable[..., Any]:
    """A substitution that leaves a missing node missing; TileLang 0.1.15 hands it to C++, which dereferences it."""

    @functools.wraps(substitute)
    def _substitute_bind_env(node: Any, env: Any) -> Any:
        return None if node is None else substitute(node, env)

    return _substitute_bind_env


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


def _say_who_fails(function: Callable[..., Any]) -> Callable[..., Any]:
    """What TileLang dies of after our pass becomes one sentence with the kernel's place; the error keeps its type."""

    @functools.wraps(function)
    def lower_with_context(func: Any, *args: Any, **kwargs: Any) -> Any:
        before, _running.guarded = _running.guarded, False
        try:
            return function(func, *args, **kwargs)
        except Exception as error:
            if not _running.guarded or isinstance(error, TileGuardError) or str(error).startswith("TileGuard: "):
                raise
            sentence = _failure(error, func, lambda: function(func, *args, **kwargs))
            raise _like(error, sentence) from None
        finally:
            _running.guarded = before

    return lower_with_context


def _failure(error: Exception, func: Any, again: Callable[[], Any]) -> str:
    try:
        with hook.intercepted(lambda: lambda module: module, frontend=False):
            again()
        whose = "TileLang cannot lower what TileGuard makes of"
    except Exception:
        whose = "TileLang cannot lower, even without any guard,"
    return f"TileGuard: {whose} {name_of(func)}{place_of(func)}: {first_line(error)}"


def _like(error: Exception, sentence: str) -> Exception:
    try:
        return type(error)(sentence)
    except TypeError:
        return RuntimeError(sentence)


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
        if hook.mode() is None:
            return theirs()
        _running.guarded = True
        return transform.LegalizeSafeMemoryAccess()

    return LegalizeSafeMemoryAccess


def _is_ours() -> bool:
    """Whether the pipeline under way is ours and its pass is not turned off."""
    import tilelang.transform

    config = tilelang.transform.get_pass_context().config
    return hook.frontend_is_ours() and not config.get("tl.disable_safe_memory_legalize", False)
