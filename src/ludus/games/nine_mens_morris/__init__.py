"""Nine Men's Morris: the rules as a value, in readable Python and as a compiled twin."""

from ludus.games.nine_mens_morris.board import POINTS, SYMMETRIES, mills, neighbours
from ludus.games.nine_mens_morris.game import NineMensMorris
from ludus.games.nine_mens_morris.move import PASS, Move
from ludus.games.nine_mens_morris.notation import (
    to_playok_move,
    to_sanmill,
    to_text,
    to_thesis,
    to_thesis_move,
)
from ludus.games.nine_mens_morris.rules import PRESETS, Rules

__all__ = [
    "PASS",
    "POINTS",
    "PRESETS",
    "SYMMETRIES",
    "Move",
    "NineMensMorris",
    "Rules",
    "mills",
    "neighbours",
    "to_playok_move",
    "to_sanmill",
    "to_text",
    "to_thesis",
    "to_thesis_move",
]
