"""The version of the package; `pyproject.toml` and the plugin carry the same one (a test holds them together)."""

__version__ = "0.1.0"
