"""Hexapawn, on boards of several sizes."""

from ludus.games.hexapawn.game import Hexapawn, Move, Position, Rules

__all__ = ["Hexapawn", "Move", "Position", "Rules"]
