"""A kernel compiled with one pass, version or option is never handed out for another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import tilelang
import tilelang.language as T
import tilelang.transform
from tilelang.jit import JITImpl

import tileguard
from tests.unit import kernels
from tileguard import _caches, _lib, hook, options

ROOT = Path(__file__).resolve().parents[2]

# Compiles one kernel as its arguments say, and prints which passes ran and whether the kernels are the same object.
PROGRAM = textwrap.dedent(
    """
    import json, sys
    import tilelang, tilelang.transform
    import tileguard
    from tests.unit import kernels

    ran = []

    def recorded(name, make):
        def factory():
            ran.append(name)
            return make()
        return factory

    tileguard.load()
    tilelang.transform.LegalizeSafeMemoryAccess = recorded("theirs", tilelang.transform.LegalizeSafeMemoryAccess)
    tileguard.transform.LegalizeSafeMemoryAccess = recorded("ours", tileguard.transform.LegalizeSafeMemoryAccess)

    for step in sys.argv[1:]:
        if step == "install":
            tileguard.install()
        elif step == "uninstall":
            tileguard.uninstall()
        elif step == "compile":
            before = len(ran)
            tilelang.compile(kernels.ragged_add(), target="c", execution_backend="cython")
            ran[before:] = ran[before:] or ["cached"]
    print(json.dumps(ran))
    """
)


def steps(cache: Path, *words: str, **environment: str) -> list[str]:
    env = {name: value for name, value in os.environ.items() if name != "TILELANG_DISABLE_CACHE"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        env={**env, "TILELANG_CACHE_DIR": str(cache), **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_memory_and_disk_cache(tmp_path: Path) -> None:
    """Each mode compiles once, in memory and across processes."""
    assert steps(tmp_path, "compile", "compile", "install", "compile", "compile", "uninstall", "compile") == [
        "theirs",
        "cached",
        "ours",
        "cached",
        "cached",
    ]
    assert steps(tmp_path, "install", "compile", "uninstall", "compile") == ["cached", "cached"]


def test_disk_cache_of_tilelang_alone_is_still_used(tmp_path: Path) -> None:
    """Without us, and with us uninstalled, the key is TileLang's own."""
    assert steps(tmp_path, "compile") == ["theirs"]
    assert steps(tmp_path, "install", "uninstall", "compile", "install", "compile") == ["cached", "ours"]


@pytest.fixture
def one_option(monkeypatch: pytest.MonkeyPatch) -> options.Option:
    option = options.Option("sample", int, 7, "for this test")
    monkeypatch.setattr(options, "table", lambda: (option,))
    return option


def test_options_and_versions_are_part_of_the_key(monkeypatch: pytest.MonkeyPatch, one_option: options.Option) -> None:
    plain = hook.tagged("key")
    assert plain == "key"
    seen = set()
    with tileguard.installed():
        seen.add(hook.tagged("key"))
        assert hook.tagged("key") in seen
        monkeypatch.setenv(one_option.env, "8")
        seen.add(hook.tagged("key"))
        monkeypatch.setattr(hook, "__version__", "0.0.0")
        seen.add(hook.tagged("key"))
        monkeypatch.setattr(_lib, "digest", lambda: "another build")
        seen.add(hook.tagged("key"))
        seen.add(hook.tagged("another key"))
    assert len(seen | {plain}) == 6


def test_bad_option_is_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch, one_option: options.Option) -> None:
    monkeypatch.setenv(one_option.env, "many")
    with pytest.raises(tileguard.TileGuardError, match=r"^TILEGUARD_SAMPLE must be a whole number, not 'many'\.$"):
        options.environment()


def test_intercepted_kernels_share_nothing() -> None:
    with hook.intercepted(tileguard.transform.LegalizeSafeMemoryAccess):
        first = hook.tagged("key")
    with hook.intercepted(tileguard.transform.LegalizeSafeMemoryAccess):
        assert hook.tagged("key") not in {first, "key"}


