"""A network to be looked at: its patterns with the parts of their scores, and the moves between."""

from collections.abc import Sequence
from dataclasses import dataclass

from ludus.learn.patterns.network import Network
from ludus.learn.patterns.quadrants import NUM_PATTERNS, describe_move, num_mills
from ludus.learn.patterns.settings import Settings, knowledge, with_lent_scores


@dataclass(frozen=True, slots=True)
class Vertex:
    """A pattern and what is known about it."""

    pattern: int
    frequency: int
    mill: int
    """millScore: closed mills."""

    token: int
    """tokenScore: men."""

    freq: float
    """freqScore: the frequency, divided by the highest one."""

    mutual: float
    """mutualScore: what neighbours have lent."""

    score: float


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A move from one pattern to another."""

    pattern: int
    """The pattern at the other end."""

    move: str
    count: int
    weight: float
    """The probability of the move, given the pattern it starts from."""

    score: float
    """Of the pattern at the other end."""


class View:
    """A network seen with some settings."""

    def __init__(self, network: Network, settings: Settings) -> None:
        self.network = network
        self.settings = settings
        self._scores = knowledge(network, settings).scores
        self._mutual = with_lent_scores(network, settings).mutual
        self._highest = max(network.frequency) or 1

    @property
    def num_edges(self) -> int:
        return sum(map(len, self.network.edges.values()))

    def seen(self) -> list[int]:
        """The patterns that ever stood on a board."""
        return [number for number in range(NUM_PATTERNS) if self.network.frequency[number]]

    def vertex(self, number: int) -> Vertex:
        frequency = self.network.frequency[number]
        return Vertex(
            number,
            frequency,
            num_mills(number),
            number.bit_count(),
            frequency / self._highest,
            self._mutual[number],
            self._scores[number],
        )

    def best(self, number: int) -> list[Vertex]:
        """The patterns with the highest scores."""
        ranked = sorted(self.seen(), key=lambda each: (-self._scores[each], each))
        return [self.vertex(each) for each in ranked[:number]]

    def onwards(self, number: int) -> list[Neighbour]:
        """The moves from a pattern, the most frequent first."""
        moves = self.network.edges.get(number, {})
        total = sum(moves.values())
        found = [
            Neighbour(new, describe_move(number, new), count, count / total, self._scores[new])
            for new, count in moves.items()
        ]
        return _ranked(found)

    def back(self, number: int) -> list[Neighbour]:
        """The moves to a pattern, the most frequent first."""
        found = [
            Neighbour(
                old,
                describe_move(old, number),
                moves[number],
                moves[number] / sum(moves.values()),
                self._scores[old],
            )
            for old, moves in self.network.edges.items()
            if number in moves
        ]
        return _ranked(found)


def _ranked(neighbours: Sequence[Neighbour]) -> list[Neighbour]:
    return sorted(neighbours, key=lambda each: (-each.count, each.pattern))
