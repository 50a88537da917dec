"""Hexapawn, on boards of several sizes."""

from ludus.games.hexapawn.game import Hexapawn
from ludus.games.hexapawn.position import Move, Position
from ludus.games.hexapawn.rules import Rules

__all__ = ["Hexapawn", "Move", "Position", "Rules"]
