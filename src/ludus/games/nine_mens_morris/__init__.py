"""Nine Men's Morris: rules as a value, positions in readable Python and in native code."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.games.nine_mens_morris.batch import (
        DRAW,
        DRAWN,
        LOSS,
        RESULT_NAMES,
        WIN,
        PositionBatch,
        classify,
        generate_moves,
        keeps_value,
        moves_to_points,
        pack_moves,
        points_to_moves,
        unpack_moves,
    )
    from ludus.games.nine_mens_morris.board import PASS, POINTS, SYMMETRIES, Move, mills, neighbours
    from ludus.games.nine_mens_morris.game import NineMensMorris
    from ludus.games.nine_mens_morris.notation import (
        PositionFields,
        to_playok_move,
        to_sanmill,
        to_text,
        to_thesis,
        to_thesis_move,
    )
    from ludus.games.nine_mens_morris.position import MorrisPosition
    from ludus.games.nine_mens_morris.rules import PRESETS, Rules

__all__ = [
    "DRAW",
    "DRAWN",
    "LOSS",
    "PASS",
    "POINTS",
    "PRESETS",
    "RESULT_NAMES",
    "SYMMETRIES",
    "WIN",
    "MorrisPosition",
    "Move",
    "NineMensMorris",
    "PositionBatch",
    "PositionFields",
    "Rules",
    "classify",
    "generate_moves",
    "keeps_value",
    "mills",
    "moves_to_points",
    "neighbours",
    "pack_moves",
    "points_to_moves",
    "to_playok_move",
    "to_sanmill",
    "to_text",
    "to_thesis",
    "to_thesis_move",
    "unpack_moves",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
