"""Evaluations of positions and moves: how good, how certain, and from which source."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from typing_extensions import TypedDict

from ludus.core.game import Move, Position
from ludus.core.html import format_panel, format_table
from ludus.core.player import Forecast
from ludus.core.text_table import format_text_table
from ludus.games.backgammon.cube import Chances, CubeEquities
from ludus.oracles.interface import OPPOSITE, UTILITIES, Result, Value

Certainty = Literal["exact", "likely", "estimate"]
"""Exact: from a table or a proof. Likely: confirmed predictions. Estimate: everything else."""

Mark = Literal["", "?!", "?", "??"]
"""Inaccuracy, mistake and blunder, as in books on chess."""

MIN_COSTS: tuple[tuple[float, Mark], ...] = ((0.16, "??"), (0.08, "?"), (0.04, "?!"))
"""Points from which a move of a game with dice gets a mark, as in GNU Backgammon."""

MIN_ESTIMATED_COSTS: tuple[tuple[float, Mark], ...] = ((1.4, "??"), (0.7, "?"), (0.35, "?!"))
"""The same for estimates that are neither results nor equities, where a win counts 1."""

MIN_LIKELY = 0.85
"""Probability from which a predicted result counts as likely."""


class ChancesJson(TypedDict):
    """Chances to win, to win a gammon and so on, as JSON."""

    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float


class EvaluationJson(TypedDict):
    """An `Evaluation` as JSON."""

    certainty: Certainty
    source: str
    points: float
    value: Result | None
    depth: int | None
    chances: ChancesJson | None
    lookahead: str


class EvaluatedMoveJson(EvaluationJson):
    """An `EvaluatedMove` as JSON, compared with the best move."""

    move: str
    cost: float
    """Points given away."""

    mark: Mark
    line: list[str]
    """Expected moves after it."""


class CubeJson(ChancesJson):
    """A `CubeEvaluation` as JSON."""

    best: str
    equities: dict[str, float]
    depth: str


class PositionJson(EvaluationJson):
    """A `PositionAnalysis` as JSON: the value of the position is that of its best move."""

    line: list[str]
    """Best play of both sides."""

    moves: list[EvaluatedMoveJson]
    """Best first."""

    cube: CubeJson | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The value of a position for one side."""

    certainty: Certainty

    source: str
    """What the value is from, for users: `the solved game`, `scholar`."""

    points: float
    """Expected result, 1 for a win and -1 for a loss; in games with dice mean points."""

    result: Result | None = None
    """The result, if it is exact or likely."""

    depth: int | None = None
    """Plies to the end, where they are known."""

    chances: Chances | None = None
    """Chances to win, to win a gammon and so on, in games that have them and where they are known.
    """

    lookahead: str = ""
    """`2-ply`, `exact`, …; empty where sources do not differ in this."""

    @classmethod
    def from_value(cls, value: Value, source: str) -> "Evaluation":
        """Return an exact value as an evaluation of the side to move."""
        return cls("exact", source, float(value.utility), value.result, value.depth)

    @classmethod
    def from_forecasts(cls, forecasts: Sequence[Forecast], source: str) -> "Evaluation":
        """Combine predictions of one position: they are likely if all name the same result."""
        size = len(forecasts)
        chances: dict[Result, float] = {
            "win": sum(each.win for each in forecasts) / size,
            "draw": sum(each.draw for each in forecasts) / size,
            "loss": sum(each.loss for each in forecasts) / size,
        }
        named = {_likeliest(each) for each in forecasts}
        result = max(chances, key=lambda name: chances[name])
        is_likely = len(named) == 1 and chances[result] >= MIN_LIKELY
        return cls(
            "likely" if is_likely else "estimate",
            source,
            chances["win"] - chances["loss"],
            result if is_likely else None,
        )

    def __str__(self) -> str:
        """Return the value and how certain it is: `win in 3 plies, exact (the solved game)`."""
        value = f"{self.points:+.3f}"
        if self.result is not None and self.result != "equity":
            value = str(Value(self.result, self.depth))
        return f"{value}, {self.lookahead or self.certainty} ({self.source})"

    def for_previous_mover(self) -> "Evaluation":
        """Return the evaluation one ply earlier, for the side that made the move that led here."""
        return Evaluation(
            self.certainty,
            self.source,
            -self.points + 0.0,
            None if self.result is None else OPPOSITE[self.result],
            None if self.depth is None else self.depth + 1,
            None if self.chances is None else self.chances.flip(),
            self.lookahead,
        )

    @property
    def rank(self) -> tuple[float, float]:
        """Sort key, smaller is better: by result, then quick wins and slow losses."""
        depth = float(self.depth or 0)
        utility = self.points if self.result is None else UTILITIES.get(self.result, self.points)
        return -round(utility, 6), depth if utility > 0 else -depth

    def to_json(self) -> EvaluationJson:
        return {
            "certainty": self.certainty,
            "source": self.source,
            "points": round(self.points, 4) + 0.0,
            "value": self.result,
            "depth": self.depth,
            "chances": None if self.chances is None else _chances_to_json(self.chances),
            "lookahead": self.lookahead,
        }


