"""Which pass TileLang's pipelines run: TileLang's own or ours, for whom, and since when.

Every backend's pipeline calls `tilelang.transform.LegalizeSafeMemoryAccess()` through the module attribute, so one
attribute decides for all of them (and a few more for what belongs to it). What makes it more than assignments:

* a compilation that has begun ends with the pass it began with, also when another thread installs or uninstalls
  meanwhile; otherwise a kernel could be stored in TileLang's cache under the key of the other pass;
* `uninstall()` puts back exactly what was there, as soon as no such compilation is left.
"""

from __future__ import annotations

import hashlib
import itertools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from tileguard import _lib, options
from tileguard._version import __version__

PassFactory = Callable[[], Any]
PASS_NAME = "LegalizeSafeMemoryAccess"
# The replaced methods within which a compilation takes place.
_COMPILES = {"cached", "__call__", "lower"}


@dataclass
class _Patch:
    """One attribute of TileLang that is replaced while TileGuard is in use."""

    owner: Any
    name: str
    original: Any
    ours: Any

    def undo(self) -> None:
        # Someone may have wrapped ours since: then theirs stays, and ours below it forwards to the original.
        if vars(self.owner).get(self.name) is self.ours:
            setattr(self.owner, self.name, self.original)


@dataclass(frozen=True)
class _Intercept:
    """An open `intercepted` block."""

    factory: PassFactory
    frontend: bool
    serial: int
    """No two blocks share a cache entry."""


class _Thread(threading.local):
    """What holds in this thread alone."""

    def __init__(self) -> None:
        self.pinned: list[str | None] = []
        self.intercepts: list[_Intercept] = []


_lock = threading.RLock()
_thread = _Thread()
_serials = itertools.count(1)
_patches: list[_Patch] = []
_began_before: frozenset[Any] = frozenset()
_installed = False  # by install()
_scopes = 0  # open `with installed()` blocks, of all threads
_borrowers = 0  # compilations under way and open intercept() blocks, of all threads


def install() -> None:
    """Makes every TileLang pipeline of this process use TileGuard's pass, until `uninstall()`.

    Idempotent and safe from any thread. Kernels compiled so are kept apart from TileLang's own in its caches.
    """
    global _installed
    _lib.load()
    with _lock:
        _installed = True
        _settle()


def uninstall() -> None:
    """Takes `install()` back; does nothing when not installed. An open `with installed():` block keeps its effect."""
    global _installed
    with _lock:
        _installed = False
        _settle()


@contextmanager
def installed() -> Iterator[None]:
    """`with tileguard.installed():` is `install()` for the length of the block. Blocks nest, also across threads."""
    global _scopes
    _lib.load()
    with _lock:
        _scopes += 1
        _settle()
    try:
        yield
    finally:
        with _lock:
            _scopes -= 1
            _settle()


def is_installed() -> bool:
    """Whether a compilation that begins now uses TileGuard's pass."""
    return _installed or _scopes > 0


def mode() -> str | None:
    """What tells kernels apart in caches: None for TileLang's own pass, else version, build and options of ours."""
    if _thread.pinned:
        return _thread.pinned[-1]
    if _thread.intercepts:
        return f"intercepted {_thread.intercepts[-1].serial}"
    if not is_installed() or _compilation_is_older_than_install():
        return None
    return f"tileguard {__version__} {_lib.digest()} {options.environment()}"


@contextmanager
def pinned() -> Iterator[None]:
    """Fixes `mode()` for this thread until the block ends, whatever other threads install or uninstall."""
    if _thread.pinned:
        yield
        return
    with _borrowed():
        _thread.pinned.append(mode())
        try:
            yield
        finally:
            _thread.pinned.pop()


@contextmanager
def intercepted(factory: PassFactory, frontend: bool = True) -> Iterator[None]:
    """Within the block, pipelines run by this thread call `factory()` for the pass, installed or not.

    frontend: whether the steps that TileGuard puts before the pass are taken too.
    """
    _lib.load()
    with _borrowed():
        _thread.intercepts.append(_Intercept(factory, frontend, next(_serials)))
        try:
            yield
        finally:
            _thread.intercepts.pop()


def factory() -> PassFactory | None:
    """What makes the pass in this thread's open `intercepted` block, if there is one."""
    return _thread.intercepts[-1].factory if _thread.intercepts else None


def frontend_is_ours() -> bool:
    """Whether a pipeline of this thread takes the steps that TileGuard puts before the pass."""
    return _thread.intercepts[-1].frontend if _thread.intercepts else mode() is not None


def original() -> PassFactory:
    """The factory of the pass that TileGuard replaces, as it was before."""
    import tilelang.transform

    with _lock:
        for patch in _patches:
            if patch.name == PASS_NAME:
                return patch.original  # type: ignore[no-any-return]
        return getattr(tilelang.transform, PASS_NAME)  # type: ignore[no-any-return]


@contextmanager
def _borrowed() -> Iterator[None]:
    global _borrowers
    with _lock:
        _borrowers += 1
        _settle()
    try:
        yield
    finally:
        with _lock:
            _borrowers -= 1
            _settle()


def _settle() -> None:
    """Brings TileLang's attributes in line with the state. Called with the lock held."""
    global _began_before
    needed = is_installed() or _borrowers > 0
    if needed and not _patches:
        _patches.extend(_make_patches())
        _began_before = frozenset(
            getattr(patch.original, "__code__", None) for patch in _patches if patch.name in _COMPILES
        )
        for patch in _patches:
            setattr(patch.owner, patch.name, patch.ours)
    elif not needed and _patches:
        for patch in reversed(_patches):
            patch.undo()
        _patches.clear()


def _make_patches() -> list[_Patch]:
    from tileguard import _caches, _pipeline

    patches = []
    for owner, name, wrap in (*_pipeline.wrappers(), *_caches.wrappers()):
        current = vars(owner)[name]
        patches.append(_Patch(owner, name, current, wrap(current)))
    return patches


def _compilation_is_older_than_install() -> bool:
    """Whether this thread is inside a cached compilation of TileLang's that began before anything was installed.

    Its cache key was made without us, so it must end with TileLang's pass. Compilations that began later are pinned
    and never ask.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code in _began_before:
            return True
        frame = frame.f_back
    return False


def tagged(key: str) -> str:
    """A cache key of TileLang's, made different for each mode; unchanged for TileLang's own pass."""
    current = mode()
    return key if current is None else hashlib.sha256(f"{key} {current}".encode()).hexdigest()
