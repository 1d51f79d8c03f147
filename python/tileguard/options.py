"""The options, read from the one table in the plugin.

Each option `x` is a pass-config key `tileguard.x`, an environment variable `TILEGUARD_X` and a flag `--x`.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tileguard import _lib
from tileguard._lib import TileGuardError

Value = int | bool | str
_TYPES: dict[str, type[Value]] = {"int": int, "bool": bool, "str": str}
_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}


@dataclass(frozen=True)
class Option:
    """One row of the table."""

    name: str
    type: type[Value]
    default: Value
    help: str

    @property
    def key(self) -> str:
        """Its key in `pass_configs`."""
        return f"tileguard.{self.name}"

    @property
    def env(self) -> str:
        """Its environment variable."""
        return f"TILEGUARD_{self.name.upper()}"

    @property
    def flag(self) -> str:
        """Its flag on the command line."""
        return "--" + self.name.replace("_", "-")

    def parse(self, text: str, where: str) -> Value:
        """The value that `text` stands for; `where` names its origin in the error."""
        wanted = "true or false" if self.type is bool else "a whole number"
        word = text.strip().lower()
        if self.type is str:
            return text
        if self.type is bool and word in _TRUE | _FALSE:
            return word in _TRUE
        if self.type is int:
            try:
                return int(word)
            except ValueError:
                pass
        raise TileGuardError(f"{where} must be {wanted}, not {text!r}.")


@functools.cache
def table() -> tuple[Option, ...]:
    """Every option, in the order of the plugin's table."""
    return tuple(_option(row) for row in json.loads(str(_lib.function("tileguard.OptionsTable")())))


def _option(row: Mapping[str, str]) -> Option:
    # The table writes every default as text, as an environment variable would.
    option = Option(row["name"], _TYPES[row["type"]], row["default"], row["help"])
    return replace(option, default=option.parse(row["default"], f"The default of {option.key}"))


def environment(environ: Mapping[str, str] = os.environ) -> str:
    """The options set in the environment, checked, as one line; equal lines mean equal settings."""
    found = {option.name: option.parse(environ[option.env], option.env) for option in table() if option.env in environ}
    return json.dumps(found, sort_keys=True)
