"""Sectors, the parts in which the Morris family is solved, and their order.

A sector is all positions with given numbers of men on the board and in hand, with either side to
move. Placing and taking are irreversible, so each sector can be solved once the sectors that
placing and taking lead to are solved.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from math import comb
from typing import NamedTuple

from ludus.core.files import format_bytes
from ludus.games.nine_mens_morris.board import NUM_POINTS
from ludus.games.nine_mens_morris.game import NineMensMorris
from ludus.games.nine_mens_morris.rules import Rules

Sector = tuple[int, int, int, int]
"""X's and Y's men on the board, then in hand. X has more on the board, or else more in hand."""

NUM_ORBITS = (1, 4, 30, 158, 757, 2830, 8774, 22188, 46879, 82880, 124124, 157668, 170854)
"""Number of sets of 0, 1, … 12 points, counted once per class of 16 symmetries."""


class Subspace(NamedTuple):
    """One half of a sector: the positions with a given side to move, from that side's view."""

    mover: int
    """The mover's men on the board."""

    other: int
    """The other side's men on the board."""

    mover_hand: int
    other_hand: int

    def __str__(self) -> str:
        return "_".join(map(str, self))


def orient(a: int, b: int, a_hand: int, b_hand: int) -> tuple[Sector, bool]:
    """Return the sector of two sides, and whether the first of them is its X."""
    if (a, a_hand) >= (b, b_hand):
        return (a, b, a_hand, b_hand), True
    return (b, a, b_hand, a_hand), False


def subspace_of(sector: Sector, x_to_move: bool) -> Subspace:
    """Return the half of a sector in which X, or Y, is to move."""
    x, y, x_hand, y_hand = sector
    return Subspace(x, y, x_hand, y_hand) if x_to_move else Subspace(y, x, y_hand, x_hand)


def num_slots(sector: Sector) -> int:
    """Return the length of a table: X's men up to symmetry, times Y's men on the other points."""
    x, y, _, _ = sector
    return NUM_ORBITS[x] * comb(NUM_POINTS - x, y)


def start_sector(rules: Rules) -> Sector:
    """Return the sector that contains only the start of the game."""
    return 0, 0, rules.men, rules.men


def sides_to_move(rules: Rules, sector: Sector) -> list[bool]:
    """Return which side can be to move, as `x_to_move`. In symmetric sectors the mover is X.

    Where men cannot move before all are placed, the sides place in turn: the side that began is to
    move with equal hands, the other side with one man more in hand.
    """
    x, y, x_hand, y_hand = sector
    if (x, x_hand) == (y, y_hand):
        return [True]
    if rules.place_or_move:
        return [True, False]
    sides = ((True, x_hand - y_hand), (False, y_hand - x_hand))
    return [x_to_move for x_to_move, surplus in sides if surplus in (0, 1)]


def next_sectors(rules: Rules, sector: Sector) -> set[Sector]:
    """Return the sectors that placing or taking a man leads to, without those of finished games."""
    found = set()
    for x_to_move in sides_to_move(rules, sector):
        for after in _after_moves(rules, subspace_of(sector, x_to_move)):
            if after.other + after.other_hand >= rules.lose_below and after.other >= 0:
                found.add(orient(*after)[0])
    return found


def _after_moves(rules: Rules, here: Subspace) -> Iterator[Subspace]:
    """Generate the subspaces after placing or taking, from the view of the side that moved."""
    mover, other, hand, other_hand = here
    if hand > 0:
        yield Subspace(mover + 1, other, hand - 1, other_hand)
        if mover + 1 >= 3:
            yield Subspace(mover + 1, other - 1, hand - 1, other_hand)
    if mover >= 3 and (hand == 0 or rules.place_or_move):
        yield Subspace(mover, other - 1, hand, other_hand)


def moving_sectors(rules: Rules, max_men: int) -> list[Sector]:
    """Return the sectors with empty hands and at most `max_men` a side, in the order of solving."""
    few = rules.lose_below
    return sort_sectors((x, y, 0, 0) for x in range(few, max_men + 1) for y in range(few, x + 1))


