"""Backgammon without the doubling cube: rules, notation, and the position IDs of other programs."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.games.backgammon.board import Move, Roll, Step, View, make_view
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
    "View",
    "make_view",
    "to_gnubg_id",
    "to_position_id",
    "to_xgid",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
