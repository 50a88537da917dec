"""Exact labels of dataset entries: the value under perfect play and the moves that keep it.

A labelled line has five fields separated by tabs:

    EMOO…1156-d5b2   draw   -   19   d5b2 d5c3

the entry itself; `win`, `draw` or `loss` for the side to move, or `unknown` where the oracle has no
value; the plies to the end, or `-`; the number of legal moves; and the moves that keep the value,
in legal order, separated by spaces. A move that keeps a win may make it longer. A state is critical
if some legal move does not keep its value, that is, if the last field has fewer moves than the
number before it. Finished games have no moves.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.core.arguments import explain_misuse
from ludus.datasets.morris.files import format_lines
from ludus.datasets.morris.validation import has_reachable_counts
from ludus.games.nine_mens_morris.batch import (
    LOSS,
    NO_VALUE,
    RESULT_NAMES,
    UNKNOWN,
    WIN,
    MoveBatch,
    PositionBatch,
    classify,
    generate_moves,
    keeps_value,
)
from ludus.games.nine_mens_morris.board import POINTS
from ludus.oracle.morris.oracle import MorrisOracle


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The oracle's labels of some entries, as arrays of their length."""

    result: NDArray[np.int64]
    """Index into RESULT_NAMES."""

    depth: NDArray[np.int16]
    """Plies to the end; -1 for draws and unknown values."""

    num_legal: NDArray[np.int64]
    num_kept: NDArray[np.int64]
    """Number of moves that keep the value."""

    move_keeps: NDArray[np.bool_]
    """Whether the entry's own move keeps the value."""

    is_reached: NDArray[np.bool_]
    """Whether a game can reach these numbers of men."""

    moves: MoveBatch
    """All legal moves, those of one entry consecutively."""

    keeps: NDArray[np.bool_]
    """Which of the legal moves keep the value of their entry."""

    @property
    def is_critical(self) -> NDArray[np.bool_]:
        """Mask of entries with a move that does not keep the value."""
        is_known: NDArray[np.bool_] = self.result != UNKNOWN
        return is_known & (self.num_kept < self.num_legal)


@explain_misuse
def label(entries: MoveBatch, oracle: MorrisOracle) -> Labels:
    """Label entries. Batches of a few thousand use memory best."""
    owner, moves = generate_moves(entries, oracle.rules)
    values, next_values = _look_up(entries, oracle), _look_up(moves.play(), oracle)
    keeps = keeps_value(values[owner], next_values)
    num_legal, num_kept = (
        np.bincount(owner[which], minlength=len(entries)) for which in (slice(None), keeps)
    )
    is_own = moves.pack() == entries.pack()[owner]
    move_keeps = np.zeros(len(entries), dtype=bool)
    move_keeps[owner[is_own & keeps]] = True
    result = classify(values)
    depth = np.where((result == LOSS) | (result == WIN), values.astype(np.int16), np.int16(-1))
    # The oracle has no values of positions that the mover has already won.
    own, other = entries.totals
    few = oracle.rules.lose_below
    is_won = (other < few) & (own >= few) & ~entries.has_too_many_men(oracle.rules)
    result[is_won], depth[is_won] = WIN, 0
    if not oracle.has_depth:
        depth[:] = -1
    reached = has_reachable_counts(entries, oracle.rules)
    return Labels(result, depth, num_legal, num_kept, move_keeps, reached, moves, keeps)


def format_labels(entries: MoveBatch, labels: Labels) -> list[str]:
    """Format entries as labelled lines without line ends."""
    lines = format_lines(entries).decode().splitlines()
    names = iter(_format_moves(labels.moves[labels.keeps]))
    columns = (labels.result, labels.depth, labels.num_legal, labels.num_kept)
    written = []
    for line, result, depth, legal, kept in zip(
        lines, *(column.tolist() for column in columns), strict=True
    ):
        plies = "-" if depth < 0 else str(depth)
        moves = " ".join(next(names) for _ in range(kept))
        written.append(f"{line}\t{RESULT_NAMES[result]}\t{plies}\t{legal}\t{moves}")
    return written


def group_by_men(entries: MoveBatch, batch: int) -> Iterator[NDArray[np.intp]]:
    """Yield indices of entries in batches with equal numbers of men, which are read faster."""
    order = np.lexsort(entries.counts)
    for first in range(0, len(order), batch):
        yield order[first : first + batch]


def _format_moves(moves: MoveBatch) -> list[str]:
    columns = (moves.frm.tolist(), moves.to.tolist(), moves.take.tolist())
    return [
        _POINT_NAMES[frm] + _POINT_NAMES[to] + _POINT_NAMES[take]
        for frm, to, take in zip(*columns, strict=True)
    ]


_POINT_NAMES = (*POINTS, "")
"""Point to name; the last, empty name is for NO_POINT."""


def _look_up(positions: PositionBatch, oracle: MorrisOracle) -> NDArray[np.uint8]:
    """Return the oracle's values, NO_VALUE where it has none or a side has too many men."""
    values = np.full(len(positions), NO_VALUE, dtype=np.uint8)
    fits = ~positions.has_too_many_men(oracle.rules)
    values[fits] = oracle.lookup(positions[fits], missing="no_value")
    return values


@dataclass(slots=True)
class LabelCounts:
    """Counts of results, and of critical entries whose move keeps the value."""

    entries: int = 0
    results: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(len(RESULT_NAMES), dtype=np.int64)
    )
    critical: int = 0
    critical_kept: int = 0
    """Critical entries whose own move keeps the value."""

    critical_reached: int = 0
    """Critical entries whose numbers of men a game can reach."""

    critical_reached_kept: int = 0
    random_kept: float = 0.0
    """Expected number of critical entries whose value a uniformly random move keeps."""

    def add(self, labels: Labels) -> None:
        critical, reached = labels.is_critical, labels.is_reached
        self.entries += len(labels.result)
        self.results += np.bincount(labels.result, minlength=len(RESULT_NAMES))
        self.critical += int(critical.sum())
        self.critical_kept += int((critical & labels.move_keeps).sum())
        self.critical_reached += int((critical & reached).sum())
        self.critical_reached_kept += int((critical & reached & labels.move_keeps).sum())
        self.random_kept += float((labels.num_kept[critical] / labels.num_legal[critical]).sum())

    def as_json(self) -> dict[str, Any]:
        """Return the counts by name."""
        return {
            "entries": self.entries,
            "results": dict(zip(RESULT_NAMES, self.results.tolist(), strict=True)),
            "critical": self.critical,
            "critical_kept": self.critical_kept,
            "critical_reached": self.critical_reached,
            "critical_reached_kept": self.critical_reached_kept,
            "critical_kept_at_random": round(self.random_kept, 3),
        }
