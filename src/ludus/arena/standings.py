"""Who has won how often against whom."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from ludus.arena.jobs import GameResult
from ludus.arena.tournament import Tournament

THESIS_WORDS = {"men": "removing", "blocked": "suffocating"}
"""How the thesis on Nine Men's Morris calls two of our outcome reasons."""

FAULTS = ("illegal", "timeout", "crash")
"""Ways to lose that no rules of a game know."""


@dataclass
class Pair:
    """The games of two players."""

    wins: list[int] = field(default_factory=lambda: [0, 0])
    draws: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def games(self) -> int:
        return sum(self.wins) + self.draws

    def add(self, result: GameResult) -> None:
        self.reasons[result.reason] += 1
        if result.winner is None:
            self.draws += 1
        else:
            self.wins[result.winner] += 1


@dataclass
class Line:
    """What one player has got out of all its games."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    """Games lost by an illegal move, by time, or by a crash."""

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A draw counts half."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float:
        """The share of the points that could be had."""
        return self.points / self.games if self.games else 0.0


@dataclass
class Standings:
    """All that is known so far."""

    pairs: dict[tuple[str, str], Pair]
    lines: dict[str, Line]
    messages: Counter[tuple[str, str]]
    """Players, and what they said when they failed, to how often that happened."""

    @property
    def games(self) -> int:
        return sum(pair.games for pair in self.pairs.values())

    @property
    def reasons(self) -> Counter[str]:
        return sum((pair.reasons for pair in self.pairs.values()), Counter[str]())


def standings(tournament: Tournament, results: Iterable[GameResult]) -> Standings:
    """Count the results that belong to a tournament as it is scheduled now."""
    found = Standings(
        {pair: Pair() for pair in tournament.pairs()},
        {player: Line() for player in tournament.players},
        Counter(),
    )
    for result in results:
        players = result.key.first, result.key.second
        if players not in found.pairs or result.key.number >= tournament.games:
            continue
        found.pairs[players].add(result)
        for seat, player in enumerate(players):
            line = found.lines[player]
            if result.winner is None:
                line.draws += 1
            elif result.winner == seat:
                line.wins += 1
            else:
                line.losses += 1
                if result.reason in FAULTS:
                    line.faults[result.reason] += 1
                    found.messages[player, result.message] += 1
    return found
