"""The interfaces of games and players, match play, game records and shared utilities."""

from ludus.core.errors import BadMove, BadPosition, BadRecord, BadSpec, LudusError, UnknownName
from ludus.core.game import CHANCE, AnyGame, Game, Move, Outcome, Position
from ludus.core.marks import NO_MARKS, Marks
from ludus.core.match import PlayedGame, PlayedMove, play_game
from ludus.core.player import Choice, Limit, Player
from ludus.core.record import Line, Node, Record

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
    "Limit",
    "Line",
    "LudusError",
    "Marks",
    "Move",
    "Node",
    "Outcome",
    "PlayedGame",
    "PlayedMove",
    "Player",
    "Position",
    "Record",
    "UnknownName",
    "play_game",
]
