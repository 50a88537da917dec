"""A tournament as a value, its schedule, and the TOML file that describes it."""

import dataclasses
import hashlib
import json
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, get_args

from ludus.arena.jobs import (
    DEFAULT_GRACE,
    GameConditions,
    Job,
    JobKey,
    StartPositions,
    normalize_start,
    schedule_starts,
)
from ludus.core.errors import BadSpec, LudusError, quote_value
from ludus.core.files import quote_path, read_text
from ludus.core.game import AnyGame, identify_rules
from ludus.core.match import MAX_PLIES
from ludus.core.player import Limit, check_seed
from ludus.core.spec import check_choice, check_ranges, parse_spec
from ludus.games import GAMES
from ludus.games import game as named_game
from ludus.players import PLAYERS
from ludus.players import player as named_player

TournamentFormat = Literal["round_robin", "gauntlet"]
Starter = Literal["alternate", "fixed"]

MAX_GAMES = 10_000_000
DEFAULT_GAMES = 100


@dataclass(frozen=True, slots=True)
class Tournament:
    """Everything that determines the games of a tournament."""

    conditions: GameConditions
    players: tuple[str, ...]
    """Player specs without repeats."""

    games: int = DEFAULT_GAMES
    """Games per pair."""

    seed: int = 0
    format: TournamentFormat = "round_robin"
    """All pairs of players, or the first player against each of the others."""

    starter: Starter = "alternate"
    """The player that begins: both of a pair in turn, or always the one listed first."""

    starts: StartPositions = StartPositions()  # noqa: RUF009 - frozen
    name: str = ""

    def __post_init__(self) -> None:
        if len(self.players) < 2:
            shown = quote_value(self.players)
            raise BadSpec(f"a tournament needs at least 2 different players, not {shown}")
        check_ranges(self, games=(1, MAX_GAMES))
        check_seed(self.seed)
        check_choice("there is no format", self.format, get_args(TournamentFormat), BadSpec)
        check_choice("there is no starter", self.starter, get_args(Starter), BadSpec)

    @property
    def id(self) -> str:
        """Hash of everything that determines a game between two given players.

        The players and the number of games are left out: after adding some, the finished games
        still count. Any other change makes another tournament.
        """
        text = json.dumps([*self._identity_fields().values()], sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def settings(self) -> str:
        """Return what the id is a hash of, as readable JSON for the store."""
        return json.dumps({"name": self.name, **self._identity_fields()})

    def pairs(self) -> list[tuple[str, str]]:
        """Return the pairs of players that meet."""
        if self.format == "gauntlet":
            return [(self.players[0], other) for other in self.players[1:]]
        return list(combinations(self.players, 2))

    @property
    def num_games(self) -> int:
        return self.games * len(self.pairs())

    def schedule(self) -> Iterator[Job]:
        """Yield every game, in rounds, so that an interrupted tournament has treated all pairs
        alike.

        With alternating starters both sides of a start position are played, and every pair gets the
        same start positions.
        """
        game = named_game(self.conditions.game, self.conditions.rules)
        identity, pairs = self.id, self.pairs()
        is_alternating = self.starter == "alternate"
        games = schedule_starts(game, self.starts, self.seed, self.games, is_alternating)
        for number, is_swapped, start in games:
            for first, second in pairs:
                yield Job(
                    JobKey(identity, first, second, number), self.conditions, is_swapped, start
                )

    def _identity_fields(self) -> dict[str, Any]:
        game = named_game(self.conditions.game, self.conditions.rules)
        return {
            "game": game.id,
            "rules": identify_rules(game.rules),
            "limit": dataclasses.asdict(self.conditions.limit),
            "grace": self.conditions.grace,
            "max_plies": self.conditions.max_plies,
            "seed": self.seed,
            "starter": self.starter,
            "starts": dataclasses.asdict(self.starts),
        }


MAX_NUMBER = 2**62
MAX_FILE_CHARACTERS = 10_000_000


class BadTournament(LudusError):
    """A file is not a valid tournament."""


def read_tournament(
    path: Path | str, *, builds_players: bool = True, modules: Collection[str] = ()
) -> Tournament:
    """Read a tournament from a TOML file, described in docs/tournaments.md; reject unknown keys.

    Players are built to check that they can play. Without `builds_players` they are not: to show
    results, no program is started and no weights are needed. The file may name classes of these
    `modules` alone, as `module:Class`: it never has others imported.
    """
    path = Path(path)
    shown = quote_path(path)
    try:
        fields = tomllib.loads(read_text(path, MAX_FILE_CHARACTERS, BadTournament))
    except (ValueError, RecursionError) as error:  # a number of too many digits is a ValueError
        raise BadTournament(f"{shown} is not TOML: {error}") from error
    try:
        return _parse_tournament(fields, path.parent, builds_players, modules)
    except LudusError as error:
        raise BadTournament(f"{shown}: {error}") from error


def _parse_tournament(
    fields: Mapping[str, Any], folder: Path, builds_players: bool, modules: Collection[str]
) -> Tournament:
    keys = ("name", "game", "rules", "players", "games", "seed", "format", "starter", "max_plies")
    _check_keys(fields, (*keys, "limit", "starts"), "a tournament")
    rules = _get_value(fields, "rules", str, "")
    name = _get_required(fields, "game", str)
    GAMES.check_file_spec(name, modules)
    game = named_game(name, rules)
    limit = _get_value(fields, "limit", dict, {})
    _check_keys(limit, ("time", "nodes", "depth", "grace"), "limit")
    conditions = GameConditions(
        name,
        rules,
        Limit(
            time=_get_value(limit, "time", float, None),
            nodes=_get_value(limit, "nodes", int, None),
            depth=_get_value(limit, "depth", int, None),
        ),
        _get_value(limit, "grace", float, DEFAULT_GRACE),
        _get_value(fields, "max_plies", int, MAX_PLIES),
    )
    check_ranges(conditions, grace=(0, 3600), max_plies=(1, 1_000_000))
    starts = _parse_starts(_get_value(fields, "starts", dict, {}), game, folder)
    seed = _get_value(fields, "seed", int, 0)
    players = _parse_players(_get_required(fields, "players", list))
    if builds_players:
        for spec in players:  # an error here is better than a loss in every game
            PLAYERS.check_file_spec(spec, modules)
            starts.check_player(named_player(spec, game), seed)
    return Tournament(
        conditions=conditions,
        players=players,
        games=_get_value(fields, "games", int, DEFAULT_GAMES),
        seed=seed,
        format=_get_value(fields, "format", str, "round_robin"),
        starter=_get_value(fields, "starter", str, "alternate"),
        starts=starts,
        name=_get_value(fields, "name", str, ""),
    )


def _parse_players(specs: Iterable[Any]) -> tuple[str, ...]:
    """Return the specs without repeats."""
    found = []
    for spec in specs:
        if not isinstance(spec, str):
            raise BadSpec(f"players: {spec!r:.40} is not a text")
        parse_spec(spec)
        found.append(spec.strip())
    return tuple(dict.fromkeys(found))


def _parse_starts(fields: Mapping[str, Any], game: AnyGame, folder: Path) -> StartPositions:
    _check_keys(fields, ("positions", "file", "random_plies"), "starts")
    if "positions" in fields and "file" in fields:
        raise BadSpec("starts has positions or a file of them, not both")
    texts = _get_value(fields, "positions", list, [])
    where = "positions"
    if "file" in fields:
        path = folder / _get_value(fields, "file", str, "")
        texts = read_text(path, MAX_FILE_CHARACTERS, BadTournament).splitlines()
        where = quote_path(path)
    found = []
    for number, text in enumerate(texts, 1):
        if not isinstance(text, str):
            raise BadSpec(f"{where}: {text!r:.40} is not a text")
        try:
            found.append(normalize_start(game, text))
        except LudusError as error:
            raise BadSpec(f"{where}, line {number}: {error}") from error
    if not found and ("positions" in fields or "file" in fields):
        raise BadSpec(f"{where}: there is no position")
    return StartPositions(tuple(found), _get_value(fields, "random_plies", int, 0))


def _check_keys(fields: Mapping[str, Any], known: tuple[str, ...], owner: str) -> None:
    for key in fields:
        check_choice(f"{owner} has no key", key, known)


def _get_required(fields: Mapping[str, Any], key: str, kind: type) -> Any:
    if key not in fields:
        raise BadSpec(f"the key {key} is missing")
    return _get_value(fields, key, kind, None)


def _get_value(fields: Mapping[str, Any], key: str, kind: type, default: Any) -> Any:
    """Return a value of the given type, or the default; integers are converted to floats."""
    if key not in fields:
        return default
    value = fields[key]
    wanted: Any = (int, float) if kind is float else kind
    if not isinstance(value, wanted) or isinstance(value, bool):
        names = {str: "a text", int: "a whole number", float: "a number", list: "a list"}
        raise BadSpec(f"{key} = {value!r:.40} must be {names.get(kind, 'a table')}")
    if isinstance(value, int | float) and not abs(value) <= MAX_NUMBER:
        raise BadSpec(f"{key} = {value!r:.40} is out of range")
    return float(value) if kind is float else value
