"""Exact labels: what perfect play makes of each entry, and which moves keep that.

A labelled line has five fields between tabs:

    EMOO…1156-d5b2   draw   -   19   d5b2 d5c3

the entry as it was; `win`, `draw` or `loss` for the side to move, or `unknown` where the oracle
has no value; the plies to the end, or `-`; the number of legal moves; and the moves that keep the
value, in legal order, with a space between them. A move that keeps a win may make it longer. A
state is critical if some legal move does not keep its value, that is, if the last field has fewer
moves than the field before it says. Where a game is over there are no moves.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludus.datasets.morris.entries import Entries
from ludus.datasets.morris.lines import write_lines
from ludus.datasets.morris.moves import Moves, after, legal_moves
from ludus.datasets.morris.reachability import reached_by_counts
from ludus.games.nine_mens_morris.board import POINTS
from ludus.oracle.blocks import DRAW
from ludus.oracle.morris import WON, MorrisOracle
from ludus.oracle.sectors import oriented

RESULTS = ("loss", "draw", "win", "unknown")
LOSS, DRAWN, WIN, UNKNOWN = range(len(RESULTS))


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """What the oracle says to some entries, as arrays of their length."""

    result: NDArray[np.int8]
    """A number of RESULTS."""

    depth: NDArray[np.int16]
    """Plies to the end; -1 for a draw, and where it is not known."""

    num_legal: NDArray[np.int64]
    num_kept: NDArray[np.int64]
    """Moves that keep the value."""

    move_keeps: NDArray[np.bool_]
    """Whether the entry's own move is one of them."""

    is_reached: NDArray[np.bool_]
    """Whether a game can lead to these numbers of men."""

    moves: Moves
    """All legal moves."""

    keeps: NDArray[np.bool_]
    """Which of all legal moves keep the value of their entry."""

    @property
    def is_critical(self) -> NDArray[np.bool_]:
        """Where some move gives something away."""
        is_known: NDArray[np.bool_] = self.result != UNKNOWN
        return is_known & (self.num_kept < self.num_legal)


def label(entries: Entries, oracle: MorrisOracle) -> Labels:
    """The labels of some entries. A few thousand at a time suit the memory best."""
    moves = legal_moves(entries, oracle.rules)
    here, there = _codes(entries, oracle), _codes(after(moves.moves), oracle)
    result, results_there = _results(here), _results(there)
    # A draw for one is a draw for both; a loss there is a win here.
    kept = np.where(results_there == UNKNOWN, UNKNOWN, WIN - results_there)
    keeps = (kept == result[moves.entry]) & (kept != UNKNOWN)
    num_legal, num_kept = (
        np.bincount(moves.entry[which], minlength=len(entries)) for which in (slice(None), keeps)
    )
    is_own = np.logical_and.reduce(
        [
            getattr(moves.moves, part) == getattr(entries, part)[moves.entry]
            for part in ("to", "frm", "take")
        ]
    )
    move_keeps = np.zeros(len(entries), dtype=bool)
    move_keeps[moves.entry[is_own & keeps]] = True
    has_depth = (result != DRAWN) & (result != UNKNOWN) & oracle.has_depth
    depth = np.where(has_depth, np.where(here == WON, 0, here), -1).astype(np.int16)
    reached = reached_by_counts(entries, oracle.rules)
    return Labels(result, depth, num_legal, num_kept, move_keeps, reached, moves, keeps)


def labelled_lines(entries: Entries, labels: Labels) -> list[str]:
    """The entries as labelled lines, without line ends."""
    lines = write_lines(entries).decode().splitlines()
    names = iter(_names(labels.moves.moves[labels.keeps]))
    columns = (labels.result, labels.depth, labels.num_legal, labels.num_kept)
    written = []
    for line, result, depth, legal, kept in zip(
        lines, *(column.tolist() for column in columns), strict=True
    ):
        plies = "-" if depth < 0 else str(depth)
        moves = " ".join(next(names) for _ in range(kept))
        written.append(f"{line}\t{RESULTS[result]}\t{plies}\t{legal}\t{moves}")
    return written


def by_numbers_of_men(entries: Entries, batch: int) -> Iterator[NDArray[np.intp]]:
    """The numbers of the entries in batches of like ones, for which the oracle reads less."""
    columns = (entries.own_men, entries.other_men, entries.own_hand, entries.other_hand)
    order = np.lexsort(columns)
    for first in range(0, len(order), batch):
        yield order[first : first + batch]


def _names(moves: Entries) -> list[str]:
    columns = (moves.frm.tolist(), moves.to.tolist(), moves.take.tolist())
    return [_NAMES[frm] + _NAMES[to] + _NAMES[take] for frm, to, take in zip(*columns, strict=True)]


_NAMES = (*POINTS, "")
"""Point to name; the last one answers for NONE, which is -1."""


def _codes(entries: Entries, oracle: MorrisOracle) -> NDArray[np.int16]:
    """The oracle's codes; -1 where it has none."""
    counts = np.stack(
        [entries.own_men, entries.other_men, entries.own_hand, entries.other_hand], axis=1
    )
    found, where = np.unique(counts, axis=0, return_inverse=True)
    is_known = [_knows(oracle, *count) for count in found.tolist()]
    known = np.array(is_known, dtype=bool)[where.reshape(-1)]
    codes = np.full(len(entries), -1, dtype=np.int16)
    asked = (entries.own, entries.other, entries.own_hand, entries.other_hand)
    codes[known] = oracle.lookup(*(column[known] for column in asked))
    return codes


def _knows(oracle: MorrisOracle, own: int, other: int, own_hand: int, other_hand: int) -> bool:
    """Whether positions with these numbers of men have a code."""
    totals = own + own_hand, other + other_hand
    if max(totals) > oracle.rules.men:
        return False
    is_over = min(totals) < oracle.rules.lose_below
    return is_over or oriented(own, other, own_hand, other_hand) in oracle.tables.sectors


def _results(codes: NDArray[np.int16]) -> NDArray[np.int8]:
    is_won = (codes % 2 == 1) | (codes == WON)
    results = np.select([codes < 0, codes == DRAW, is_won], [UNKNOWN, DRAWN, WIN], default=LOSS)
    return results.astype(np.int8)
