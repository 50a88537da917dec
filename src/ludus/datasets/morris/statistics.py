"""Statistics of a dataset: phases, move classes, invalid and repeated lines, and a drawing."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.datasets.morris.files import BadLine, Chunk
from ludus.datasets.morris.validation import (
    ILLEGAL_REASONS,
    UNREACHABLE_REASONS,
    validate_moves,
    validate_states,
)
from ludus.games.nine_mens_morris.batch import NO_POINT, PARTS
from ludus.games.nine_mens_morris.board import POINTS, READING_ORDER, mills
from ludus.games.nine_mens_morris.rules import Rules
from ludus.render.canvas import Area, Canvas, Point
from ludus.render.theme import STYLE

CHOICES = {"none": NO_POINT, **{POINTS[number]: number for number in READING_ORDER}}
"""Choices of a part of a move by name, in the order of tables: none, then reading order."""

CountArray = NDArray[np.int64]


@dataclass(slots=True)
class DatasetStatistics:
    """The statistics of a dataset, made by `compute_statistics`."""

    entries: int = 0
    """Lines that are entries, legal or not."""

    with_move: int = 0
    phases: CountArray = field(default_factory=lambda: np.zeros(4, dtype=np.int64))
    """Number of entries in phases 1, 2 and 3; index 0 is unused."""

    points: CountArray = field(default_factory=lambda: np.zeros((3, len(CHOICES)), dtype=np.int64))
    """Number of moves by point, the last for none, for TO, FROM and REMOVE; shape (3, 25)."""

    bad_lines: list[BadLine] = field(default_factory=list)
    """Lines that are not entries."""

    illegal: dict[str, list[int]] = field(default_factory=dict)
    """Line numbers of illegal entries by reason."""

    impossible: dict[str, list[int]] = field(default_factory=dict)
    """Line numbers of unreachable states by reason."""

    duplicates: list[tuple[int, int]] = field(default_factory=list)
    """Pairs of a line and the first earlier line with the same state."""

    symmetric: list[tuple[int, int]] = field(default_factory=list)
    """Pairs of a line and the first earlier line with a symmetric, but not equal state."""

    @property
    def is_valid(self) -> bool:
        """Whether there are lines, every one is a legal entry, and none repeats another."""
        return self.entries > 0 and not (self.bad_lines or self.illegal or self.duplicates)

    def proportions(self, part: int) -> dict[str, float]:
        """Return the relative frequencies of the choices of a part, by index in PARTS."""
        frequencies = (self.points[part] / max(1, self.with_move)).tolist()
        return {name: frequencies[point] for name, point in CHOICES.items()}

    def entropy(self, part: int) -> float:
        """Return the entropy in bits: 0 for a constant choice, 4.64 for 25 equally likely ones."""
        proportions = np.array([*self.proportions(part).values()])
        proportions = proportions[proportions > 0]
        return float(-(proportions * np.log2(proportions)).sum()) + 0.0

    def as_json(self) -> dict[str, Any]:
        """Return all statistics with all line numbers."""
        return {
            "entries": self.entries,
            "with_move": self.with_move,
            "phases": {str(phase): int(self.phases[phase]) for phase in (1, 2, 3)},
            "classes": {
                name: {choice: int(self.points[part, point]) for choice, point in CHOICES.items()}
                for part, name in enumerate(PARTS)
            },
            "entropy": {name: round(self.entropy(part), 6) for part, name in enumerate(PARTS)},
            "bad": [line._asdict() for line in self.bad_lines],
            "illegal": self.illegal,
            "impossible": self.impossible,
            "duplicates": self.duplicates,
            "symmetric_duplicates": self.symmetric,
        }


def compute_statistics(parts: Iterable[Chunk], rules: Rules) -> DatasetStatistics:
    """Compute the statistics of a dataset in one pass over its parts."""
    found = DatasetStatistics()
    states, classes, lines = [], [], []
    for part in parts:
        entries = part.moves
        add_counts(found, part)
        _collect_reasons(
            found.illegal, validate_moves(entries, rules), ILLEGAL_REASONS, part.numbers
        )
        _collect_reasons(
            found.impossible, validate_states(entries, rules), UNREACHABLE_REASONS, part.numbers
        )
        states.append(entries.keys())
        classes.append(entries.canonical_keys())
        lines.append(part.numbers)
    if lines:
        numbers = np.concatenate(lines)
        found.duplicates = _find_repeats(np.concatenate(states), numbers)
        again = {line for line, _ in found.duplicates}
        symmetric = _find_repeats(np.concatenate(classes), numbers)
        found.symmetric = [pair for pair in symmetric if pair[0] not in again]
    return found


def add_counts(found: DatasetStatistics, part: Chunk) -> None:
    """Add the counts of a part without checking for illegal or repeated lines."""
    entries = part.moves
    found.entries += len(entries)
    found.bad_lines += part.bad_lines
    found.phases += np.bincount(entries.phases, minlength=4)
    moves = entries.points[entries.has_move]
    found.with_move += len(moves)
    for number, column in enumerate(moves.T):
        found.points[number] += np.bincount(column, minlength=len(CHOICES))


def _collect_reasons(
    found: dict[str, list[int]],
    verdicts: NDArray[np.int8],
    reasons: tuple[str, ...],
    lines: NDArray[np.int64],
) -> None:
    for verdict in np.unique(verdicts[verdicts > 0]).tolist():
        found.setdefault(reasons[verdict], []).extend(lines[verdicts == verdict].tolist())


def _find_repeats(keys: NDArray[np.uint64], lines: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return lines whose key an earlier line has, each with the first such line."""
    _, first, where = np.unique(keys, return_index=True, return_inverse=True)
    earliest = first[where]
    again = np.flatnonzero(earliest != np.arange(len(keys)))
    return list(zip(lines[again].tolist(), lines[earliest[again]].tolist(), strict=True))


