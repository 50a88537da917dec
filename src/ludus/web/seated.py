"""Players in a worker process: one for all games, or one for each game that it plays.

A player that overrides neither `begin` nor `end` keeps nothing from move to move: one object plays
all games, and each move has a seed of its own. Any other gets an object for each game, which
begins once. Where that is not at hand, because the server was started again or another process is
asked, a new one is shown the game so far: it chooses in a hurry, and what it says is not heard.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ludus.core.limit import Limit
from ludus.core.player import Player
from ludus.core.spec import parse_spec
from ludus.players import PLAYERS
from ludus.players import player as named_player
from ludus.web.positions import game_of, position_of

Job = Mapping[str, Any]

MAX_PLAYERS = 12
"""Players for all games that are kept ready; networks and searches take a while to make."""

MAX_SEATED = 48
"""Players of one game each that are kept; those of games that rest make room."""

HURRY = Limit(time=0.01, nodes=1, depth=1)
"""For choices that are not heard."""

_shared: OrderedDict[tuple[str, str, str], Player] = OrderedDict()
_seated: "OrderedDict[tuple[str, int, str], Seated]" = OrderedDict()


@dataclass(slots=True)
class Seated:
    """A player of one game."""

    player: Player
    moves: tuple[str, ...]
    """The game as far as it has seen it, its own last move included."""


def player_of(job: Job, side: int) -> Player:
    """The player a job asks, ready to choose for this side."""
    kind = PLAYERS[parse_spec(job["player"]).name]
    if "table" not in job or not keeps_something(kind):
        player = _shared_player(job)
        player.begin(job["seed"])
        return player
    key = (job["table"], side, job["player"])
    moves = tuple(job["moves"])
    seated = _seated.get(key)
    if seated is None or moves[: len(seated.moves)] != seated.moves:
        seated = _seated[key] = Seated(_shown(job, side), moves)
    _seated.move_to_end(key)
    while len(_seated) > MAX_SEATED:
        _seated.popitem(last=False)
    return seated.player


def has_moved(job: Job, side: int, move: str) -> None:
    """Remember how far a player has come in its game."""
    seated = _seated.get((job.get("table", ""), side, job["player"]))
    if seated is not None:
        seated.moves = (*job["moves"], move)


def leave(job: Job, side: int) -> None:
    """The game is over; its player is not needed any more."""
    _seated.pop((job["table"], side, job["player"]), None)


def keeps_something(kind: type[Player]) -> bool:
    """Whether a player keeps something from one move of a game to the next."""
    return kind.begin is not Player.begin or wants_results(kind)


def wants_results(kind: type[Player]) -> bool:
    """Whether a player wants to know how its games end."""
    return kind.end is not Player.end


def _shared_player(job: Job) -> Player:
    key = (job["game"], job["rules"], job["player"])
    if key not in _shared:
        _shared[key] = named_player(job["player"], game_of(job["game"], job["rules"]))
    _shared.move_to_end(key)
    while len(_shared) > MAX_PLAYERS:
        _shared.popitem(last=False)
    return _shared[key]


def _shown(job: Job, side: int) -> Player:
    """A new player that has been shown the game so far."""
    player = named_player(job["player"], game_of(job["game"], job["rules"]))
    player.begin(job["begin"])
    for size in range(len(job["moves"])):
        position = position_of({**job, "moves": job["moves"][:size]})
        if position.mover == side:
            player.choose(position, HURRY)
    return player
