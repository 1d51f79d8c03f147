"""install(), uninstall(), installed(): which pass runs, where, from when to when."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
import tilelang
import tilelang.transform
from tilelang.autotuner.tuner import AutoTuneImpl, AutoTuner
from tilelang.backend.pass_pipeline import PassPipeline
from tilelang.cache.kernel_cache import KernelCache
from tilelang.jit import JITImpl

import tileguard
from tests.unit import kernels
from tileguard import hook, lowering

PATCHED = (
    (PassPipeline, "lower"),
    (tilelang.transform, "LegalizeNegativeIndex"),
    (tilelang.transform, "LegalizeSafeMemoryAccess"),
    (KernelCache, "_generate_key"),
    (KernelCache, "cached"),
    (JITImpl, "__call__"),
    (AutoTuner, "generate_cache_key"),
    (AutoTuneImpl, "__call__"),
)


def attributes() -> list[Any]:
    return [vars(owner)[name] for owner, name in PATCHED]


class Calls:
    """Counts how often each pass is made."""

    def __init__(self) -> None:
        self.ours = 0
        self.theirs = 0


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    counted = Calls()
    ours, theirs = tileguard.transform.LegalizeSafeMemoryAccess, tilelang.transform.LegalizeSafeMemoryAccess

    def make_ours() -> Any:
        counted.ours += 1
        return ours()

    def make_theirs() -> Any:
        counted.theirs += 1
        return theirs()

    monkeypatch.setattr(tileguard.transform, "LegalizeSafeMemoryAccess", make_ours)
    monkeypatch.setattr(tilelang.transform, "LegalizeSafeMemoryAccess", make_theirs)
    return counted


def test_uninstall_restores_exactly() -> None:
    before = attributes()
    tileguard.install()
    assert all(now is not then for now, then in zip(attributes(), before, strict=True))
    tileguard.uninstall()
    assert all(now is then for now, then in zip(attributes(), before, strict=True))


def test_restores_what_someone_else_had_put_there(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = tilelang.transform.LegalizeSafeMemoryAccess

    def foreign() -> Any:
        return theirs()

    monkeypatch.setattr(tilelang.transform, "LegalizeSafeMemoryAccess", foreign)
    with tileguard.installed():
        assert tilelang.transform.LegalizeSafeMemoryAccess is not foreign
    assert tilelang.transform.LegalizeSafeMemoryAccess is foreign


def test_leaves_what_someone_else_put_on_top(monkeypatch: pytest.MonkeyPatch, calls: Calls) -> None:
    monkeypatch.setattr(tilelang.transform, "LegalizeSafeMemoryAccess", tilelang.transform.LegalizeSafeMemoryAccess)
    tileguard.install()
    ours = tilelang.transform.LegalizeSafeMemoryAccess
    top: Callable[[], Any] = lambda: ours()  # noqa: E731
    tilelang.transform.LegalizeSafeMemoryAccess = top
    tileguard.uninstall()
    assert tilelang.transform.LegalizeSafeMemoryAccess is top
    lowering.lower(kernels.one_store(), "c")
    assert (calls.ours, calls.theirs) == (0, 1)


def test_install_is_idempotent() -> None:
    before = attributes()
    tileguard.install()
    installed = attributes()
    tileguard.install()
    assert all(now is then for now, then in zip(attributes(), installed, strict=True))
    tileguard.uninstall()
    assert all(now is then for now, then in zip(attributes(), before, strict=True))
    tileguard.uninstall()
    assert not tileguard.is_installed()


def test_blocks_nest() -> None:
    before = attributes()
    with tileguard.installed():
        with tileguard.installed():
            assert tileguard.is_installed()
        assert tileguard.is_installed()
    assert not tileguard.is_installed()
    assert all(now is then for now, then in zip(attributes(), before, strict=True))


def test_block_within_install_leaves_it_installed() -> None:
    tileguard.install()
    with tileguard.installed():
        pass
    assert tileguard.is_installed()
    tileguard.uninstall()


def test_block_ends_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), tileguard.installed():
        raise ZeroDivisionError
    assert not tileguard.is_installed()


@pytest.mark.parametrize(
    "target",
    [
        {"kind": "cuda", "arch": "sm_90"},
        {"kind": "cuda", "arch": "sm_80"},
        "c",
        {"kind": "hip", "mcpu": "gfx942"},
        "metal",
        "webgpu",
        "ascend",
    ],
    ids=str,
)
def test_every_pipeline_uses_it(target: Any, calls: Calls) -> None:
    with tileguard.installed():
        lowering.lower(kernels.one_store(), target)
    assert (calls.ours, calls.theirs) == (1, 0)
    lowering.lower(kernels.one_store(), target)
    assert (calls.ours, calls.theirs) == (1, 1)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of TileGuard's passes, as they are made."""
    made: list[str] = []

    def recorded(name: str, make: Callable[[], Any]) -> Callable[[], Any]:
        def factory() -> Any:
            made.append(name)
            return make()

        return factory

    for name in tileguard.transform.__all__:
        monkeypatch.setattr(tileguard.transform, name, recorded(name, getattr(tileguard.transform, name)))
    return made


