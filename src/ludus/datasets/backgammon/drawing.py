"""Drawing positions for the data base: one for every number, of the theme whose turn it is."""

import random
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Final

from ludus._native import gammon
from ludus.datasets.backgammon.starts import OPENING, SET_UPS
from ludus.datasets.backgammon.themes import SHARES, theme_of
from ludus.games.backgammon import Backgammon, Position
from ludus.players.tool.rows import Row, position_of_row, row_of, view_of_row

GAMES: Final = 6
"""Games played at a time while looking for a position of the theme."""

STRAY: Final = 0.1
"""The chance of a random move in these games, so that they leave the beaten track."""

FEWEST_MOVES: Final = 3
"""With fewer legal moves there is little to learn."""

CYCLE: Final = sum(SHARES.values())


@dataclass(frozen=True, slots=True)
class Drawn:
    """A position with its roll, seen by side 0, and what it is about."""

    position: Position
    theme: str


def draw(number: int, seed: int) -> Drawn:
    """The position of this number; the same number and seed always give the same one."""
    theme = theme_of_number(number)
    rng = random.Random(f"{seed}/{number}")
    while True:
        found = [drawn for drawn in _met(theme, rng) if drawn.theme == theme]
        if found:
            return rng.choice(found)


def theme_of_number(number: int) -> str:
    """Themes by their shares, spread over the numbers: 37 has no divisor in common with the cycle.

    >>> [theme_of_number(number) for number in range(4)]
    ['opening', 'attack', 'containing', 'opening']
    """
    place = number * 37 % CYCLE
    return next(
        theme for theme, end in zip(SHARES, accumulate(SHARES.values()), strict=True) if place < end
    )


def _met(theme: str, rng: random.Random) -> list[Drawn]:
    """Every position with a choice in a few games of the conventional program against itself."""
    set_ups = SET_UPS.get(theme, (OPENING,))
    # Half of the games of a rare theme begin as usual: the theme is not the set-up.
    chosen = rng.choice(set_ups) if rng.random() < 0.5 else OPENING
    is_opening = chosen == OPENING
    boards, rolls, facts = gammon.met_in_games(
        "tool", "tool", _row(chosen)[None], is_opening, GAMES, STRAY, rng.getrandbits(62)
    )
    return [
        Drawn(position_of_row(board, (int(roll[0]), int(roll[1]))), theme_of(view_of_row(board)))
        for board, roll, (_, _, moves) in zip(boards, rolls, facts, strict=True)
        if moves >= FEWEST_MOVES
    ]


@cache
def _row(set_up: str) -> Row:
    return row_of(Backgammon().parse(f"{set_up} 0 roll"))
