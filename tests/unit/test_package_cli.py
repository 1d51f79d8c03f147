"""`tileguard check`, `run` and `diff`, as a user calls them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAD = "import tilelang, tilelang.language as T\nfrom tests.unit.kernels import ragged_add, beyond_the_end\n"


def command(*args: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tileguard", *map(str, args)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture
def kernels_file(tmp_path: Path) -> Path:
    """Two kernels: one that needs guards, one that is always wrong; and things that are no kernels."""
    file = tmp_path / "mine.py"
    file.write_text(HEAD + "make_good = None\ndef make():\n    return ragged_add()\nbad = beyond_the_end()\nsize = 3\n")
    return file


def test_check_of_a_good_kernel(kernels_file: Path) -> None:
    done = command("check", f"{kernels_file}::make")
    assert done.returncode == 0, done.stderr
    assert "Guarded" in done.stdout and "OutOfBounds" not in done.stdout


def test_check_fails_on_out_of_bounds(kernels_file: Path) -> None:
    done = command("check", kernels_file)
    assert done.returncode == 1, done.stderr
    assert "Guarded" in done.stdout and "OutOfBounds" in done.stdout
    assert command("check", f"{kernels_file}::bad").returncode == 1


def test_check_takes_a_target(kernels_file: Path) -> None:
    done = command("check", f"{kernels_file}::make", "--target", '{"kind": "cuda", "arch": "sm_80"}')
    assert done.returncode == 0, done.stderr
    assert command("check", f"{kernels_file}::make", "--target", "c").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("check", "none.py"), "no file none.py"),
        (("check", "::add"), "names no file"),
        (("run", "none.py"), "no file none.py"),
        (("check", "{file}::absent"), "has no absent"),
        (("check", "{file}::size"), "int is neither a PrimFunc"),
        (("check", "{file}", "--target", "abacus"), "'abacus' is not a target"),
        (("diff", "{file}", "--target", "{bad"), "--target is not JSON"),
    ],
)
def test_bad_request_is_one_sentence(arguments: tuple[str, ...], words: str, kernels_file: Path) -> None:
    done = command(*(word.replace("{file}", str(kernels_file)) for word in arguments))
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_broken_file_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("1 / 0\n")
    done = command("check", file)
    assert (done.returncode, len(done.stderr.strip().splitlines())) == (2, 1)
    assert "ZeroDivisionError" in done.stderr
    file.write_text("nothing = 1\n")
    assert "holds no kernel" in command("check", file).stderr


def test_run_gives_the_script_its_arguments_and_the_pass(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys, tileguard\nprint(sys.argv[1:], __name__, tileguard.is_installed())\nsys.exit(5)\n")
    done = command("run", script, "--target", "-x", "1")
    assert done.stdout.strip() == "['--target', '-x', '1'] __main__ True"
    assert done.returncode == 5


def test_run_computes_right_on_a_ragged_shape(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    body = """
        import torch
        kernel = tilelang.compile(ragged_add(), target="c", execution_backend="cython")
        a, c = torch.arange(131, dtype=torch.float32), torch.zeros(131)
        kernel(a, c)
        print("right" if torch.equal(c, a + 1) else "wrong")
    """
    script.write_text(HEAD + textwrap.dedent(body))
    done = command("run", script)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "right"


def test_diff(tmp_path: Path) -> None:
    """A kernel without a guard lowers to the same code; two guards of TileLang's on one condition do not."""
    file = tmp_path / "mine.py"
    file.write_text(HEAD + "same = ragged_add(tile=128, size=1024)\n")
    done = command("diff", f"{file}::same")
    assert (done.returncode, done.stdout.strip()) == (0, "same: the same code")
    file.write_text(HEAD + "other = ragged_add()\n")
    done = command("diff", f"{file}::other")
    assert done.returncode in {0, 1}, done.stderr
    if done.returncode == 1:
        assert done.stdout.startswith("--- other with TileLang\n+++ other with TileGuard\n@@")
