"""Environments for reinforcement learning: PettingZoo, Gymnasium, and many games at once.

Importing this package registers `ludus/NineMensMorris-v1`, `ludus/Backgammon-v1` and so on with
Gymnasium, where that is installed.
"""

from typing import Any

import lazy_loader

from ludus.core.extras import EXTRAS, require_package
from ludus.envs.factory import register_envs

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    try:
        return _load(name)
    except ModuleNotFoundError as error:
        if error.name in EXTRAS:
            require_package(error.name, f"ludus.envs.{name}")
        raise


register_envs()
