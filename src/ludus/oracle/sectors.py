"""The parts into which the Morris family falls when it is solved, and their order.

A sector is all positions with given numbers of men on the board and in hand, whoever is to move.
A man placed or taken never comes back, so each sector can be solved once those are solved that
placing and taking lead to.
"""

from collections.abc import Iterable, Iterator
from math import comb
from typing import NamedTuple

from ludus.games.nine_mens_morris.rules import Rules

Sector = tuple[int, int, int, int]
"""X's and Y's men on the board, then in hand. X has more on the board, or else more in hand."""


POINTS = 24
ORBITS = (1, 4, 30, 158, 757, 2830, 8774, 22188, 46879, 82880, 124124, 157668, 170854)
"""How many sets of 0, 1, … 12 points there are, counted once per class of 16 symmetries."""


class Subspace(NamedTuple):
    """One half of a sector: the positions with a given side to move, seen by that side."""

    mover: int
    """The mover's men on the board."""

    other: int
    """The other side's men on the board."""

    mover_hand: int
    other_hand: int

    def __str__(self) -> str:
        return "_".join(map(str, self))


def oriented(a: int, b: int, a_hand: int, b_hand: int) -> tuple[Sector, bool]:
    """The sector of two sides, and whether the first of them is its X."""
    if (a, a_hand) >= (b, b_hand):
        return (a, b, a_hand, b_hand), True
    return (b, a, b_hand, a_hand), False


def subspace(sector: Sector, x_to_move: bool) -> Subspace:
    """The half of a sector in which X, or Y, is to move."""
    x, y, x_hand, y_hand = sector
    return Subspace(x, y, x_hand, y_hand) if x_to_move else Subspace(y, x, y_hand, x_hand)


def num_slots(sector: Sector) -> int:
    """The length of a table: X's men up to symmetry, times Y's men on the points that are left."""
    x, y, _, _ = sector
    return ORBITS[x] * comb(POINTS - x, y)


def start(rules: Rules) -> Sector:
    """The sector that holds the start of the game and nothing else."""
    return 0, 0, rules.men, rules.men


def halves(rules: Rules, sector: Sector) -> list[bool]:
    """Who can be to move, as `x_to_move`. Where the sides are alike the mover is called X.

    Where nobody may slide before all men are placed, the sides place in turn: the one who began
    moves with equal hands, the other with one man more in hand.
    """
    x, y, x_hand, y_hand = sector
    if (x, x_hand) == (y, y_hand):
        return [True]
    if rules.place_or_move:
        return [True, False]
    sides = ((True, x_hand - y_hand), (False, y_hand - x_hand))
    return [x_to_move for x_to_move, surplus in sides if surplus in (0, 1)]


def next_sectors(rules: Rules, sector: Sector) -> set[Sector]:
    """The sectors that placing or taking a man leads to, those of finished games left out."""
    found = set()
    for x_to_move in halves(rules, sector):
        for after in _after_moves(rules, subspace(sector, x_to_move)):
            if after.other + after.other_hand >= rules.lose_below and after.other >= 0:
                found.add(oriented(*after)[0])
    return found


def _after_moves(rules: Rules, here: Subspace) -> Iterator[Subspace]:
    """What placing or taking makes of a subspace, still seen by the side that has moved."""
    mover, other, hand, other_hand = here
    if hand > 0:
        yield Subspace(mover + 1, other, hand - 1, other_hand)
        if mover + 1 >= 3:
            yield Subspace(mover + 1, other - 1, hand - 1, other_hand)
    if mover >= 3 and (hand == 0 or rules.place_or_move):
        yield Subspace(mover, other - 1, hand, other_hand)


def moving_sectors(rules: Rules, max_men: int) -> list[Sector]:
    """The sectors with empty hands and at most so many men a side, in the order of solving."""
    few = rules.lose_below
    return in_order((x, y, 0, 0) for x in range(few, max_men + 1) for y in range(few, x + 1))


def all_sectors(rules: Rules) -> list[Sector]:
    """Every sector of the game, from its start to its ends, in the order of solving."""
    found = set(moving_sectors(rules, rules.men))
    waiting = {start(rules)} - found
    while waiting:
        sector = waiting.pop()
        found.add(sector)
        waiting |= next_sectors(rules, sector) - found
    return in_order(found)


def in_order(sectors: Iterable[Sector]) -> list[Sector]:
    """Sectors with fewer men first, and of those with as many, the ones with fewer in hand.

    Taking a man lowers the first number, placing one the second. Solved in this order, a game
    needs only the tables of two numbers of men at a time.
    """
    return sorted(sectors, key=lambda sector: (sum(sector), sector[2] + sector[3], sector))
