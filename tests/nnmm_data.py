"""Positions to ask networks about, and the author's files where they lie beside the checkout."""

from pathlib import Path
from typing import Any

import pytest

from ludus.games.nine_mens_morris import NineMensMorris
from ludus.games.nine_mens_morris.rules import Rules
from support import play_randomly

SHARED = Path(__file__).parents[2] / "shared" / "data" / "nnmm"


def positions(games: int, rules: Rules = Rules(), engine: str = "native") -> list[Any]:  # noqa: B008
    """Positions of random games that are not over, the same every time."""
    game = NineMensMorris(rules, engine)
    return [
        position
        for seed in range(games)
        for position in play_randomly(game, seed)
        if position.outcome() is None
    ]


def authors(name: str) -> Path:
    """A file of the author's, or no test."""
    path = SHARED / name
    if not path.exists():
        # The summary of the tests names what begins like this.
        pytest.skip(f"left out: needs ../shared/data/nnmm/{name}, beside the checkout")
    return path
