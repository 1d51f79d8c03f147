"""Settings that hold for every test: no kernel cache, a quiet compiler, the plugin loaded, nothing left installed."""

from __future__ import annotations

import os
from collections.abc import Iterator

# Before TileLang is imported: its disk cache skips the lowering that the tests are about.
os.environ["TILELANG_DISABLE_CACHE"] = "1"
os.environ.setdefault("TILELANG_PRINT_ON_COMPILATION", "0")

import pytest

import tileguard


@pytest.fixture(scope="session", autouse=True)
def _plugin() -> None:
    tileguard.load()


@pytest.fixture(autouse=True)
def _nothing_left_installed() -> Iterator[None]:
    """A test that leaves TileGuard installed, or an option set, would change what the next one measures."""
    options = {name: value for name, value in os.environ.items() if name.startswith("TILEGUARD_")}
    yield
    left = tileguard.is_installed()
    tileguard.uninstall()
    assert not left, "the test left TileGuard installed"
    assert options == {name: value for name, value in os.environ.items() if name.startswith("TILEGUARD_")}
