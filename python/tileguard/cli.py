"""The command line: `tileguard check`, `tileguard run`, `tileguard diff`.

Exit status: 0 as asked, 1 `check` found an access that is always out of bounds or `diff` found a difference,
2 the request could not be carried out (one sentence on standard error says why).
"""

from __future__ import annotations

import difflib
import inspect
import json
import os
import runpy
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from tileguard import analysis, hook, lowering, options, sources
from tileguard._lib import TileGuardError
from tileguard._version import __version__

FILE = typer.Argument(metavar="FILE[::NAME]", help="A Python file, and the kernel or maker of one in it.")
TARGET = typer.Option(
    help='What to lower for: a name such as c, or JSON such as \'{"kind": "cuda", "arch": "sm_80"}\'.'
)


def check(file: Annotated[str, FILE], target: Annotated[str | None, TARGET] = None) -> int:
    """Say of every access whether it is proved, guarded or out of bounds."""
    wanted, sound = _target(target), True
    for name, kernel in sources.kernels(file):
        report = analysis.analyze(
            kernel.func, wanted if wanted is not None else kernel.target, pass_configs=kernel.pass_configs
        )
        typer.echo(f"{name}\n{report}")
        sound = sound and report.ok
    return 0 if sound else 1


def diff(file: Annotated[str, FILE], target: Annotated[str | None, TARGET] = None) -> int:
    """Compare the code generated with TileLang's pass and with TileGuard's, as a unified diff."""
    wanted, same = _target(target), True
    for name, kernel in sources.kernels(file):
        chosen = wanted if wanted is not None else kernel.target
        theirs = lowering.source_with_tilelang(kernel.func, chosen, kernel.pass_configs)
        ours = lowering.source_with_tileguard(kernel.func, chosen, kernel.pass_configs)
        lines = difflib.unified_diff(
            theirs.splitlines(), ours.splitlines(), f"{name} with TileLang", f"{name} with TileGuard", lineterm=""
        )
        text = "\n".join(lines)
        same = same and not text
        typer.echo(text or f"{name}: the same code")
    return 0 if same else 1


def run(
    script: Annotated[Path, typer.Argument(help="A Python script.")],
    args: Annotated[list[str] | None, typer.Argument(help="Its arguments.")] = None,
) -> int:
    """Run a script with every TileLang pipeline using TileGuard's pass."""
    if not script.is_file():
        raise TileGuardError(f"There is no file {script}.")
    sys.argv = [str(script), *(args or [])]
    sys.path.insert(0, str(script.parent))
    with hook.installed():
        runpy.run_path(str(script), run_name="__main__")
    return 0


def _target(text: str | None) -> Any:
    if text is None or not text.lstrip().startswith("{"):
        return text
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise TileGuardError(f"--target is not JSON: {error}.") from error


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tileguard {__version__}")
        raise typer.Exit


VERSION = typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")


def _root(version: Annotated[bool, VERSION] = False) -> None:
    """Proves TileLang's memory accesses in bounds and guards exactly the others."""


def _with_options(command: Callable[..., int], table: Sequence[options.Option]) -> Callable[..., None]:
    """The command with a flag for each option of the table; a flag sets the option's environment variable."""

    def wrapper(**arguments: Any) -> None:
        for option in table:
            value = arguments.pop(option.name)
            if value is not None:
                os.environ[option.env] = str(int(value)) if option.type is bool else str(value)
        raise typer.Exit(command(**arguments))

    flags = [
        inspect.Parameter(
            option.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[option.type | None, typer.Option(help=f"{option.help} Default: {option.default}.")],
        )
        for option in table
    ]
    own = inspect.signature(command, eval_str=True)
    parameters = [*own.parameters.values(), *flags]
    wrapper.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    )
    wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    wrapper.__doc__ = command.__doc__
    return wrapper


def make_app(table: Sequence[options.Option]) -> typer.Typer:
    """The command line with the flags of an option table."""
    app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
    app.callback()(_root)
    app.command("check")(_with_options(check, table))
    app.command("diff")(_with_options(diff, table))
    # What follows the script is the script's, whatever it looks like.
    passes_on = {"ignore_unknown_options": True, "allow_interspersed_args": False}
    app.command("run", context_settings=passes_on)(_with_options(run, table))
    return app


def main() -> None:
    """Entry point of the `tileguard` command."""
    try:
        # Only a command needs the plugin; without one there is nothing but help and version to say.
        needs_plugin = any(not word.startswith("-") for word in sys.argv[1:])
        make_app(options.table() if needs_plugin else ())()
    except TileGuardError as error:
        typer.echo(f"tileguard: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
