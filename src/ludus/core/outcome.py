"""How a game ended."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: who won, why, and for how many points.

    >>> Outcome(winner=1, reason="blocked")
    Outcome(winner=1, reason='blocked', points=1)
    """

    winner: int | None
    """The side that won, 0 or 1; None for a draw."""

    reason: str
    """Why it ended, in one word: `men`, `blocked`, `repetition`, `line`, `illegal`, …"""

    points: int = 1
    """What the win counts; more than one only in backgammon (gammon 2, backgammon 3)."""

    def score(self, side: int) -> int:
        """Points for this side: positive when it won, negative when it lost, zero for a draw."""
        if self.winner is None:
            return 0
        return self.points if self.winner == side else -self.points

    def __str__(self) -> str:
        if self.winner is None:
            return f"draw ({self.reason})"
        return f"side {self.winner} wins ({self.reason})"
