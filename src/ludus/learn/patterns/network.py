"""The network: patterns that were seen, the moves between them, and how good each pattern is.

A vertex is a pattern of one side, with the number of times it came to stand on the board. An edge
is a move that was made, with the number of times it was made from its pattern; divided by all moves
from there it is the probability of the move. A move that changes two quadrants is an edge in each.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from ludus.learn.patterns.quadrants import NUM_PATTERNS, changes, num_mills


@dataclass(frozen=True, slots=True)
class Weights:
    """What the parts of a score count. The defaults are those of the paper (section 4)."""

    mill: float = 10.0
    """Of a closed mill: w_L."""

    token: float = 1 / 3
    """Of a man: w_T."""

    freq: float = 3.0
    """Of the frequency, which is 1 for the most frequent pattern: w_F."""

    mutual: float = 1.0
    """Of what the neighbours lend: w_M."""


SEED_WEIGHTS = Weights()
SEED_MUTUAL = 0.2
"""The paper's mutualWeight: the part of its neighbours' mean score that is lent to a pattern."""


def _none() -> list[int]:
    return [0] * NUM_PATTERNS


@dataclass
class Network:
    """What was seen in the games that were learned."""

    frequency: list[int] = field(default_factory=_none)
    """Pattern to how often it came to stand on a quadrant, at the start, by a move or a capture."""

    edges: dict[int, dict[int, int]] = field(default_factory=dict)
    """Pattern to the patterns that moves made of it, each with how often."""

    mutual: list[float] = field(default_factory=lambda: [0.0] * NUM_PATTERNS)
    """Pattern to mutualScore, as the last pass left it."""

    games: int = 0
    """Matches that were learned."""

    note: str = ""
    """Where it comes from, for people."""

    def see(self, number: int) -> None:
        """A pattern has come to stand on a quadrant."""
        self.frequency[number] += 1

    def see_move(self, before: int, after: int) -> None:
        """A side with these men (a bitboard) has moved one or placed one."""
        for old, new in changes(before, after):
            self.see(new)
            moves = self.edges.setdefault(old, {})
            moves[new] = moves.get(new, 0) + 1

    def see_capture(self, before: int, after: int) -> None:
        """A side has lost a man: patterns come about, but by no move of that side."""
        for _, new in changes(before, after):
            self.see(new)

    def known_edges(self, least: int = 0) -> Iterator[tuple[int, int]]:
        """The moves that were made at least so often."""
        for old, moves in self.edges.items():
            for new, count in moves.items():
                if count >= least:
                    yield old, new

    def sums(self, weights: Weights) -> list[float]:
        """Pattern to the weighted sum of its four scores, before the power is taken."""
        highest = max(self.frequency) or 1
        return [
            weights.mill * num_mills(number)
            + weights.token * number.bit_count()
            + weights.freq * (self.frequency[number] / highest)
            + weights.mutual * self.mutual[number]
            for number in range(NUM_PATTERNS)
        ]

    def spread(self, weights: Weights = SEED_WEIGHTS, mutual: float = SEED_MUTUAL) -> None:
        """One pass: every pattern is lent a part of the mean of its neighbours' sums.

        The mean is over the moves that were made from the pattern. All new values come from the
        old ones, so the order of the patterns is no matter, and n passes reach n moves far. The
        sums are those before the power: powers of powers would grow beyond all bounds.
        """
        sums = self.sums(weights)
        lent = [0.0] * NUM_PATTERNS
        for old, moves in self.edges.items():
            total = sum(moves.values())
            # An exact sum, so that the order in which moves were first seen is no matter either.
            lent[old] = (
                mutual * math.fsum(count * sums[new] for new, count in moves.items()) / total
            )
        self.mutual = lent

    def reset(self) -> None:
        """Forget what neighbours have lent."""
        self.mutual = [0.0] * NUM_PATTERNS

    def copy(self) -> "Network":
        """The same network, to go another way from here."""
        edges = {old: dict(moves) for old, moves in self.edges.items()}
        return Network(list(self.frequency), edges, list(self.mutual), self.games, self.note)
