"""Values of the Morris family from tables: on disk, in memory, or in a live solver."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ludus._native import solver as native
from ludus.core.errors import BadPosition
from ludus.games.nine_mens_morris.batch import LOST, NO_VALUE, PositionBatch
from ludus.games.nine_mens_morris.bitboards import ALL_POINTS, Boards
from ludus.games.nine_mens_morris.board import NUM_POINTS
from ludus.games.nine_mens_morris.position import MorrisPosition
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracles.interface import Oracle, Unsolved, Value, WrongRules, evaluate_end
from ludus.oracles.morris.database import Database, Half
from ludus.oracles.morris.sectors import (
    Sector,
    all_sectors,
    format_solving_cost,
    format_spec,
    moving_sectors,
    orient,
    sides_to_move,
    without_repetition,
)
from ludus.oracles.storage import format_solve_command

COUNT_BASE = 13
"""Greater than any number of men of a side on the board or in hand."""

ValueCodes = NDArray[np.uint8]
MenCounts = tuple[int, int, int, int]
"""Men of the mover and of the other side on the board, then in hand."""


class Tables(Protocol):
    """Source of value codes: a database, or an object with its interface."""

    @property
    def rules(self) -> Rules: ...
    @property
    def has_depth(self) -> bool: ...
    @property
    def sectors(self) -> frozenset[Half]: ...
    def read(self, sector: Sector, x_to_move: bool, slots: NDArray[np.uint64], /) -> ValueCodes: ...


class MorrisOracle(Oracle):
    """Oracle of one member of the Morris family.

    The repetition rule may differ from that of the tables: a side that can win does so without
    repeating a position, and a side that cannot win may draw, so no value depends on it.
    """

    def __init__(self, tables: Tables, source: str) -> None:
        """Serve values from `tables`; `source` names their location for users."""
        self.tables = tables
        self.rules = without_repetition(tables.rules)
        self.source = source
        self._known = tables.sectors
        self._values = _list_values(tables.has_depth)
        self._checked_rules: Rules | None = None

    @property
    def has_depth(self) -> bool:
        return self.tables.has_depth

    @property
    def advice(self) -> str:
        return self._format_advice(None)

    @property
    def coverage(self) -> str:
        men = self.rules.men
        if orient(0, 0, men, men) in self._known:
            return "from the first move on"
        while men >= self.rules.lose_below:
            if all_halves(self.rules, moving_sectors(self.rules, men)) <= self._known:
                return f"up to {men} men a side"
            men -= 1
        return "in parts"

    # Positions are Any, not MorrisPosition, as an Oracle accepts positions of any game.

    def has_value(self, position: Any) -> bool:
        self.check_rules(position.rules)
        return position.outcome() is not None or orient(*_count_men(position)) in self._known

    def value_if_known(self, position: Any) -> Value | None:
        # Searches look up single positions; `lookup` would take ten times as long.
        self.check_rules(position.rules)
        end = evaluate_end(position)
        if end is not None:
            return end
        half = sector, own_is_x = orient(*_count_men(position))
        if half not in self._known:
            return None
        own, other = _mover_first(position.bits, position.mover)
        boards = np.array([[own], [other]] if own_is_x else [[other], [own]], dtype=np.uint32)
        slots = make_indexer(self.rules.men).slots(sector, *boards)
        return self._values[int(self.tables.read(sector, own_is_x, slots)[0])]

    def value(self, position: Any) -> Value:
        found = self.value_if_known(position)
        if found is None:
            raise self._unsolved(_count_men(position))
        return found

    def values(self, positions: Sequence[Any]) -> list[Value]:
        ends: list[Value | None] = []
        for position in positions:
            self.check_rules(position.rules)
            ends.append(evaluate_end(position))
        going_on = [each for each, end in zip(positions, ends, strict=True) if end is None]
        codes = iter(self.lookup(PositionBatch.from_positions(going_on)).tolist())
        return [self._values[next(codes)] if end is None else end for end in ends]

    def lookup(
        self, positions: PositionBatch, missing: Literal["raise", "no_value"] = "raise"
    ) -> ValueCodes:
        """Return the value codes of many positions, see `ludus.games.nine_mens_morris.batch`.

        Without depth a win is 1 and a loss 0. Positions that the mover has already won, which
        cannot occur in play, are NO_VALUE. Positions that are not solved raise Unsolved, or are
        NO_VALUE, too.
        """
        self._check_boards(positions)
        codes = np.empty(len(positions), dtype=np.uint8)
        for group, men in _group_by_counts(positions.counts):
            boards = positions.own[group], positions.other[group]
            codes[group] = self._codes(men, *boards, must_know=missing == "raise")
        return codes

    def check_rules(self, rules: Rules) -> None:
        """Refuse positions and games of other rules."""
        if rules is self._checked_rules:
            return
        if not isinstance(rules, Rules):
            raise WrongRules(f"{self.source} holds nine_mens_morris and no other game")
        if without_repetition(rules) != self.rules:
            held, wanted = format_spec(self.rules), format_spec(rules)
            raise WrongRules(f"{self.source} holds {held}, not {wanted}")
        self._checked_rules = rules

    def _codes(
        self, men: MenCounts, own: Boards, other: Boards, must_know: bool
    ) -> ValueCodes | int:
        """Return the codes of positions that all have these numbers of men."""
        own_men, other_men, own_hand, other_hand = men
        if own_men + own_hand < self.rules.lose_below:
            return LOST
        if other_men + other_hand < self.rules.lose_below:
            return NO_VALUE
        half = sector, own_is_x = orient(*men)
        if half not in self._known:
            if must_know:
                raise self._unsolved(men)
            return NO_VALUE
        boards = (own, other) if own_is_x else (other, own)
        slots = make_indexer(self.rules.men).slots(sector, *(b.view(np.uint32) for b in boards))
        return self.tables.read(sector, own_is_x, slots)

    def _check_boards(self, positions: PositionBatch) -> None:
        own, other = positions.own, positions.other
        if np.any(own & other):
            raise BadPosition("a point is taken by both sides")
        if np.any((own | other) & ~ALL_POINTS):
            raise BadPosition(f"a bit of a board is beyond its {NUM_POINTS} points")
        if np.any(positions.has_too_many_men(self.rules)):
            raise BadPosition(f"a side has more than {self.rules.men} men")

    def _unsolved(self, men: MenCounts) -> Unsolved:
        own, other, own_hand, other_hand = men
        in_hand = f" on the board and {own_hand} against {other_hand} in hand"
        which = f"{own} men of the mover against {other}{in_hand if own_hand or other_hand else ''}"
        if orient(*men) not in all_halves(self.rules, all_sectors(self.rules)):
            return Unsolved(f"{which} cannot come about in play, so they are not solved")
        max_men = None if own_hand or other_hand else max(own, other)
        advice = self._format_advice(max_men)
        return Unsolved(f"{which}: not solved in {self.source}; {advice} solves it")

    def _format_advice(self, max_men: int | None) -> str:
        """Return the command that solves the game, or endings alone, with its cost."""
        sectors, options = all_sectors(self.rules), ""
        if max_men is not None:
            sectors, options = moving_sectors(self.rules, max_men), f" --max-men {max_men}"
        # A database of endings is continued.
        folder = self.tables.folder if isinstance(self.tables, Database) else None
        command = format_solve_command(format_spec(self.rules), options, folder)
        return f"{command} ({format_solving_cost(self.rules, sectors)})"


def all_halves(rules: Rules, sectors: Iterable[Sector]) -> frozenset[Half]:
    """Return the sectors with every side to move that they can have."""
    return frozenset(
        (sector, mover) for sector in sectors for mover in sides_to_move(rules, sector)
    )


MAX_INDEXERS = 3
"""Indexers kept in memory, one per number of men; each takes 70 MB and a moment to make."""


@lru_cache(maxsize=MAX_INDEXERS)
def make_indexer(men: int) -> native.Solver:
    """Return a solver used only to compute the slots of positions in their tables.

    Slots depend on the number of men alone, so its large table is computed once per number.
    """
    return native.Solver(Rules(men=men))


def _group_by_counts(
    counts: tuple[NDArray[np.integer[Any]], ...],
) -> Iterator[tuple[NDArray[np.intp], MenCounts]]:
    """Group positions with equal numbers of men: yield their indices and the numbers."""
    keys = np.zeros(len(counts[0]), dtype=np.uint16)
    for count in counts:
        keys = keys * np.uint16(COUNT_BASE) + count.astype(np.uint16)
    order = np.argsort(keys, kind="stable")
    steps = np.flatnonzero(np.diff(keys[order])) + 1
    for group in np.split(order, steps):
        if len(group):
            own, other, own_hand, other_hand = (int(count[group[0]]) for count in counts)
            yield group, (own, other, own_hand, other_hand)


def _mover_first(pair: tuple[int, int], mover: int) -> tuple[int, int]:
    """Reorder a pair of White and Black as mover and other side."""
    return pair if mover == 0 else (pair[1], pair[0])


def _count_men(position: MorrisPosition) -> MenCounts:
    own, other = _mover_first(position.bits, position.mover)
    return own.bit_count(), other.bit_count(), *_mover_first(position.hands, position.mover)


def _list_values(has_depth: bool) -> list[Value]:
    """Return the value of every code; that of NO_VALUE does not occur in play."""
    decided = [
        Value("win" if code % 2 else "loss", code if has_depth else None)
        for code in range(NO_VALUE + 1)
    ]
    return [*decided, Value("draw")]
