"""Keeps kernels of different passes apart in every cache TileLang has.

* memory and disk: `KernelCache`, keyed by `_generate_key`;
* the autotuner's results, keyed by `generate_cache_key`;
* what each `@tilelang.jit` function and each autotuned one remembers by its call arguments.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from tileguard import hook

Wrapper = Callable[[Callable[..., Any]], Callable[..., Any]]

_adopting = threading.Lock()


def wrappers() -> list[tuple[Any, str, Wrapper]]:
    """(owner, attribute, wrapper) of every method of TileLang's that decides which cached kernel is used."""
    from tilelang.autotuner.tuner import AutoTuneImpl, AutoTuner
    from tilelang.cache.kernel_cache import KernelCache
    from tilelang.jit import JITImpl

    return [
        (KernelCache, "_generate_key", _tag_key),
        (KernelCache, "cached", _pin),
        (JITImpl, "__post_init__", _adopt_new),
        (JITImpl, "__call__", _pin_and_adopt),
        (AutoTuner, "generate_cache_key", _tag_key),
        (AutoTuneImpl, "__post_init__", _adopt_new),
        (AutoTuneImpl, "__call__", _pin_and_adopt),
    ]


def _tag_key(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        key = method(*args, **kwargs)
        return hook.tagged(key) if isinstance(key, str) else key

    return wrapper


def _pin(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with hook.pinned():
            return method(*args, **kwargs)

    return wrapper


def _pin_and_adopt(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        _adopt(self)
        with hook.pinned():
            return method(self, *args, **kwargs)

    return wrapper


def _adopt_new(method: Callable[..., Any]) -> Callable[..., Any]:
    """Adopts at birth, so that what a user puts into a cache by hand belongs to the mode it was put in under."""

    @functools.wraps(method)
    def wrapper(self: Any) -> None:
        method(self)
        _adopt(self)

    return wrapper


def _adopt(function: Any) -> None:
    """Makes the caches of one jitted or autotuned function tell modes apart; what they hold is TileLang's own."""
    held = vars(function)
    if all(isinstance(held.get(name), (ByMode, CallFormsByMode)) for name in _CACHES if name in held):
        return
    with _adopting:
        for name, replace in _CACHES.items():
            if name in held and not isinstance(held[name], (ByMode, CallFormsByMode)):
                setattr(function, name, replace(held[name]))


class ByMode(dict[Any, Any]):
    """A dictionary whose entries are seen only in the mode they were made in."""

    def __init__(self, of_tilelang: dict[Any, Any]) -> None:
        super().__init__({(None, key): value for key, value in of_tilelang.items()})

    def __contains__(self, key: object) -> bool:
        return super().__contains__((hook.mode(), key))

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__((hook.mode(), key))

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__((hook.mode(), key), value)

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get((hook.mode(), key), default)


class CallFormsByMode:
    """TileLang's memo of call forms, one for each mode."""

    def __init__(self, of_tilelang: Any) -> None:
        self._make = type(of_tilelang)
        self._memos: dict[str | None, Any] = {None: of_tilelang}

    def _memo(self) -> Any:
        return self._memos.setdefault(hook.mode(), self._make())

    def lookup(self, args: Any, kwargs: Any) -> Any:
        return self._memo().lookup(args, kwargs)

    def store(self, key: Any, kernel: Any) -> None:
        self._memo().store(key, kernel)

    def clear(self) -> None:
        for memo in list(self._memos.values()):
            memo.clear()

    def __len__(self) -> int:
        return sum(len(memo) for memo in list(self._memos.values()))


_CACHES: dict[str, Callable[[Any], Any]] = {
    "_kernel_cache": ByMode,
    "_tuner_cache": ByMode,
    "_call_form_cache": CallFormsByMode,
}
