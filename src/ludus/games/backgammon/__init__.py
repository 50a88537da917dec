"""Backgammon without the doubling cube: rules, notation, and the IDs other programs use."""

from ludus.games.backgammon.game import Backgammon
from ludus.games.backgammon.gnubg import gnubg_id, position_id
from ludus.games.backgammon.moves import Move, Roll, Step
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.rules import Rules
from ludus.games.backgammon.xgid import xgid

__all__ = [
    "Backgammon",
    "Move",
    "Position",
    "Roll",
    "Rules",
    "Step",
    "gnubg_id",
    "position_id",
    "xgid",
]
