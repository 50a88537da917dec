"""Noughts and crosses, on boards of several sizes."""

from ludus.games.noughts_and_crosses.game import Move, NoughtsAndCrosses, Position, Rules

__all__ = ["Move", "NoughtsAndCrosses", "Position", "Rules"]
