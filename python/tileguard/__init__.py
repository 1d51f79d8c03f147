"""TileGuard: proves TileLang's memory accesses in bounds and guards exactly the others.

Importing this is cheap; the first use loads TileLang and the plugin (`load()` does so by hand) and raises
TileGuardError, one sentence, when that cannot be.
"""

from tileguard import transform
from tileguard._lib import TileGuardError, load
from tileguard._version import __version__
from tileguard.analysis import analyze
from tileguard.hook import install, installed, is_installed, uninstall
from tileguard.report import Access, CounterExample, FunctionReport, Report

__all__ = [
    "Access",
    "CounterExample",
    "FunctionReport",
    "Report",
    "TileGuardError",
    "__version__",
    "analyze",
    "install",
    "installed",
    "is_installed",
    "load",
    "transform",
    "uninstall",
]
