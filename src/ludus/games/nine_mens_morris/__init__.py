"""Nine Men's Morris: rules as a value, positions in readable Python and in native code."""

from ludus.games.nine_mens_morris.board import PASS, POINTS, SYMMETRIES, Move, mills, neighbours
from ludus.games.nine_mens_morris.game import NineMensMorris
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
