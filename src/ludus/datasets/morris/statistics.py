"""What a dataset holds: phases, moves, and lines that are wrong or that repeat others."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.datasets.morris.boards import canonical_keys, state_keys
from ludus.datasets.morris.entries import NUM_CLASSES, PARTS
from ludus.datasets.morris.judging import REASONS, judge
from ludus.datasets.morris.lines import BadLine, Part
from ludus.datasets.morris.reachability import IMPOSSIBLE, find_impossible
from ludus.games.nine_mens_morris.board import POINTS, READING_ORDER
from ludus.games.nine_mens_morris.rules import Rules

CLASS_NAMES = ("none", *(POINTS[number] for number in READING_ORDER))
"""Class to what people call it."""

Counts = NDArray[np.int64]


@dataclass(slots=True)
class Statistics:
    """What has been found; `describe` makes it."""

    entries: int = 0
    """Lines that are entries, whatever the rules say to them."""

    with_move: int = 0
    phases: Counts = field(default_factory=lambda: np.zeros(4, dtype=np.int64))
    """How many entries are in phase 1, 2 and 3; there is no phase 0."""

    classes: Counts = field(default_factory=lambda: np.zeros((3, NUM_CLASSES), dtype=np.int64))
    """For TO, FROM and REMOVE, how many moves have each class."""

    bad: list[BadLine] = field(default_factory=list)
    """Lines that are no entries."""

    illegal: dict[str, list[int]] = field(default_factory=dict)
    """Reason to the lines that the rules forbid."""

    impossible: dict[str, list[int]] = field(default_factory=dict)
    """Reason to the lines whose state no game leads to."""

    duplicates: list[tuple[int, int]] = field(default_factory=list)
    """Lines whose state an earlier line has, and that line."""

    symmetric: list[tuple[int, int]] = field(default_factory=list)
    """Lines whose state is another one, but symmetric to that of an earlier line; and that line."""

    @property
    def is_right(self) -> bool:
        """Whether every line is an entry that the rules allow, and none repeats another."""
        return not (self.bad or self.illegal or self.duplicates)

    def shares(self, part: int) -> NDArray[np.float64]:
        """How often TO (0), FROM (1) or REMOVE (2) has each class."""
        shares: NDArray[np.float64] = self.classes[part] / max(1, self.with_move)
        return shares

    def entropy(self, part: int) -> float:
        """In bits: 0 if the class is always the same, 4.64 if all 25 are equally frequent."""
        shares = self.shares(part)
        shares = shares[shares > 0]
        return float(-(shares * np.log2(shares)).sum()) + 0.0

    def as_json(self) -> dict[str, Any]:
        """Everything, with all line numbers."""
        return {
            "entries": self.entries,
            "with_move": self.with_move,
            "phases": {str(phase): int(self.phases[phase]) for phase in (1, 2, 3)},
            "classes": {
                name: dict(zip(CLASS_NAMES, self.classes[part].tolist(), strict=True))
                for part, name in enumerate(PARTS)
            },
            "entropy": {name: round(self.entropy(part), 6) for part, name in enumerate(PARTS)},
            "bad": [line._asdict() for line in self.bad],
            "illegal": self.illegal,
            "impossible": self.impossible,
            "duplicates": self.duplicates,
            "symmetric_duplicates": self.symmetric,
        }


def describe(parts: Iterable[Part], rules: Rules) -> Statistics:
    """Look at all parts of a dataset, each once."""
    found = Statistics()
    states, classes, lines = [], [], []
    for part in parts:
        entries = part.entries
        count(found, part)
        _sort_out(found.illegal, judge(entries, rules), REASONS, part.numbers)
        _sort_out(found.impossible, find_impossible(entries, rules), IMPOSSIBLE, part.numbers)
        states.append(state_keys(entries))
        classes.append(canonical_keys(entries))
        lines.append(part.numbers)
    if lines:
        numbers = np.concatenate(lines)
        found.duplicates = _repeated(np.concatenate(states), numbers)
        again = {line for line, _ in found.duplicates}
        symmetric = _repeated(np.concatenate(classes), numbers)
        found.symmetric = [pair for pair in symmetric if pair[0] not in again]
    return found


def count(found: Statistics, part: Part) -> None:
    """Add the numbers of a part, without looking at what is wrong or repeated."""
    entries = part.entries
    found.entries += len(entries)
    found.bad += part.bad
    found.phases += np.bincount(entries.phases, minlength=4)
    moves = entries.classes[entries.has_move]
    found.with_move += len(moves)
    for number, column in enumerate(moves.T):
        found.classes[number] += np.bincount(column, minlength=NUM_CLASSES)


def _sort_out(
    found: dict[str, list[int]],
    verdicts: NDArray[np.int8],
    reasons: tuple[str, ...],
    lines: NDArray[np.int64],
) -> None:
    for verdict in np.unique(verdicts[verdicts > 0]).tolist():
        found.setdefault(reasons[verdict], []).extend(lines[verdicts == verdict].tolist())


def _repeated(keys: NDArray[np.uint64], lines: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Lines whose key an earlier line has, each with the first such line."""
    _, first, where = np.unique(keys, return_index=True, return_inverse=True)
    earliest = first[where]
    again = np.flatnonzero(earliest != np.arange(len(keys)))
    return list(zip(lines[again].tolist(), lines[earliest[again]].tolist(), strict=True))
