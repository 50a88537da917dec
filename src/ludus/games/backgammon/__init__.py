"""Backgammon without the doubling cube: rules, notation, and the position IDs of other programs."""

from ludus.games.backgammon.board import Move, Roll, Step
from ludus.games.backgammon.game import Backgammon
from ludus.games.backgammon.notation import to_gnubg_id, to_position_id, to_xgid
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.rules import Rules

__all__ = [
    "Backgammon",
    "Move",
    "Position",
    "Roll",
    "Rules",
    "Step",
    "to_gnubg_id",
    "to_position_id",
    "to_xgid",
]