def test_jitted_function_keeps_modes_apart() -> None:
    @tilelang.jit(target="c", execution_backend="cython")
    def add(tile: int = 32) -> Any:
        return kernels.ragged_add(tile)

    theirs = add(32)
    with tileguard.installed():
        ours = add(32)
        assert ours is not theirs
        assert add(32) is ours
    assert add(32) is theirs
    with tileguard.installed():
        assert add(32) is ours


def test_jitted_function_first_called_while_installed() -> None:
    @tilelang.jit(target="c", execution_backend="cython")
    def add(tile: int = 32) -> Any:
        return kernels.ragged_add(tile)

    with tileguard.installed():
        ours = add(32)
    theirs = add(32)
    assert theirs is not ours
    assert add(32) is theirs


def test_eager_function_keeps_modes_apart() -> None:
    """The kernel runs at once; which one ran shows in the jitted function's own cache."""
    import torch

    @tilelang.jit(target="c", execution_backend="cython")
    def add(a, c, tile: int = 32):
        n = T.const("n")
        a: T.Tensor[[n], "float32"]  # noqa: F821, UP037
        c: T.Tensor[[n], "float32"]  # noqa: F821, UP037
        with T.Kernel(T.ceildiv(n, tile), threads=tile) as block:
            for i in T.Parallel(tile):
                c[block * tile + i] = a[block * tile + i] + T.float32(1)

    a, c = torch.arange(37, dtype=torch.float32), torch.zeros(37)
    for _ in range(2):
        add(a, c)
        with tileguard.installed():
            add(a, c)
            add(a, c)
    assert torch.equal(c, a + 1)
    assert isinstance(add._kernel_cache, _caches.ByMode)
    assert len({mode for mode, _ in dict.keys(add._kernel_cache)}) == 2
    assert dict.__len__(add._kernel_cache) == 2


def test_threads_of_both_modes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many threads call one jitted function while TileGuard comes and goes: each kernel stays with its pass."""

    @tilelang.jit(target="c", execution_backend="cython")
    def add(tile: int = 32) -> Any:
        return kernels.ragged_add(tile)

    last_pass = threading.local()
    made_by: dict[int, str] = {}
    kept: list[Any] = []

    def recorded(name: str, make: Any) -> Any:
        def factory() -> Any:
            last_pass.name = name
            return make()

        return factory

    def compile_recorded(self: Any, *args: Any, **kwargs: Any) -> Any:
        kernel = compile_it(self, *args, **kwargs)
        kept.append(kernel)
        made_by[id(kernel)] = last_pass.name
        return kernel

    compile_it = JITImpl.compile
    monkeypatch.setattr(JITImpl, "compile", compile_recorded)
    for owner, name in ((tilelang.transform, "theirs"), (tileguard.transform, "ours")):
        monkeypatch.setattr(owner, hook.PASS_NAME, recorded(name, getattr(owner, hook.PASS_NAME)))

    def use(number: int) -> None:
        tile = 32 * (1 + number % 3)
        if number % 2:
            with tileguard.installed():
                add(tile)
        else:
            add(tile)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(use, range(24)))
    assert not tileguard.is_installed()
    for tile in (32, 64, 96):
        assert made_by[id(add(tile))] == "theirs"
        with tileguard.installed():
            assert made_by[id(add(tile))] == "ours"
    assert set(made_by.values()) == {"ours", "theirs"}


def test_an_entry_made_by_hand_is_found_in_its_mode() -> None:
    """What a user or a test of TileLang's puts into a jitted function's cache is handed out as TileLang would."""

    def decorate() -> Any:
        @tilelang.jit(target="c", execution_backend="cython", out_idx=None)
        def add(tile: int = 32) -> Any:
            return kernels.ragged_add(tile)

        add.mode = "lazy"
        add.func.set_mode("lazy")
        return add

    by_hand = object()
    with tileguard.installed():
        born_with_us = decorate()
        key, _ = born_with_us.func.parse_args(32)
        born_with_us._kernel_cache[key] = by_hand
        assert born_with_us(32) is by_hand
    assert born_with_us(32) is not by_hand

    born_without = decorate()
    born_without._kernel_cache[key] = by_hand
    with tileguard.installed():
        assert born_without(32) is not by_hand
    assert born_without(32) is by_hand
