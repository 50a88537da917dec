"""The pattern network (Vrajitoru 2015): patterns, the moves between them, and pattern scores.

A vertex is a pattern of one side, with the number of times it occurred on the board. An edge is a
move, with the number of times it was made from its pattern; divided by all moves from there it is
the probability of the move. A move that changes two quadrants is an edge in each.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from ludus.core.html import format_facts, format_panel, format_table
from ludus.games.nine_mens_morris.board import Move
from ludus.games.nine_mens_morris.position import MorrisPosition
from ludus.learn.patterns.encoding import NUM_PATTERNS, count_mills, encode_quadrants, find_changes


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

    def count_pattern(self, number: int) -> None:
        """Count an occurrence of a pattern."""
        self.frequency[number] += 1

    def add_move(self, before: int, after: int) -> None:
        """Count a move of a side, given its men before and after as bitboards."""
        for old, new in find_changes(before, after):
            self.count_pattern(new)
            moves = self.edges.setdefault(old, {})
            moves[new] = moves.get(new, 0) + 1

    def add_capture(self, before: int, after: int) -> None:
        """Count the patterns of a side that has lost a man, which are not moves of that side."""
        for _, new in find_changes(before, after):
            self.count_pattern(new)

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

    def clear_mutual(self) -> None:
        """Set all mutual scores to 0."""
        self.mutual_scores = [0.0] * NUM_PATTERNS

    def copy(self) -> "PatternNetwork":
        """Return an independent copy."""
        edges = {old: dict(moves) for old, moves in self.edges.items()}
        return PatternNetwork(
            list(self.frequency), edges, list(self.mutual_scores), self.games, self.note
        )


def record_start(network: PatternNetwork, position: MorrisPosition) -> None:
    """Count the eight patterns of the first position of a match."""
    for men in position.bits:
        for number in encode_quadrants(men):
            network.count_pattern(number)


def record_step(network: PatternNetwork, before: MorrisPosition, after: MorrisPosition) -> None:
    """Count one move of a match, and its capture if there is one."""
    mover = before.mover
    network.add_move(before.bits[mover], after.bits[mover])
    network.add_capture(before.bits[1 - mover], after.bits[1 - mover])


def learn_match(
    network: PatternNetwork,
    positions: Iterable[MorrisPosition],
    weights: ScoreWeights = PUBLISHED_WEIGHTS,
    mutual: float = PUBLISHED_MUTUAL_WEIGHT,
) -> None:
    """Train on a match, given its positions from the start on: every move, then one pass."""
    positions = list(positions)
    record_start(network, positions[0])
    for before, after in pairwise(positions):
        record_step(network, before, after)
    finish_match(network, weights, mutual)


def finish_match(
    network: PatternNetwork,
    weights: ScoreWeights = PUBLISHED_WEIGHTS,
    mutual: float = PUBLISHED_MUTUAL_WEIGHT,
) -> None:
    """Finish the training on a match: update the mutual scores in a single pass."""
    network.games += 1
    network.propagate(weights, mutual)


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
            record_start(self._network, position)
        else:
            record_step(self._network, self._last, position)
        self._last = position.play(move)
        record_step(self._network, position, self._last)

    @property
    def is_over(self) -> bool:
        """Whether the player's own move has ended the match."""
        return self._last is not None and self._last.outcome() is not None

    def finish(self) -> bool:
        """Finish the match; return whether there was one."""
        has_played = self._last is not None
        if has_played:
            finish_match(self._network, self._weights, self._mutual)
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
