"""Positions in a worker process. One travels as the start of its game and the moves since, because
rules about repetition ask for the road.
"""

from collections import OrderedDict
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ludus.core.game import AnyGame
from ludus.games import game as named_game

MAX_POSITIONS = 256
"""Positions a worker remembers, so that the next move of a game need not replay it."""

_positions: OrderedDict[tuple[str, ...], Any] = OrderedDict()


@lru_cache(maxsize=64)
def game_of(name: str, rules: str) -> AnyGame:
    """A game by its name and rules."""
    return named_game(name, rules)


def position_of(job: Mapping[str, Any]) -> Any:
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
