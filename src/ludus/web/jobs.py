"""What the worker processes are asked: a player's choice, exact values, and puzzles.

A question and its answer are plain objects that JSON can hold. A position travels as the start of
its game and the moves since, because rules about repetition ask for the road.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any

from ludus.core.errors import LudusError
from ludus.core.game import AnyGame
from ludus.core.player import Player
from ludus.games import game as named_game
from ludus.players import player as named_player
from ludus.web.thoughts import thought_of

Job = Mapping[str, Any]

MAX_PLAYERS = 12
"""Players a worker keeps ready; networks and searches take a while to make."""

MAX_POSITIONS = 256
"""Positions a worker remembers, so that the next move of a game need not replay it."""

_players: OrderedDict[tuple[str, str, str], Player] = OrderedDict()
_positions: OrderedDict[tuple[str, ...], Any] = OrderedDict()
_thinking: list[Player] = []


@lru_cache(maxsize=64)
def game_of(name: str, rules: str) -> AnyGame:
    """A game by its name and rules."""
    return named_game(name, rules)


def position_of(job: Job) -> Any:
    """The position a job is about."""
    game = game_of(job["game"], job["rules"])
    key = (job["game"], job["rules"], job["start"])
    moves = tuple(job["moves"])
    known = next(
        (size for size in range(len(moves), -1, -1) if (*key, *moves[:size]) in _positions), None
    )
    position = game.parse(job["start"]) if known is None else _positions[(*key, *moves[:known])]
    for text in moves[known or 0 :]:
        position = position.play(game.parse_move(text, position))
    _positions[(*key, *moves)] = position
    while len(_positions) > MAX_POSITIONS:
        _positions.popitem(last=False)
    return position


def player_of(job: Job) -> Player:
    """The player a job asks, who may have played before."""
    key = (job["game"], job["rules"], job["player"])
    if key not in _players:
        _players[key] = named_player(job["player"], game_of(job["game"], job["rules"]))
    _players.move_to_end(key)
    while len(_players) > MAX_PLAYERS:
        _players.popitem(last=False)
    return _players[key]


def choose(job: Job) -> dict[str, Any]:
    """What a player plays, and what it thinks about it."""
    position, player = position_of(job), player_of(job)
    player.begin(job["seed"])
    _thinking.append(player)
    try:
        choice = player.choose(position)
    finally:
        _thinking.clear()
    if choice.move not in position.legal_moves():
        raise LudusError(f"{job['player']} wants to play {choice.move}, which is not legal")
    return {"move": str(choice.move), **thought_of(player, position, choice)}


def thinking() -> Player | None:
    """The player who is at work, asked from another thread."""
    return next(iter(_thinking), None)


def _elsewhere(module: str, name: str) -> Callable[[Job], dict[str, Any]]:
    """A job whose module is loaded when it is first asked for."""

    def work(job: Job) -> dict[str, Any]:
        found: dict[str, Any] = getattr(import_module(f"ludus.web.{module}"), name)(job)
        return found

    return work


JOBS: Mapping[str, Callable[[Job], dict[str, Any]]] = {
    "choose": choose,
    "values": _elsewhere("exact", "judged"),
    "puzzle": _elsewhere("puzzles", "make"),
    "opponents": _elsewhere("opponents", "opponents"),
    "tournament": _elsewhere("results", "tournament"),
    "training": _elsewhere("results", "training"),
}
