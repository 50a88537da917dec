"""Packages that only some of Ludus needs, which the extras of `pip install` bring."""

from importlib import import_module
from typing import Any

from ludus.core.errors import LudusError

EXTRAS = {
    "matplotlib": "learn",
    "optuna": "learn",
    "scipy": "learn",
    "tensorboard": "learn",
    "torch": "learn",
    "ray": "cluster",
    "pyarrow": "data",
    "onnx": "onnx",
    "onnxscript": "onnx",
    "gymnasium": "rl",
    "pettingzoo": "rl",
    "mcp": "mcp",
    "pillow": "pictures",
    "resvg-py": "pictures",
    "bgsage": "backgammon",
}
"""The extra that brings each package (`project.optional-dependencies` in pyproject.toml)."""

PACKAGES = {"PIL": "pillow", "bgbot_cpp": "bgsage", "resvg_py": "resvg-py"}
"""The packages of modules that are named otherwise."""


class MissingPackage(LudusError):
    """An optional package is not installed; the message has the command that installs it."""


def require_package(module: str, purpose: str) -> Any:
    """Import and return a module of an optional package; MissingPackage if it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        package = PACKAGES.get(name, name)
        raise MissingPackage(
            f"{purpose} needs {package}: pip install 'ludus-games[{EXTRAS[package]}]'"
        ) from None
