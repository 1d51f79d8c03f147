"""Every option of the one table works as a pass-config key, an environment variable and a flag."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import tileguard
from tests.unit import kernels
from tests.unit.test_package_cli import HEAD
from tileguard import cli, lowering, options


def test_table_is_complete() -> None:
    assert options.table()
    for option in options.table():
        assert isinstance(option.default, option.type)
        assert option.help
        assert (option.key, option.env) == (f"tileguard.{option.name}", f"TILEGUARD_{option.name.upper()}")


def other_value(option: options.Option) -> Any:
    return {bool: lambda: not option.default, int: lambda: int(option.default) + 1, str: lambda: "global,shared"}[
        option.type
    ]()


@pytest.mark.parametrize("option", options.table(), ids=lambda option: option.name)
def test_pass_config_key_is_known_to_tvm(option: options.Option) -> None:
    tileguard.analyze(kernels.ragged_add(), pass_configs={option.key: other_value(option)})
    with pytest.raises(tileguard.TileGuardError):
        tileguard.analyze(kernels.ragged_add(), pass_configs={option.key + "_misspelt": other_value(option)})


def reasons(**configs: Any) -> set[str | None]:
    """Why accesses of a kernel whose proof takes integer sets are Unknown; {None} when none is."""
    module = lowering.module_at_pass(kernels.padded_fill())
    return {access.reason for access in tileguard.analyze(module, pass_configs=configs).accesses}


def test_key_and_variable_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when the variable is set after the plugin was loaded; a key comes before a variable."""
    assert reasons() == {None}
    assert "Quota" in reasons(**{"tileguard.budget_access": 1})
    monkeypatch.setenv("TILEGUARD_BUDGET_ACCESS", "1")
    assert "Quota" in reasons()
    assert reasons(**{"tileguard.budget_access": 100000}) == {None}


def test_flag_sets_the_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(HEAD + "kernel = ragged_add()\n")
    app = cli.make_app(options.table())
    for option in options.table():
        monkeypatch.setenv(option.env, "")  # so that monkeypatch takes away what the command sets
        monkeypatch.delenv(option.env)
        value = other_value(option)
        words = (
            [option.flag if value else f"--no-{option.flag[2:]}"] if option.type is bool else [option.flag, str(value)]
        )
        done = CliRunner().invoke(app, ["check", str(file), *words])
        assert done.exit_code == 0, (option.name, done.output)
        assert json.loads(options.environment()) == {option.name: value}
        monkeypatch.delenv(option.env)


def test_unknown_flag_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli.make_app(options.table()), ["check", str(tmp_path / "mine.py"), "--no-such-option"])
    assert done.exit_code == 2
