"""Tournaments as TOML files; docs/tournaments.md describes them. What is unknown is refused."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

from ludus.arena.jobs import DEFAULT_GRACE, Conditions
from ludus.arena.starts import Starts, checked
from ludus.arena.tournament import DEFAULT_GAMES, Format, Starter, Tournament
from ludus.core.errors import BadSpec, LudusError, UnknownName, quoted
from ludus.core.game import AnyGame
from ludus.core.limit import Limit
from ludus.core.match import MAX_PLIES
from ludus.core.spec import suggestion
from ludus.games import game as named_game
from ludus.players import player as named_player

LARGEST_NUMBER = 2**62
MAX_FILE = 10_000_000


class BadTournament(LudusError):
    """A file is no tournament."""


def read_tournament(path: Path) -> Tournament:
    """The tournament that a file describes."""
    shown = quoted(str(path), 200)
    try:
        fields = tomllib.loads(_read(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadTournament(f"{shown} is not TOML: {error}") from error
    try:
        return _tournament(fields, path.parent)
    except LudusError as error:
        raise BadTournament(f"{shown}: {error}") from error


def _tournament(fields: Mapping[str, Any], folder: Path) -> Tournament:
    keys = ("name", "game", "rules", "players", "games", "seed", "format", "starter", "max_plies")
    _check_keys(fields, (*keys, "limit", "starts"), "a tournament")
    rules = _value(fields, "rules", str, "")
    game = named_game(_required(fields, "game", str), rules)
    limit = _value(fields, "limit", dict, {})
    _check_keys(limit, ("time", "nodes", "depth", "grace"), "limit")
    grace = float(_value(limit, "grace", float, DEFAULT_GRACE))
    max_plies = _number(fields, "max_plies", MAX_PLIES)
    if not 0 <= grace <= 3600:
        raise BadSpec(f"grace={grace} must be from 0 to 3600 seconds")
    if not 1 <= max_plies <= 1_000_000:
        raise BadSpec(f"max_plies={max_plies} must be from 1 to 1000000")
    return Tournament(
        conditions=Conditions(fields["game"], rules, _limit(limit), grace, max_plies),
        players=_players(_required(fields, "players", list), game),
        games=_number(fields, "games", DEFAULT_GAMES),
        seed=_number(fields, "seed", 0),
        format=_one_of(fields, "format", get_args(Format)),
        starter=_one_of(fields, "starter", get_args(Starter)),
        starts=_starts(_value(fields, "starts", dict, {}), game, folder),
        name=_value(fields, "name", str, ""),
    )


def _limit(fields: Mapping[str, Any]) -> Limit:
    seconds = _value(fields, "time", float, None)
    return Limit(
        time=None if seconds is None else float(seconds),
        nodes=_value(fields, "nodes", int, None),
        depth=_value(fields, "depth", int, None),
    )


def _players(specs: Iterable[Any], game: AnyGame) -> tuple[str, ...]:
    """Every player once, and each can be made: better an error now than a loss in every game."""
    found = []
    for spec in specs:
        if not isinstance(spec, str):
            raise BadSpec(f"players: {spec!r:.40} is not a text")
        named_player(spec, game)
        found.append(spec.strip())
    return tuple(dict.fromkeys(found))


def _starts(fields: Mapping[str, Any], game: AnyGame, folder: Path) -> Starts:
    _check_keys(fields, ("positions", "file", "random_plies"), "starts")
    if "positions" in fields and "file" in fields:
        raise BadSpec("starts has positions or a file of them, not both")
    texts = _value(fields, "positions", list, [])
    where = "positions"
    if "file" in fields:
        path = folder / _value(fields, "file", str, "")
        texts, where = _read(path).splitlines(), quoted(str(path), 200)
    found = []
    for number, text in enumerate(texts, 1):
        if not isinstance(text, str):
            raise BadSpec(f"{where}: {text!r:.40} is not a text")
        try:
            found.append(checked(game, text))
        except LudusError as error:
            raise BadSpec(f"{where}, line {number}: {error}") from error
    if not found and ("positions" in fields or "file" in fields):
        raise BadSpec(f"{where}: there is no position")
    return Starts(tuple(found), _number(fields, "random_plies", 0))


def _check_keys(fields: Mapping[str, Any], known: tuple[str, ...], owner: str) -> None:
    for key in fields:
        if key not in known:
            raise UnknownName(f"{owner} has no key {quoted(key)}{suggestion(key, known)}")


def _required(fields: Mapping[str, Any], key: str, kind: type) -> Any:
    if key not in fields:
        raise BadSpec(f"the key {key} is missing")
    return _value(fields, key, kind, None)


def _value(fields: Mapping[str, Any], key: str, kind: type, default: Any) -> Any:
    """A value of a type; a whole number will do where a number is wanted."""
    if key not in fields:
        return default
    value = fields[key]
    wanted = (int, float) if kind is float else kind
    if not isinstance(value, wanted) or isinstance(value, bool):
        names = {str: "a text", int: "a whole number", float: "a number", list: "a list"}
        raise BadSpec(f"{key} = {value!r:.40} must be {names.get(kind, 'a table')}")
    if isinstance(value, int | float) and not abs(value) <= LARGEST_NUMBER:
        raise BadSpec(f"{key} = {value!r:.40} is out of range")
    return value


def _number(fields: Mapping[str, Any], key: str, default: int) -> int:
    number: int = _value(fields, key, int, default)
    return number


def _one_of(fields: Mapping[str, Any], key: str, choices: tuple[str, ...]) -> Any:
    value = _value(fields, key, str, choices[0])
    if value not in choices:
        raise BadSpec(f"{key} = {quoted(value)} is unknown{suggestion(value, choices)}")
    return value


def _read(path: Path) -> str:
    shown = quoted(str(path), 200)
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(MAX_FILE + 1)
    except UnicodeDecodeError:
        raise BadTournament(f"{shown} is not valid UTF-8 text") from None
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise BadTournament(f"cannot read {shown}: {reason}") from error
    if len(text) > MAX_FILE:
        raise BadTournament(f"{shown} has more than {MAX_FILE} characters")
    return text
