"""The question that every oracle answers: what does perfect play make of this position?

A value is that of the position alone. How often it has occurred and how many quiet plies lie
behind it do not count, with one exception: a game that is over, by repetition too, is worth what
it ended with.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ludus.core.errors import LudusError, quoted

if TYPE_CHECKING:
    from ludus.oracle.morris import MorrisOracle

Result = Literal["win", "draw", "loss"]

ORDER: tuple[Result, ...] = ("win", "draw", "loss")
"""Best first."""

OPPOSITE: dict[Result, Result] = {"win": "loss", "draw": "draw", "loss": "win"}


class Unsolved(LudusError):
    """A position is beyond what is solved; the message says what is missing and how to get it."""


class WrongRules(LudusError):
    """A position or a game has other rules than those that were solved."""


@dataclass(frozen=True, slots=True)
class Value:
    """What perfect play makes of a position, as the side to move sees it."""

    result: Result

    depth: int | None = None
    """Plies to the end if the winner hurries and the loser resists; None for a draw, and where
    depths are not stored."""

    def before(self) -> "Value":
        """What the move that led here is worth to the side that made it, one ply earlier."""
        return Value(OPPOSITE[self.result], None if self.depth is None else self.depth + 1)

    @property
    def rank(self) -> tuple[int, int]:
        """Smaller is better: quick wins, slow wins, draws, slow losses, quick losses."""
        depth = self.depth or 0
        return ORDER.index(self.result), depth if self.result == "win" else -depth

    def __str__(self) -> str:
        if self.depth is None:
            return self.result
        return f"{self.result} in {self.depth} {'ply' if self.depth == 1 else 'plies'}"


@dataclass(frozen=True, slots=True)
class RatedMove:
    """A legal move and what it is worth."""

    move: Any

    value: Result
    """What perfect play makes of the game after the move, as the side that makes it sees it."""

    depth: int | None
    """Plies to the end, this move counted."""


class Oracle(ABC):
    """Exact values of a game, or of the part of it that is solved."""

    @staticmethod
    def open(folder: Path | str) -> "MorrisOracle":
        """The oracle of a database that `ludus solve` has written."""
        from ludus.oracle.database import Database
        from ludus.oracle.morris import MorrisOracle

        return MorrisOracle(Database.open(Path(folder)), quoted(str(folder), 200))

    @property
    @abstractmethod
    def extent(self) -> str:
        """What is solved, for people, as it stands after `solved`: `up to 4 men a side`."""

    @property
    def has_depth(self) -> bool:
        """Whether wins and losses come with the plies to the end."""
        return True

    @abstractmethod
    def knows(self, position: Any) -> bool:
        """Whether the position has a value here; it may be solved in order to find out."""

    @abstractmethod
    def recall(self, position: Any) -> Value | None:
        """The value if it is at hand, so that a search may ask at every turn; None if it is not."""

    @abstractmethod
    def values(self, positions: Sequence[Any]) -> list[Value]:
        """The values of many positions; Unsolved if one of them has none here."""

    def value(self, position: Any) -> Value:
        """The value of a position; Unsolved if it has none here."""
        return self.values([position])[0]

    def moves(self, position: Any) -> list[RatedMove]:
        """Every legal move with what it is worth, best first, equal ones in legal order.

        Best is the quickest win, then draws, then the slowest loss. A move that repeats a position
        so often that the rules call the game drawn is a draw, whatever the position is worth.
        """
        return self.moves_of_many([position])[0]

    def moves_of_many(self, positions: Sequence[Any]) -> list[list[RatedMove]]:
        """What `moves` says of each position, looked up together; Unsolved if one is."""
        legal = [position.legal_moves() for position in positions]
        asked: list[Any] = []
        for position, moves in zip(positions, legal, strict=True):
            asked += [position, *map(position.play, moves)]
        values = iter(self.values(asked))
        return [_rated(moves, [next(values) for _ in range(len(moves) + 1)]) for moves in legal]


def _rated(moves: Sequence[Any], values: Sequence[Value]) -> list[RatedMove]:
    """The moves, best first; `values` are those of the position and of what each move leads to."""
    rated = [(move, value.before()) for move, value in zip(moves, values[1:], strict=True)]
    rated.sort(key=lambda each: each[1].rank)
    return [RatedMove(move, value.result, value.depth) for move, value in rated]


def value_of_end(position: Any) -> Value | None:
    """The value of a game that is over, to the side that would be to move; None if it goes on."""
    outcome = position.outcome()
    if outcome is None:
        return None
    if outcome.winner is None:
        return Value("draw")
    return Value("win" if outcome.winner == position.mover else "loss", 0)
