"""The pattern network (Vrajitoru 2015): patterns, the moves between them, and pattern scores.

A pattern is one side's men in a quadrant of the board, as a number from 0 to 511. The two diagonals
cut the board into four quadrants that quarter turns map onto one another. A corner of a square lies
on a diagonal and belongs to two quadrants. Viewed from the edge of the board a quadrant has three
rows of three points; rows are read from left to right, the outer one first, and each man is a 1.
The top quadrant with men on b6, d6, f6, c5 and e5 reads 000 111 101:

>>> from ludus.games.nine_mens_morris.board import POINT_NUMBERS
>>> men = sum(1 << POINT_NUMBERS[name] for name in ("b6", "d6", "f6", "c5", "e5"))
>>> encode_quadrant(men, quadrant=0)
61

A vertex is a pattern, with the number of times it occurred on the board. An edge is a move, with
the number of times it was made from its pattern; divided by all moves from there it is the
probability of the move. A move that changes two quadrants is an edge in each.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from ludus.core.html import format_facts, format_panel, format_table
from ludus.games.nine_mens_morris.board import POINTS, Move, mills, point_at
from ludus.games.nine_mens_morris.position import MorrisPosition

NUM_PATTERNS = 512

NUM_PLACES = 9
"""Points of a quadrant."""

QUADRANTS: tuple[tuple[int, ...], ...] = tuple(
    tuple(point_at(ring, place + 2 * turns) for ring in range(3) for place in range(3))
    for turns in range(4)
)
"""The points of the top, right, bottom and left quadrant, in reading order."""

QUADRANTS_OF_POINT: tuple[tuple[int, ...], ...] = tuple(
    tuple(number for number, points in enumerate(QUADRANTS) if point in points)
    for point in range(24)
)
"""Point to the quadrants it belongs to: two for a corner, one for the middle of a side."""

MILL_PATTERNS: tuple[int, ...] = tuple(
    sum(1 << (NUM_PLACES - 1 - QUADRANTS[0].index(man)) for man in mill)
    for mill in mills(False)
    if set(mill) <= set(QUADRANTS[0])
)
"""The four mills of a quadrant as patterns: its rows, and the line across them."""


def encode_quadrant(men: int, quadrant: int) -> int:
    """Return the pattern of a bitboard in a quadrant."""
    number = 0
    for place in QUADRANTS[quadrant]:
        number = 2 * number + (men >> place & 1)
    return number


def encode_quadrants(men: int) -> tuple[int, ...]:
    """Return the four patterns of a bitboard."""
    return tuple(encode_quadrant(men, quadrant) for quadrant in range(len(QUADRANTS)))


def find_changes(before: int, after: int) -> Iterator[tuple[int, int]]:
    """Yield the old and new pattern of each quadrant in which two bitboards of a side differ."""
    for old, new in zip(encode_quadrants(before), encode_quadrants(after), strict=True):
        if old != new:
            yield old, new


def count_mills(number: int) -> int:
    """Return the number of closed mills in a pattern."""
    return sum(number & line == line for line in MILL_PATTERNS)


def decode_points(number: int) -> frozenset[int]:
    """Return the points of the top quadrant that a pattern occupies."""
    return frozenset(
        point for place, point in enumerate(QUADRANTS[0]) if number >> (NUM_PLACES - 1 - place) & 1
    )


def format_bits(number: int) -> str:
    """Format a pattern as three rows of three bits.

    >>> format_bits(61)
    '000 111 101'
    """
    bits = f"{number:09b}"
    return " ".join(bits[start : start + 3] for start in (0, 3, 6))


def describe_move(before: int, after: int) -> str:
    """Describe the move between two patterns by points of the top quadrant: `b6-d6`, `d6`, `b6
    leaves`.

    A man from outside the quadrant, that is from the hand or another quadrant, has no origin; a man
    that goes to another quadrant has no target.
    """
    left, arrived = decode_points(before & ~after), decode_points(after & ~before)
    names = [" ".join(sorted(POINTS[man] for man in men)) for men in (left, arrived)]
    if not arrived:
        return f"{names[0]} leaves"
    return "-".join(filter(None, names))


@dataclass(frozen=True, slots=True)
class ScoreWeights:
    """Weights of the parts of a score. The defaults are those of section 4 of the paper."""

    mill: float = 10.0
    """Weight w_L of a closed mill."""

    token: float = 1 / 3
    """Weight w_T of a man."""

    freq: float = 3.0
    """Weight w_F of the frequency, which is 1 for the most frequent pattern."""

    mutual: float = 1.0
    """Weight w_M of the mutual score."""


PUBLISHED_WEIGHTS = ScoreWeights()
PUBLISHED_MUTUAL_WEIGHT = 0.2
"""The paper's mutualWeight: proportion of the neighbours' mean score that a pattern receives."""


@dataclass
class PatternNetwork:
    """Counts of patterns and moves in the training games."""

    frequency: list[int] = field(default_factory=lambda: [0] * NUM_PATTERNS)
    """Number of occurrences of each pattern, at the start, by a move or a capture."""

    edges: dict[int, dict[int, int]] = field(default_factory=dict)
    """Pattern to the patterns that moves made of it, with the count of each."""

    mutual_scores: list[float] = field(default_factory=lambda: [0.0] * NUM_PATTERNS)
    """mutualScore of each pattern after the last pass."""

    games: int = 0
    """Number of training games."""

    note: str = ""
    """Readable description of the origin."""

    def _repr_html_(self) -> str:
        moves = sorted(
            (
                (count, old, new)
                for old, others in self.edges.items()
                for new, count in others.items()
            ),
            reverse=True,
        )
        facts = {
            "patterns seen": f"{sum(map(bool, self.frequency)):,} of {NUM_PATTERNS:,}",
            "moves between patterns": f"{len(moves):,}",
            "training games": f"{self.games:,}",
            "origin": self.note,
        }
        rows = [(f"{old} to {new}", count) for count, old, new in moves[:10]]
        parts = format_facts(facts), format_table(("most frequent move", "times"), rows)
        return format_panel("pattern network", *parts)

    def record_start(self, position: MorrisPosition) -> None:
        """Count the eight patterns of the first position of a match."""
        for men in position.bits:
            for number in encode_quadrants(men):
                self.frequency[number] += 1

    def record_step(self, before: MorrisPosition, after: MorrisPosition) -> None:
        """Count one move of a match, and its capture if there is one."""
        mover = before.mover
        for old, new in find_changes(before.bits[mover], after.bits[mover]):
            self.frequency[new] += 1
            moves = self.edges.setdefault(old, {})
            moves[new] = moves.get(new, 0) + 1
        # The patterns of a side that has lost a man are seen, but are no moves of that side.
        for _, new in find_changes(before.bits[1 - mover], after.bits[1 - mover]):
            self.frequency[new] += 1

    def finish_match(
        self, weights: ScoreWeights = PUBLISHED_WEIGHTS, mutual: float = PUBLISHED_MUTUAL_WEIGHT
    ) -> None:
        """Finish the training on a match: update the mutual scores in a single pass."""
        self.games += 1
        self.propagate(weights, mutual)

    def iterate_edges(self, min_count: int = 0) -> Iterator[tuple[int, int]]:
        """Yield the moves with at least this count."""
        for old, moves in self.edges.items():
            for new, count in moves.items():
                if count >= min_count:
                    yield old, new

    def compute_sums(self, weights: ScoreWeights) -> list[float]:
        """Return the weighted sum of the four scores of each pattern, before the power."""
        highest = max(self.frequency) or 1
        return [
            weights.mill * count_mills(number)
            + weights.token * number.bit_count()
            + weights.freq * (self.frequency[number] / highest)
            + weights.mutual * self.mutual_scores[number]
            for number in range(NUM_PATTERNS)
        ]

    def propagate(
        self, weights: ScoreWeights = PUBLISHED_WEIGHTS, mutual: float = PUBLISHED_MUTUAL_WEIGHT
    ) -> None:
        """Update the mutual scores in one pass: a proportion of the mean of the neighbours' sums.

        The mean is over the moves from the pattern. All new values are computed from the old ones,
        so the order of the patterns does not matter, and n passes propagate over n moves. The sums
        are those before the power: repeated powers would diverge.
        """
        sums = self.compute_sums(weights)
        received = [0.0] * NUM_PATTERNS
        for old, moves in self.edges.items():
            total = sum(moves.values())
            # An exact sum does not depend on the order in which moves were first recorded.
            received[old] = (
                mutual * math.fsum(count * sums[new] for new, count in moves.items()) / total
            )
        self.mutual_scores = received

    def copy(self) -> "PatternNetwork":
        """Return an independent copy."""
        edges = {old: dict(moves) for old, moves in self.edges.items()}
        return PatternNetwork(
            list(self.frequency), edges, list(self.mutual_scores), self.games, self.note
        )


def learn_match(
    network: PatternNetwork,
    positions: Iterable[MorrisPosition],
    mutual: float = PUBLISHED_MUTUAL_WEIGHT,
) -> None:
    """Train on a match, given its positions from the start on: every move, then one pass."""
    positions = list(positions)
    network.record_start(positions[0])
    for before, after in pairwise(positions):
        network.record_step(before, after)
    network.finish_match(mutual=mutual)


class MatchObserver:
    """Reconstructs a match from the positions in which one player moves, and trains a network on
    it.

    Between two such positions lie the player's own move and one of the other side. The last move of
    a match is known only if it was the player's own.
    """

    def __init__(self, network: PatternNetwork, weights: ScoreWeights, mutual: float) -> None:
        self._network = network
        self._weights = weights
        self._mutual = mutual
        self._last: MorrisPosition | None = None
        """The position after the player's own move."""

    def observe(self, position: MorrisPosition, move: Move) -> None:
        """Record the player's move in a position."""
        if self._last is None or not _can_be_successor(self._last, position):
            self._network.record_start(position)
        else:
            self._network.record_step(self._last, position)
        self._last = position.play(move)
        self._network.record_step(position, self._last)

    @property
    def is_over(self) -> bool:
        """Whether the player's own move has ended the match."""
        return self._last is not None and self._last.outcome() is not None

    def finish(self) -> bool:
        """Finish the match; return whether there was one."""
        has_played = self._last is not None
        if has_played:
            self._network.finish_match(self._weights, self._mutual)
        self._last = None
        return has_played


def _can_be_successor(last: MorrisPosition, position: MorrisPosition) -> bool:
    """Return whether one move of the other side can lie between the two positions."""
    mover = last.mover
    if position.mover == mover:
        return False
    came = position.bits[mover] & ~last.bits[mover]
    went = last.bits[mover] & ~position.bits[mover]
    taken = last.bits[1 - mover] & ~position.bits[1 - mover]
    return all(change.bit_count() <= 1 for change in (came, went, taken))
