"""Lists of moves of nine men's morris as PlayOK and Sanmill write them."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ludus.core.errors import BadRecord, LudusError, quote
from ludus.core.movetext import Line, Node
from ludus.core.record import Record
from ludus.games.nine_mens_morris.game import NineMensMorris
from ludus.games.nine_mens_morris.notation import parse_points
from ludus.games.registry import game as named_game

SITES: Final = ("PlayOK", "Sanmill")
"""What the header Site says."""

VARIANTS: Final[Mapping[str, str]] = {"": "", "nine men's morris": "", "lasker morris": "lasker"}
"""Our preset for each of Sanmill's names of rules."""

REPETITIONS: Final = (3, 0)
"""Sites draw a game at the third occurrence of a position, or leave that to the players."""

CAPTURE: Final = re.compile(r"(?<=[0-9])\s+(?=x(?:[a-g]?[0-9]))")
"""What lies between a move and the man it takes, where the two are written as two words."""

GLYPH: Final = re.compile(r"\s\$[0-9]+|(?<=[0-9])[!?]{1,2}(?=\s)")
"""Marks of moves, as PGN has them."""


OWN_POINT: Final = re.compile(r"[d-g]|^[0-9]")
"""What no move of noughts and crosses has."""


def is_move_list(text: str) -> bool:
    """Return whether a text names one of the sites, or has moves of this game and no headers."""
    head = text.lstrip()
    if head.startswith("["):
        return "[Game " not in head and any(f'[Site "{site}"]' in head for site in SITES)
    if not re.match(r"1\.\s", head):
        return False
    try:
        nodes = Record.parse_many(_join_words(head))[0].line.moves
        points = [parse_points(node.move) for node in nodes]
    except LudusError:
        return False
    is_placement = bool(points) and len(points[0]) == 1
    return is_placement and any(OWN_POINT.search(node.move) for node in nodes)


def parse_move_lists(text: str) -> list[Record]:
    """Parse the games of a text; their moves are written as ours as far as they are legal."""
    return [_complete(each) for each in Record.parse_many(_join_words(text))]


def _join_words(text: str) -> str:
    return CAPTURE.sub("", GLYPH.sub("", text))


def _complete(record: Record) -> Record:
    """Add the game and its rules, in which draws by repetition do not end it too early."""
    headers = dict(record.headers)
    variant = headers.pop("Variant", "")
    if variant.lower() not in VARIANTS:
        raise BadRecord(f"games of {quote(variant)} cannot be read; the rules differ from ours")
    if start := headers.pop("FEN", ""):
        headers["Start"] = start
    preset = VARIANTS[variant.lower()]
    for repetition in REPETITIONS:
        game = named_game("nine_mens_morris", f"{preset},repetition={repetition}".lstrip(","))
        named = {"Game": game.id, "Rules": game.format_rules(game.rules)}
        completed = replace(record, headers={**named, **headers})
        try:
            return _rewrite(completed, game)
        except BadRecord:
            continue  # replaying it gives the error
    return completed


def _rewrite(record: Record, game: NineMensMorris) -> Record:
    """Write the moves as this library does."""
    positions = record.replay(game)
    nodes = tuple(
        Node(str(game.parse_move(node.move, position)), node.comment)
        for position, node in zip(positions, record.line.moves, strict=False)
    )
    return replace(record, line=Line(nodes, record.line.comment))
