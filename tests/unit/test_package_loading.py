"""What a user is told when something is missing or does not fit: one sentence, status 2, no stack trace."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tileguard
from tileguard import _lib

ROOT = Path(__file__).resolve().parents[2]
KERNEL = ROOT / "examples" / "gather.py"


def command(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tileguard", *args],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def assert_one_sentence(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    for word in words:
        assert word in done.stderr


def test_one_version_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert tileguard.__version__ == project["version"]
    assert str(_lib.function("tileguard.Version")()) == project["version"]


def test_pinned_versions_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert f"tilelang=={_lib.TILELANG_VERSION}" in project["dependencies"]
    locked = (ROOT / "requirements.txt").read_text().splitlines()
    for pinned in (line for line in project["dependencies"] if "==" in line):
        assert pinned in locked
        assert f'"{pinned.partition("==")[2]}"' in (ROOT / "cmake" / "TileLang.cmake").read_text()


def test_another_tilelang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "0.1.14")
    with pytest.raises(tileguard.TileGuardError) as caught:
        _lib.check_version()
    assert "0.1.15" in str(caught.value) and "0.1.14" in str(caught.value)


def test_no_tilelang(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(tileguard.TileGuardError, match=r"pip install tilelang==0\.1\.15"):
        _lib.check_version()


def test_another_tilelang_from_the_command_line(tmp_path: Path) -> None:
    """A distribution of another version that comes first on the path, as after `pip install --target`."""
    info = tmp_path / "tilelang-0.1.99.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tilelang\nVersion: 0.1.99\n")
    done = command("check", str(KERNEL), PYTHONPATH=str(tmp_path))
    assert_one_sentence(done, "0.1.15", "0.1.99", "pip install")


def test_plugin_not_built(tmp_path: Path) -> None:
    done = command("check", str(KERNEL), TILEGUARD_LIBRARY=str(tmp_path / "libtileguard.so"))
    assert_one_sentence(done, str(tmp_path), "make build")


def test_plugin_is_no_library(tmp_path: Path) -> None:
    broken = tmp_path / "libtileguard.so"
    broken.write_text("not a library")
    assert_one_sentence(command("check", str(KERNEL), TILEGUARD_LIBRARY=str(broken)), str(broken), "make build")


def built(folder: Path, name: str, source: str, *flags: str) -> Path:
    """A small shared library."""
    library = folder / name
    (folder / "source.cc").write_text(source)
    subprocess.run(["g++", "-shared", "-fPIC", "-o", library, folder / "source.cc", *flags], check=True, timeout=60)
    return library


def test_missing_isl(tmp_path: Path) -> None:
    """A plugin linked with an isl that is gone by the time it is loaded."""
    isl = built(tmp_path, "libisl.so.99", 'extern "C" int isl() { return 1; }', "-Wl,-soname,libisl.so.99")
    plugin = built(tmp_path, "plugin.so", 'extern "C" int isl(); int f() { return isl(); }', str(isl))
    isl.unlink()
    done = command("check", str(KERNEL), TILEGUARD_LIBRARY=str(plugin))
    assert_one_sentence(done, "libisl.so.99", "apt-get install")


def test_plugin_for_another_tilelang(tmp_path: Path) -> None:
    source = 'extern "C" int gone(); static int now = gone();'
    plugin = built(tmp_path, "plugin.so", source, "-Wl,-z,now")
    assert_one_sentence(command("check", str(KERNEL), TILEGUARD_LIBRARY=str(plugin)), "gone", "make build")


def test_plugin_of_another_version(tmp_path: Path) -> None:
    plugin = built(tmp_path, "plugin.so", "int nothing;")
    done = command("check", str(KERNEL), TILEGUARD_LIBRARY=str(plugin))
    assert_one_sentence(done, tileguard.__version__, "make build")


def test_shipped_plugin_has_no_run_path() -> None:
    """TileLang's libraries are loaded already; a path of the build machine must not travel with the plugin."""
    text = subprocess.run(
        ["readelf", "-d", _lib.find_library()], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    assert "libisl" in text
    assert "RPATH" not in text and "RUNPATH" not in text


def test_help_needs_no_plugin(tmp_path: Path) -> None:
    done = command("--help", TILEGUARD_LIBRARY=str(tmp_path / "none.so"))
    assert done.returncode == 0
    assert "check" in done.stdout and "diff" in done.stdout
