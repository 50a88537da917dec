"""Positions for networks, and a generated dataset."""

from typing import Any

from ludus.games.nine_mens_morris import NineMensMorris
from ludus.games.nine_mens_morris.rules import Rules
from support.games import play_randomly
from support.paths import DATA

GOOD_MOVES = DATA / "morris_good_moves.txt"
"""500 positions with the moves of a teacher, made by `ludus dataset generate` (the file beside it
says how), in the notation of the thesis."""


def positions(games: int, rules: Rules = Rules(), engine: str = "native") -> list[Any]:  # noqa: B008
    """Positions of random games that are not over, the same every time."""
    game = NineMensMorris(rules, engine)
    return [
        position
        for seed in range(games)
        for position in play_randomly(game, seed)
        if position.outcome() is None
    ]
