"""Noughts and crosses, on boards of several sizes."""

from ludus.games.noughts_and_crosses.game import NoughtsAndCrosses
from ludus.games.noughts_and_crosses.position import Move, Position
from ludus.games.noughts_and_crosses.rules import Rules

__all__ = ["Move", "NoughtsAndCrosses", "Position", "Rules"]
