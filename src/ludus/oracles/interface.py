"""The interface of oracles: values of positions and moves under perfect play.

A value is that of the position alone, whatever its repetitions and quiet plies, with one exception:
a game that is over, also by repetition, has the value of its outcome.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ludus.core.errors import LudusError, quote
from ludus.core.game import Move, Position
from ludus.core.text_table import format_text_table

if TYPE_CHECKING:
    from ludus.games.backgammon.cube import CubeEquities
    from ludus.oracles.morris.oracle import MorrisOracle

Result = Literal["win", "draw", "loss", "equity"]
"""How a game ends; `equity` in games with dice, where a value is a mean number of points."""

EQUITY_TOLERANCE = 1e-6
"""Equities that differ by less count as equal: tables are right to about that."""

ORDER: tuple[Result, ...] = ("win", "draw", "loss")
"""Best first."""

OPPOSITE: dict[Result, Result] = {
    "win": "loss",
    "draw": "draw",
    "loss": "win",
    "equity": "equity",
}

UTILITIES: dict[Result, int] = {"win": 1, "draw": 0, "loss": -1}


class Unsolved(LudusError):
    """A position is not solved; the message names what is missing and how to get it."""


class WrongRules(LudusError):
    """A position or a game has other rules than the solved ones."""


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a position under perfect play, for the side to move."""

    result: Result

    depth: int | None = None
    """Plies to the end if the winner minimizes and the loser maximizes them.

    None for a draw, and where depths are not stored.
    """

    equity: float | None = None
    """Mean points of the side whose turn it is, in games with dice; otherwise None."""

    def for_previous_mover(self) -> "Value":
        """Return the value one ply earlier, for the side that made the move that led here."""
        return Value(
            OPPOSITE[self.result],
            None if self.depth is None else self.depth + 1,
            None if self.equity is None else -self.equity,
        )

    @property
    def rank(self) -> tuple[int, float]:
        """Sort key, smaller is better: quick wins, slow wins, draws, slow losses, quick losses.

        Equities are sorted by points.
        """
        if self.equity is not None:
            return 0, -self.equity
        depth = self.depth or 0
        return ORDER.index(self.result), depth if self.result == "win" else -depth

    @property
    def utility(self) -> float:
        """1 for a win, 0 for a draw, -1 for a loss; in games with dice the equity."""
        return UTILITIES[self.result] if self.equity is None else self.equity

    def to_json(self) -> dict[str, Any]:
        equity = {} if self.equity is None else {"equity": self.equity}
        return {"value": self.result, "depth": self.depth, **equity}

    def __str__(self) -> str:
        if self.equity is not None:
            return f"equity {self.equity:+.4f}"
        if self.depth is None:
            return self.result
        return f"{self.result} in {self.depth} {'ply' if self.depth == 1 else 'plies'}"


def describe_distance(plies: int | None) -> str:
    """Return in how many of its moves the winning side wins, as ` in 2 moves`, or nothing."""
    if not plies:
        return ""
    moves = (plies + 1) // 2
    return f" in {moves} {'move' if moves == 1 else 'moves'}"


@dataclass(frozen=True, slots=True, repr=False)
class RatedMove:
    """A legal move and its value."""

    move: Move

    value: Result
    """The result after the move under perfect play, for the side that makes it."""

    depth: int | None
    """Plies to the end, including this move."""

    cost: float
    """Regret: the utility of the best move minus that of this move; 0, 1 or 2, or points."""

    equity: float | None = None
    """Mean points after the move, for the side that makes it, in games with dice."""

    def __str__(self) -> str:
        return f"{self.move}: {Value(self.value, self.depth, self.equity)}"

    def __repr__(self) -> str:
        return f"<RatedMove {self}>"