def format_chances(chances: Chances | None) -> dict[str, object]:
    """Return chances as JSON; empty if they are not known."""
    return {} if chances is None else {**_chances_to_json(chances)}


def _chances_to_json(chances: Chances) -> ChancesJson:
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = chances
    return {
        "win": round(win, 4),
        "win_gammon": round(win_gammon, 4),
        "win_backgammon": round(win_backgammon, 4),
        "lose_gammon": round(lose_gammon, 4),
        "lose_backgammon": round(lose_backgammon, 4),
    }


def _likeliest(forecast: Forecast) -> str:
    chances = {"win": forecast.win, "draw": forecast.draw, "loss": forecast.loss}
    return max(chances, key=lambda name: chances[name])


@dataclass(frozen=True, slots=True, repr=False)
class EvaluatedMove:
    """A legal move, its evaluation for the side that makes it, and what follows it."""

    move: Move
    evaluation: Evaluation

    line: tuple[Move, ...] = ()
    """Expected moves after this one."""

    def __str__(self) -> str:
        return f"{self.move}: {self.evaluation}"

    def __repr__(self) -> str:
        return f"<EvaluatedMove {self}>"

    def to_json(self, best: Evaluation) -> EvaluatedMoveJson:
        return {
            "move": str(self.move),
            **self.evaluation.to_json(),
            "cost": round(compute_cost(best, self.evaluation), 4),
            "mark": select_mark(best, self.evaluation),
            "line": [str(each) for each in self.line],
        }


def compute_cost(best: Evaluation, chosen: Evaluation) -> float:
    """Return the points that the chosen move gives away, compared with the best move."""
    if best.result in UTILITIES and chosen.result in UTILITIES:
        return max(0.0, float(UTILITIES[best.result] - UTILITIES[chosen.result]))
    return max(0.0, best.points - chosen.points)


def find_mark(cost: float, min_costs: tuple[tuple[float, Mark], ...] = MIN_COSTS) -> Mark:
    """Return the mark for points given away; empty below the smallest bound.

    >>> find_mark(0.03), find_mark(0.05), find_mark(0.1), find_mark(0.5)
    ('', '?!', '?', '??')
    """
    return next((mark for least, mark in min_costs if cost >= least), "")


def select_mark(best: Evaluation, played: Evaluation) -> Mark:
    """Return the mark of a move by the points that it gives away."""
    cost = compute_cost(best, played)
    if best.result in UTILITIES and played.result in UTILITIES:
        return "??" if cost > 1 else "?" if cost else ""
    has_equities = best.result == played.result == "equity"
    return find_mark(cost, MIN_COSTS if has_equities else MIN_ESTIMATED_COSTS)


@dataclass(frozen=True, slots=True)
class CubeEvaluation:
    """The equities of cube actions, and the chances of the side that may double."""

    equities: CubeEquities
    chances: Chances
    lookahead: str

    def to_json(self) -> CubeJson:
        equities = self.equities
        return {
            "best": equities.best_action,
            "equities": {
                "no double": round(equities.no_double, 4),
                "double, take": round(equities.double_take, 4),
                "double, drop": round(equities.double_drop, 4),
            },
            "depth": self.lookahead,
            **_chances_to_json(self.chances),
        }