ALL_STEPS = ["FreezeMutableReads", "KeepHardwareFills", "LegalizeNegativeIndex", "LegalizeSafeMemoryAccess"]


@pytest.mark.parametrize("target", ["c", {"kind": "cuda", "arch": "sm_90"}, "metal", "webgpu", "ascend"], ids=str)
def test_steps_in_front_come_along(target: Any, steps: list[str]) -> None:
    with tileguard.installed():
        lowering.lower(kernels.one_store(), target)
    assert steps == ALL_STEPS
    steps.clear()
    lowering.lower(kernels.one_store(), target)
    assert steps == []


def test_steps_in_front_of_what_is_analysed_and_compared(steps: list[str]) -> None:
    """What is analysed is what installing would compile; what is compared with is TileLang's alone."""
    lowering.module_at_pass(kernels.one_store(), "c")
    assert steps == ALL_STEPS[:3]
    steps.clear()
    lowering.source_with_tilelang(kernels.one_store(), "c")
    assert steps == []
    lowering.source_with_tileguard(kernels.one_store(), "c")
    assert steps == ALL_STEPS


def test_turned_off_by_tilelangs_own_key(steps: list[str]) -> None:
    """tl.disable_safe_memory_legalize: the same code as from TileLang with that key."""
    off = {"tl.disable_safe_memory_legalize": True}
    alone = lowering.lower(kernels.ragged_add(), "c", off).kernel_source
    with tileguard.installed():
        assert lowering.lower(kernels.ragged_add(), "c", off).kernel_source == alone
        assert lowering.lower(kernels.ragged_add(), "c").kernel_source != alone
    assert steps.count("FreezeMutableReads") == 1


def test_by_hand_in_front_of_simplify() -> None:
    module = lowering.module_at_pass(kernels.ragged_add())
    guarded = tilelang.transform.Simplify()(tileguard.transform.LegalizeSafeMemoryAccess()(module))
    assert "if " in guarded.script() or "if_then_else" in guarded.script()


def test_threads_compile_in_parallel(calls: Calls) -> None:
    """Both passes at once, from many threads, each block of its own."""

    def compile_some(number: int) -> str:
        func = kernels.ragged_add(tile=32 * (1 + number % 3))
        with tileguard.installed():
            return str(lowering.lower(func, "c").kernel_source)

    alone = [compile_some(number) for number in range(12)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(compile_some, range(12)))
    assert together == alone
    assert (calls.ours, calls.theirs) == (24, 0)
    assert not tileguard.is_installed()


def test_one_thread_with_another_without() -> None:
    """intercepted() concerns its own thread alone."""
    seen: list[str] = []

    def recording() -> Any:
        seen.append(threading.current_thread().name)
        return tileguard.transform.LegalizeSafeMemoryAccess()

    with ThreadPoolExecutor(1, "other") as pool, hook.intercepted(recording):
        pool.submit(lowering.lower, kernels.one_store(), "c").result()
        assert seen == []
        lowering.lower(kernels.one_store(), "c")
        assert seen == [threading.current_thread().name]


@contextmanager
def held_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, threading.Event]]:
    """Makes C pipelines stop before the pass: yields (one has stopped there, let it go on)."""
    stopped, go_on = threading.Event(), threading.Event()
    following = tilelang.transform.LayoutInference

    def held() -> Any:
        stopped.set()
        assert go_on.wait(60)
        return following()

    monkeypatch.setattr(tilelang.transform, "LayoutInference", held)
    yield stopped, go_on


def test_compilation_ends_with_the_pass_it_began_with(monkeypatch: pytest.MonkeyPatch, calls: Calls) -> None:
    """uninstall() while a kernel is half compiled: ours to the end, then everything is as before."""
    before = attributes()
    tileguard.install()
    with held_in_the_middle(monkeypatch) as (stopped, go_on), ThreadPoolExecutor(1) as pool:
        job = pool.submit(tilelang.compile, kernels.ragged_add(), target="c", execution_backend="cython")
        assert stopped.wait(60)
        tileguard.uninstall()
        assert not tileguard.is_installed()
        go_on.set()
        job.result(timeout=120)
    assert (calls.ours, calls.theirs) == (1, 0)
    assert all(now is then for now, then in zip(attributes(), before, strict=True))


def test_compilation_begun_before_install_stays_tilelangs(monkeypatch: pytest.MonkeyPatch, calls: Calls) -> None:
    with held_in_the_middle(monkeypatch) as (stopped, go_on), ThreadPoolExecutor(1) as pool:
        job = pool.submit(tilelang.compile, kernels.ragged_add(), target="c", execution_backend="cython")
        assert stopped.wait(60)
        tileguard.install()
        go_on.set()
        job.result(timeout=120)
    assert (calls.ours, calls.theirs) == (0, 1)
    tileguard.uninstall()
