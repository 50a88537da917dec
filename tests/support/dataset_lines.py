"""Generated lines of datasets."""

import random
from typing import Any

from ludus.games.nine_mens_morris import to_thesis, to_thesis_move
from ludus.games.nine_mens_morris.rules import Rules
from support.morris_data import positions

RULES = {
    "standard": Rules(),
    "walking": Rules(flying=False),
    "safe mills": Rules(take_from_mills="never"),
    "bold": Rules(take_from_mills="always", diagonals=True),
    "few men": Rules(men=5),
}
"""Rules that differ where a dataset can see it."""


def examples(rules: Rules, games: int) -> list[tuple[Any, Any]]:
    """Positions with a legal move."""
    source = random.Random(games)
    return [(each, source.choice(each.legal_moves())) for each in positions(games, rules, "python")]


def lines(pairs: list[tuple[Any, Any]]) -> list[str]:
    """Positions and moves as dataset lines, written by the rules' own notation."""
    return [f"{to_thesis(position)}-{to_thesis_move(move)}" for position, move in pairs]


def data(text_lines: list[str], end: str = "\n") -> bytes:
    return "".join(f"{line}{end}" for line in text_lines).encode()
