"""Games, positions and players that a worker process caches between jobs."""

import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from cachetools import LRUCache

from ludus.core.errors import BadSpec, quote
from ludus.core.player import Limit, Player
from ludus.core.spec import add_options, parse_spec
from ludus.games import registered_game
from ludus.players import PLAYERS
from ludus.players import player as named_player

MAX_CACHED_POSITIONS = 256
"""Positions kept, so that the next move of a game needs no replay."""

Job = Mapping[str, Any]

_positions: LRUCache[tuple[str, ...], Any] = LRUCache(MAX_CACHED_POSITIONS)


load_game = lru_cache(maxsize=64)(registered_game)
"""Returns a game by its name and rules."""


def load_position(job: Job) -> Any:
    """Return the position of a job.

    A job holds a start position and the moves since, because repetition rules depend on the
    history.
    """
    game = load_game(job["game"], job["rules"])
    key = (job["game"], job["rules"], job["start"])
    moves = tuple(job["moves"])
    num_cached = next(
        (size for size in range(len(moves), -1, -1) if (*key, *moves[:size]) in _positions), None
    )
    position = (
        game.parse(job["start"]) if num_cached is None else _positions[(*key, *moves[:num_cached])]
    )
    for text in moves[num_cached or 0 :]:
        position = position.play(game.parse_move(text, position))
    _positions[(*key, *moves)] = position
    return position


MAX_SHARED_PLAYERS = 12
"""Cached stateless players; networks and searches are slow to construct."""

MAX_SESSION_PLAYERS = 48
"""Cached stateful players, one game each; the least recently used are evicted."""

REPLAY_LIMIT = Limit(time=0.01, nodes=1, depth=1)
"""Limit for choices that are discarded during a replay."""

_shared_players: LRUCache[tuple[str, str, str], Player] = LRUCache(MAX_SHARED_PLAYERS)
_session_players: "LRUCache[tuple[str, int, str], SessionPlayer]" = LRUCache(MAX_SESSION_PLAYERS)


@dataclass(slots=True)
class SessionPlayer:
    """Stateful player of one game."""

    player: Player
    moves: tuple[str, ...]
    """Moves the player knows, including its own last move."""


def load_player(job: Job, side: int) -> Player:
    """Return the player of a job, ready to choose a move for this side.

    A player that overrides neither `start_game` nor `finish_game` is stateless: one object is
    shared by all games, and each move has its own seed. Any other player gets one object per game,
    on which `start_game` is called once. If that object is not cached (server restart, other
    process), a new one replays the game so far with `REPLAY_LIMIT`, and its choices are discarded.
    """
    kind = PLAYERS[parse_spec(job["player"]).name]
    if "session" not in job or not is_stateful(kind):
        player = _load_shared_player(job)
        player.start_game(job["seed"])
        return player
    key = (job["session"], side, job["player"])
    moves = tuple(job["moves"])
    session_player = _session_players.get(key)
    if session_player is None or moves[: len(session_player.moves)] != session_player.moves:
        session_player = _session_players[key] = SessionPlayer(_replay_game(job, side), moves)
    return session_player.player


def record_move(job: Job, side: int, move: str) -> None:
    """Record the moves that a session player knows."""
    session_player = _session_players.get((job.get("session", ""), side, job["player"]))
    if session_player is not None:
        session_player.moves = (*job["moves"], move)


def drop_player(job: Job, side: int) -> None:
    """Remove the player of a finished game."""
    _session_players.pop((job["session"], side, job["player"]), None)


def is_stateful(kind: type[Player]) -> bool:
    """Return whether a player keeps state between the moves of a game."""
    return kind.start_game is not Player.start_game or wants_results(kind)


def wants_results(kind: type[Player]) -> bool:
    """Return whether a player overrides `finish_game` and so needs the outcomes of its games."""
    return kind.finish_game is not Player.finish_game


def _load_shared_player(job: Job) -> Player:
    key = (job["game"], job["rules"], job["player"])
    if key not in _shared_players:
        _shared_players[key] = _build_player(job)
    return _shared_players[key]


def _build_player(job: Job) -> Player:
    """Return a new player; options that are free text are refused but for the owner's player.

    Such options name programs and files. A spec may come from a request or from a stranger's file
    of games, and neither may start a program or choose a file.
    """
    if job["player"] == job.get("own_player"):
        return named_player(job["player"], load_game(job["game"], job["rules"]))
    spec = parse_spec(job["player"])
    defaults = PLAYERS[spec.name].options
    hints = {} if defaults is None else typing.get_type_hints(type(defaults))
    for option in spec.options:
        if hints.get(option) in (str, str | None):
            raise BadSpec(f"option {quote(option)} of {spec.name} cannot be set here")
    text = add_options(job["player"], PLAYERS[spec.name].page_options)
    return named_player(text, load_game(job["game"], job["rules"]))


def _replay_game(job: Job, side: int) -> Player:
    """Return a new player that has replayed the game so far."""
    player = _build_player(job)
    player.start_game(job["begin"])
    for size in range(len(job["moves"])):
        position = load_position({**job, "moves": job["moves"][:size]})
        if position.mover == side:
            player.choose(position, REPLAY_LIMIT)
    return player
