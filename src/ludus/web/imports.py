"""Pasted texts and files: games as this library or other programs write them, or a position."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from ludus.core.errors import BadRecord, LudusError, check_length
from ludus.core.game import AnyGame
from ludus.core.record import Record
from ludus.games import GAMES, registered_game
from ludus.games.game_files import find_parser, parse_games
from ludus.web.errors import RequestRefused
from ludus.web.game_tree import GameTree
from ludus.web.schemas.games import ImportView

RECORD_START = re.compile(r"[\[{]|[0-9]+\.")
"""A header, a comment or a move number."""


def read_record(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return the game that a record holds: its rules, headers and moves, parents first."""
    record = Record.parse(job["text"])
    name = record.headers.get("Game", job["game"])
    rules = record.headers.get("Rules", job["rules"] if name == job["game"] else "")
    check_length(f"{name}:{rules}", BadRecord)
    game = registered_game(name, rules)
    tree = GameTree(game, record.replay(game)[0])
    last = tree.add_line(record.line, 0, job["max_nodes"])
    return {
        "game": (game.id, rules),
        "headers": dict(record.headers),
        "start": str(tree.nodes[0].position),
        "comment": record.line.comment,
        "last": last,
        "nodes": [(node.parent, node.text, node.comment) for node in tree.nodes[1:]],
    }


def read_import(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return the game or position that a text holds; the current game is tried first."""
    return _read_import(job["text"].strip(), job["game"], job["rules"]).model_dump()


def _read_import(text: str, game: str, rules: str) -> ImportView:
    if not text:
        raise RequestRefused("paste a game or a position first")
    record = _parse_record(text)
    current = registered_game(game, rules)
    own = _read_record(record, current, rules, text) if RECORD_START.match(text) else None
    if read := own or _read_games(text):
        return read
    specs = [(game, rules), *((name, "") for name in GAMES if name != game)]
    readers = (partial(_read_record, record), _read_position)
    for reader in readers if RECORD_START.match(text) else readers[::-1]:
        for name, rules in specs:
            found = reader(registered_game(name, rules), rules, text)
            if found is not None:
                return found
    raise RequestRefused(_describe_problem(record, text, current))


def _parse_record(text: str) -> Record | LudusError:
    """Parse a text once for all games; return why it is no record."""
    try:
        return Record.parse(text)
    except LudusError as error:
        return error


MAX_GAMES = 100
"""Games of one file that are imported."""


def _read_games(text: str) -> ImportView | None:
    """Return the games of a text with several records, or of another program."""
    is_other_format = find_parser(text) is not None
    if not is_other_format and text.count("[Game ") < 2:
        return None
    try:
        records = parse_games(text)[:MAX_GAMES]
        for record in records:
            record.replay(registered_game(record.headers["Game"], record.headers.get("Rules", "")))
    except (LudusError, KeyError) as error:
        if not is_other_format:
            return None
        raise RequestRefused(f"this file of games cannot be read: {error}") from error
    if not records:
        return None
    first, *more = map(str, records)
    headers = records[0].headers
    return ImportView(game=headers["Game"], rules=headers.get("Rules", ""), record=first, more=more)


def _read_record(
    record: Record | LudusError, game: AnyGame, rules: str, text: str
) -> ImportView | None:
    if isinstance(record, LudusError):
        return None
    try:
        name = record.headers.get("Game", game.id)
        named = game if name == game.id else registered_game(name, record.headers.get("Rules", ""))
        is_game = len(record.replay(named)) > 1 or bool(record.headers)
    except LudusError:
        return None
    return ImportView(game=named.id, rules=rules, record=text) if is_game else None


def _read_position(game: AnyGame, rules: str, text: str) -> ImportView | None:
    try:
        position = game.parse(text)
    except LudusError:
        return None
    return ImportView(game=game.id, rules=rules, position=str(position))


def _describe_problem(record: Record | LudusError, text: str, game: AnyGame) -> str:
    """Return what is wrong, in the words of the kind of text that it looks like."""
    try:
        if RECORD_START.match(text) or len(text.split()) > 1:
            if isinstance(record, LudusError):
                raise record
            record.replay(game)
        else:
            game.parse(text)
    except LudusError as error:
        return f"this is neither a game nor a position that can be read here: {error}"
    return "this is neither a game nor a position that can be read here"