@dataclass(frozen=True, slots=True, repr=False)
class PositionAnalysis:
    """The evaluated moves of a position, best first; the position has the value of the first."""

    moves: tuple[EvaluatedMove, ...]

    cube: CubeEvaluation | None = None
    """What doubling, taking and dropping count, where a side decides about the cube."""

    position: Position | None = field(default=None, compare=False)
    """The position itself, where it is to be drawn."""

    @property
    def best(self) -> EvaluatedMove:
        return self.moves[0]

    def find(self, move: Move) -> EvaluatedMove:
        """Return the evaluation of a move."""
        return next(each for each in self.moves if each.move == move)

    def cost(self, move: Move) -> float:
        """Return the points that a move gives away."""
        return compute_cost(self.best.evaluation, self.find(move).evaluation)

    def count_equal_moves(self) -> int:
        """Return the number of moves that give nothing away."""
        best = self.best.evaluation
        return sum(compute_cost(best, each.evaluation) == 0 for each in self.moves)

    def to_json(self) -> PositionJson:
        best = self.best.evaluation
        return {
            **best.to_json(),
            "line": [str(self.best.move), *map(str, self.best.line)],
            "moves": [each.to_json(best) for each in self.moves],
            "cube": None if self.cube is None else self.cube.to_json(),
        }

    def format(self, width: int | None = None, max_moves: int | None = None) -> str:
        """Return the board, the value and the best moves as text of this width."""
        board = [] if self.position is None else [self.position.text(), ""]
        table = format_text_table(self._headings, self._rows()[:max_moves], width)
        sources = dict.fromkeys(each.evaluation.source for each in self.moves[:max_moves])
        return "\n".join([*board, *self._describe_cube(), table, "", f"from {', '.join(sources)}"])

    def __str__(self) -> str:
        return self.format()

    def __repr__(self) -> str:
        best = self.best.evaluation
        value = best.result if best.result in UTILITIES else f"{best.points:+.3f}"
        return f"<PositionAnalysis: {len(self.moves)} moves, best {self.best.move} ({value})>"

    def _describe_cube(self) -> list[str]:
        if self.cube is None:
            return []
        chances = self.cube.chances
        return [
            f"{self.cube.equities.best_action}; wins {chances.win:.1%}, gammons "
            f"{chances.win_gammon:.1%}, loses gammons {chances.lose_gammon:.1%}",
            "",
        ]

    @property
    def _headings(self) -> tuple[str, ...]:
        points = "equity" if self.best.evaluation.result == "equity" else "points"
        chances = ("wins", "gammons", "loses gammons")
        return "move", "value", "plies", points, "loss", "", *chances, "by", "then"

    def _rows(self) -> list[tuple[str, ...]]:
        """Return a row for each move; columns in which none has a value stay empty."""
        best = self.best.evaluation
        rows = []
        for each in self.moves:
            found, cost = each.evaluation, compute_cost(best, each.evaluation)
            is_result = found.result in UTILITIES and found.certainty == "exact"
            chances = found.chances
            shown = (
                ("", "", "")
                if chances is None or self.cube is not None
                else (chances.win, chances.win_gammon, chances.lose_gammon)
            )
            rows.append(
                (
                    str(each.move),
                    "" if found.result == "equity" or found.result is None else found.result,
                    "" if found.depth is None else str(found.depth),
                    "" if is_result else f"{found.points:+.3f}",
                    "" if is_result or not cost else f"{cost:.3f}",
                    select_mark(best, found),
                    *(each if each == "" else f"{each:.1%}" for each in shown),
                    found.lookahead or found.certainty,
                    " ".join(map(str, each.line)),
                )
            )
        return rows

    def _repr_html_(self) -> str:
        """Return the board and the moves, which notebooks show."""
        board = [] if self.position is None else [self.position.svg()]
        title = f"best is {self.best.move}, from {self.best.evaluation.source}"
        return format_panel(title, *board, format_table(self._headings, self._rows()))