def all_sectors(rules: Rules) -> list[Sector]:
    """Return every sector of the game, from its start to its ends, in the order of solving."""
    found = set(moving_sectors(rules, rules.men))
    waiting = {start_sector(rules)} - found
    while waiting:
        sector = waiting.pop()
        found.add(sector)
        waiting |= next_sectors(rules, sector) - found
    return sort_sectors(found)


def sort_sectors(sectors: Iterable[Sector]) -> list[Sector]:
    """Sort sectors by the number of men, then by the number in hand.

    Taking a man lowers the first number, placing one the second. Solved in this order, a game needs
    only the tables of two numbers of men at a time.
    """
    return sorted(sectors, key=lambda sector: (sum(sector), sector[2] + sector[3], sector))


def without_repetition(rules: Rules) -> Rules:
    """Return the rules with a fixed repetition rule, because no value depends on it."""
    return replace(rules, repetition=0)


def format_spec(rules: Rules) -> str:
    """Return the game with its nearest preset and the differences from it, without repetition.

    >>> format_spec(Rules(flying=False, repetition=3))
    'nine_mens_morris:standard,flying=False'
    """
    text = NineMensMorris.format_rules(rules, without=("repetition",))
    return f"{NineMensMorris.id}:{text}"


class TableReferences:
    """Reference counts: for every sector the number of unfinished sectors that need its tables."""

    def __init__(self, rules: Rules, waiting: Sequence[Sector]) -> None:
        self._rules = rules
        self._counts: Counter[Sector] = Counter()
        for sector in waiting:
            self._counts.update(next_sectors(rules, sector))

    def release(self, sector: Sector, drop: Callable[[Sector], None]) -> None:
        """Mark a sector as finished; drop tables no longer needed, perhaps its own."""
        for successor in next_sectors(self._rules, sector):
            self._counts[successor] -= 1
            if self._counts[successor] == 0:
                drop(successor)
        if self._counts[sector] == 0:
            drop(sector)


SLOTS_PER_MINUTE = 276_000_000
"""Values that a core finds in a minute; the standard game takes 99 minutes of processor time."""

BYTES_PER_SLOT = 0.34
"""Size of compressed files; those of the standard game have 9.2 GB."""


def format_solving_cost(rules: Rules, sectors: Sequence[Sector]) -> str:
    """Return what it takes to solve these sectors on a CPU, for users.

    >>> rules = Rules()
    >>> format_solving_cost(rules, moving_sectors(rules, 4))
    'less than a minute of processor time, 17 MB of memory, 1.9 MB of files'
    """
    slots = sum(num_slots(sector) * len(sides_to_move(rules, sector)) for sector in sectors)
    minutes = round(slots / SLOTS_PER_MINUTE)
    time = "less than a minute" if minutes < 2 else f"about {minutes} minutes"
    memory = format_bytes(estimate_peak_bytes(rules, sectors))
    files = format_bytes(BYTES_PER_SLOT * slots)
    return f"{time} of processor time, {memory} of memory, {files} of files"


def estimate_peak_bytes(rules: Rules, waiting: Sequence[Sector]) -> int:
    """Return the maximum memory of tables while these sectors are solved one after the other.

    While men can move, a slot takes four bytes: values and offers for both sides. The previous
    sector is kept until it is written.
    """
    needs, peak = TableReferences(rules, waiting), 0
    sizes = {sector: num_slots(sector) * len(sides_to_move(rules, sector)) for sector in waiting}
    alive: dict[Sector, int] = {}

    def drop(sector: Sector) -> None:
        alive.pop(sector, None)

    for number, sector in enumerate(waiting):
        is_sliding = rules.place_or_move or sector[2:] == (0, 0)
        working = 4 * num_slots(sector) if is_sliding else sizes[sector]
        peak = max(peak, sum(alive.values()) + working)
        alive[sector] = sizes[sector]
        if number > 0:
            needs.release(waiting[number - 1], drop)
    return peak
