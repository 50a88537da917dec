"""The interfaces of games and players, match play, game records and shared utilities."""

from ludus.core.errors import (
    BadMove,
    BadPosition,
    BadRecord,
    BadSpec,
    LudusError,
    UnknownName,
    check_length,
    quote,
)
from ludus.core.game import CHANCE, AnyGame, Game, Move, Outcome, Position
from ludus.core.marks import NO_MARKS, Marks, Note, Picture
from ludus.core.match import PlayedGame, PlayedMove, play_game
from ludus.core.player import Choice, HasPictures, Limit, Player
from ludus.core.record import Line, Node, Record
from ludus.core.spec import check_fields

__all__ = [
    "CHANCE",
    "NO_MARKS",
    "AnyGame",
    "BadMove",
    "BadPosition",
    "BadRecord",
    "BadSpec",
    "Choice",
    "Game",
    "HasPictures",
    "Limit",
    "Line",
    "LudusError",
    "Marks",
    "Move",
    "Node",
    "Note",
    "Outcome",
    "Picture",
    "PlayedGame",
    "PlayedMove",
    "Player",
    "Position",
    "Record",
    "UnknownName",
    "check_fields",
    "check_length",
    "play_game",
    "quote",
]