FILES, RANKS = "abcdefg", "7654321"

STEP = 44
"""Distance between files."""

MARGIN = 32
"""Distance from the edge of a board to its outer square, and between boards."""

HEAD_HEIGHT = 34
"""Height of the area above the boards."""

BOARD_WIDTH = 6 * STEP + 2 * MARGIN
MAX_RADIUS = 19
"""Radius of the disc of the most frequent point; half of it for a point that is never used."""


def draw_statistics(found: DatasetStatistics, title: str) -> str:
    """Draw the frequency of each point as TO, FROM and REMOVE on three boards, as an SVG document.

    Colours are relative to the maximum within a board, numbers are per cent.
    """
    width, height = 3 * BOARD_WIDTH + 4 * MARGIN, HEAD_HEIGHT + BOARD_WIDTH + 44
    text = f"{found.with_move} moves; per cent of them by point"
    canvas = Canvas(width, height, title, text, style=STYLE)
    canvas.rect((0, 0), width, height, "ground", 14)
    for part, name in enumerate(PARTS):
        corner = (MARGIN + part * (BOARD_WIDTH + MARGIN), float(HEAD_HEIGHT))
        _draw_board(canvas, corner)
        proportions = found.proportions(part)
        none = proportions.pop("none")
        caption = f"{name}, in {1 - none:.1%} of {found.with_move} moves"
        canvas.text(
            (corner[0] + BOARD_WIDTH / 2, HEAD_HEIGHT + BOARD_WIDTH + 22), caption, "caption"
        )
        _draw_proportions(canvas, corner, proportions)
    canvas.text((width / 2, HEAD_HEIGHT / 2), title, "caption")
    return canvas.drawing().svg()


def _draw_board(canvas: Canvas, corner: Point) -> None:
    canvas.rect(corner, BOARD_WIDTH, BOARD_WIDTH, "board", 10)
    canvas.rect(corner, BOARD_WIDTH, BOARD_WIDTH, "edge", 10)
    for mill in mills(diagonals=False):
        for start, end in pairwise(mill):
            canvas.line(_centre(corner, POINTS[start]), _centre(corner, POINTS[end]), "line")


def _draw_proportions(canvas: Canvas, corner: Point, proportions: dict[str, float]) -> None:
    most = max(proportions.values()) or 1
    for place, proportion in proportions.items():
        centre = _centre(corner, place)
        radius = MAX_RADIUS * (0.5 + 0.5 * proportion / most)
        canvas.circle(centre, radius, "board")
        canvas.circle(centre, radius, "heat", 0.08 + 0.87 * proportion / most)
        canvas.text(centre, f"{100 * proportion:.1f}", "share")
        area = Area(centre[0] - STEP / 2, centre[1] - STEP / 2, STEP, STEP)
        canvas.tooltip(place, area, f"{place}: {proportion:.2%}")


def _centre(corner: Point, place: str) -> Point:
    column, row = FILES.index(place[0]), RANKS.index(place[1])
    return corner[0] + MARGIN + STEP * column, corner[1] + MARGIN + STEP * row
