"""Environments for reinforcement learning: PettingZoo, Gymnasium, and many games at once.

Importing this package registers `ludus/NineMensMorris-v1`, `ludus/Backgammon-v1` and so on with
Gymnasium, where that is installed.
"""

import lazy_loader

from ludus.envs.factory import register_envs

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

register_envs()
