"""Backgammon: rules, doubling cube and match play, notation, position IDs of other programs."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.games.backgammon.batch import apply_written_move, position_to_row, row_to_position
    from ludus.games.backgammon.board import Move, OpeningRoll, Roll, Step, View, make_view
    from ludus.games.backgammon.cube import (
        Chances,
        CubeEquities,
        evaluate_cube,
        match_winning_chance,
    )
    from ludus.games.backgammon.game import Backgammon
    from ludus.games.backgammon.position import Position
    from ludus.games.backgammon.position_ids import to_gnubg_id, to_position_id, to_xgid
    from ludus.games.backgammon.rules import Rules
    from ludus.games.backgammon.stakes import CubeAction, Stakes

__all__ = [
    "Backgammon",
    "Chances",
    "CubeAction",
    "CubeEquities",
    "Move",
    "OpeningRoll",
    "Position",
    "Roll",
    "Rules",
    "Stakes",
    "Step",
    "View",
    "apply_written_move",
    "evaluate_cube",
    "make_view",
    "match_winning_chance",
    "position_to_row",
    "row_to_position",
    "to_gnubg_id",
    "to_position_id",
    "to_xgid",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