@dataclass(frozen=True, slots=True, repr=False)
class Verdict:
    """The value of a position and of each of its legal moves."""

    value: Value

    moves: tuple[RatedMove, ...]
    """Best first, equal ones in legal order.

    Best is the quickest win, then draws, then the slowest loss. A move that repeats a position so
    often that the game is drawn by the rules is a draw, whatever the value of the position.
    """

    def format(self, width: int | None = None) -> str:
        """Return the moves with their values as a table of this width."""
        rows = [
            (
                "✗" if each.cost else "✓",
                str(each.move),
                each.value if each.equity is None else f"{each.equity:+.4f}",
                "" if each.depth is None else str(each.depth),
                f"{each.cost:.4f}" if each.cost and each.equity is not None else "",
            )
            for each in self.moves
        ]
        value = "value" if self.value.equity is None else "equity"
        return format_text_table(("", "move", value, "plies", "loss"), rows, width)

    def __str__(self) -> str:
        return "\n".join([str(self.value), *([self.format()] if self.moves else [])])

    def __repr__(self) -> str:
        return f"<Verdict: {self.value}, {len(self.best)} of {len(self.moves)} moves keep it>"

    def limit(self, plies: int) -> "Verdict":
        """Return the verdict if the game is a draw after this number of plies.

        A win that takes longer, and a loss that can be put off so long, is a draw. This is exact,
        since a depth is that of the quickest win against the longest resistance; values without
        depths stay as they are.
        """
        if self.value.equity is not None:
            return self
        values = [each.value if (each.depth or 0) <= plies else "draw" for each in self.moves]
        best = max(map(UTILITIES.__getitem__, values), default=0)
        moves = tuple(
            replace(
                each,
                value=value,
                depth=each.depth if value == each.value else None,
                cost=best - UTILITIES[value],
            )
            for each, value in zip(self.moves, values, strict=True)
        )
        ranked = sorted(moves, key=lambda each: Value(each.value, each.depth).rank)
        is_late = (self.value.depth or 0) > plies
        return Verdict(Value("draw") if is_late else self.value, tuple(ranked))

    @property
    def best(self) -> tuple[Move, ...]:
        """The moves without cost, which keep the value."""
        return tuple(each.move for each in self.moves if not each.cost)

    @property
    def is_critical(self) -> bool:
        """Whether some move has a cost."""
        return any(each.cost for each in self.moves)

    def cost(self, move: Move) -> float:
        """Return the cost of a legal move."""
        return next(each.cost for each in self.moves if each.move == move)


class Oracle(ABC):
    """Exact values of a game, or of the part of it that is solved."""

    @staticmethod
    def open(folder: Path | str) -> "MorrisOracle":
        """Open a database of the Morris family written by `ludus solve`."""
        from ludus.oracles.morris.database import Database
        from ludus.oracles.morris.oracle import MorrisOracle

        return MorrisOracle(Database.open(Path(folder)), quote(str(folder), 200))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: solved {self.coverage}>"

    @property
    @abstractmethod
    def coverage(self) -> str:
        """The solved part for users, as it follows the word `solved`: `up to 4 men a side`."""

    @property
    def advice(self) -> str:
        """The command that solves the rest of the game, with its cost; empty if there is none."""
        return ""

    @property
    def has_depth(self) -> bool:
        """Whether wins and losses have the plies to the end."""
        return True

    @abstractmethod
    def has_value(self, position: Position) -> bool:
        """Return whether the position has a value here; it may be solved to find out."""

    @abstractmethod
    def value_if_known(self, position: Position) -> Value | None:
        """Return the value if it is available quickly enough for a search; otherwise None."""

    @abstractmethod
    def values(self, positions: Sequence[Position]) -> list[Value]:
        """Return the values of many positions; Unsolved if one of them has none here."""

    def value(self, position: Position) -> Value:
        """Return the value of a position; Unsolved if it has none here."""
        return self.values([position])[0]

    def cube_equities(self, position: Any) -> "CubeEquities | None":
        """Return what the decisions about the doubling cube are worth, where a game has one."""
        return None

    def chances(self, position: Position) -> dict[str, float] | None:
        """Return the chances behind an equity, in games with dice and where they are stored."""
        return None

    def rate_moves(self, position: Position) -> list[RatedMove]:
        """Return every legal move with its value, best first, as in `Verdict.moves`."""
        return list(self.verdict(position).moves)

    def verdict(self, position: Position) -> Verdict:
        """Return the value of a position and of its moves; Unsolved if it has none here."""
        return self.verdicts([position])[0]

    def verdicts(self, positions: Sequence[Position]) -> list[Verdict]:
        """Return the verdicts on many positions; Unsolved if one of them has none here."""
        legal = [position.legal_moves() for position in positions]
        successors: list[Position] = []
        for position, moves in zip(positions, legal, strict=True):
            successors += [position, *map(position.play, moves)]
        values = iter(self.values(successors))
        return [
            Verdict(next(values), rank_moves(moves, [next(values) for _ in moves]))
            for moves in legal
        ]


def rank_moves(moves: Sequence[Move], values: Sequence[Value]) -> tuple[RatedMove, ...]:
    """Rank the moves, best first; `values` are those of the positions they lead to."""
    rated = [(move, value.for_previous_mover()) for move, value in zip(moves, values, strict=True)]
    rated.sort(key=lambda each: each[1].rank)
    best = rated[0][1].utility if rated else 0
    return tuple(
        RatedMove(move, value.result, value.depth, _compute_cost(best, value), value.equity)
        for move, value in rated
    )


def _compute_cost(best: float, value: Value) -> float:
    cost = best - value.utility
    return 0.0 if value.equity is not None and cost < EQUITY_TOLERANCE else cost


def evaluate_end(position: Position) -> Value | None:
    """Return the value of a finished game for the side to move next; None if it is not finished."""
    outcome = position.outcome()
    if outcome is None:
        return None
    if outcome.winner is None:
        return Value("draw")
    return Value("win" if outcome.winner == position.mover else "loss", 0)
