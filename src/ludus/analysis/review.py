"""Review of a game: values, marks and reasons for mistakes, luck, and a rating of each side.

An error is what a move gives away against the best one. A performance rating is 500 times the mean
error of a side's decisions, as in eXtreme Gammon: unforced moves, doubles, takes and drops, and
rolls without a double where the choice is close.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from typing_extensions import TypedDict

from ludus.analysis.evaluation import (
    Certainty,
    EvaluatedMove,
    Evaluation,
    EvaluationJson,
    Mark,
    PositionAnalysis,
    select_mark,
)
from ludus.analysis.evaluators import Evaluator
from ludus.analysis.reasons import explain_mistake
from ludus.core.game import CHANCE, AnyGame, Move, Position
from ludus.core.html import format_panel, format_table
from ludus.core.text_table import format_text_table
from ludus.games.backgammon.stakes import DOUBLE
from ludus.oracles.interface import evaluate_end

CLOSE_CUBE: Final = 0.16
"""Largest difference between doubling and not doubling that counts as a decision, as in gnubg."""

PERFORMANCE_SCALE: Final = 500.0

RATING_BOUNDS: Final = (
    (0.005, "extra-terrestrial"),
    (0.010, "world class"),
    (0.015, "expert"),
    (0.020, "advanced"),
    (0.025, "intermediate"),
    (0.030, "beginner"),
)
"""Upper bound of the error per move for each rating."""

WORST_RATING: Final = "novice"

MARKS: Final[tuple[Mark, ...]] = ("?!", "?", "??")


def get_rating(error: float) -> str:
    """Return the rating of a backgammon player for a mean error per move.

    >>> get_rating(0.004), get_rating(0.017), get_rating(0.2)
    ('extra-terrestrial', 'advanced', 'novice')
    """
    return next((name for bound, name in RATING_BOUNDS if error < bound), WORST_RATING)


def compute_accuracy(cost: float) -> float:
    """Return the accuracy of a move that gives away points, 0 to 100, as lichess.org computes it.

    https://lichess.org/page/accuracy, where a win is 100% and a draw 50%; here a win is 1 point and
    a loss -1. The accuracy of a side is the mean over its moves.

    >>> [round(compute_accuracy(cost)) for cost in (0, 0.1, 1, 2)]
    [100, 80, 9, 0]
    """
    percent = 50 * min(cost, 2.0)
    return min(max(103.1668 * math.exp(-0.04354 * percent) - 3.1669, 0.0), 100.0)


class ReviewedMoveJson(TypedDict):
    """A `ReviewedMove` as JSON."""

    move: str
    mover: int
    mark: Mark
    cost: float
    certainty: Certainty
    before: EvaluationJson
    after: EvaluationJson
    best: str
    line: list[str]
    """Best play of both sides, from the best move on."""

    reply: list[str]
    """Best play of both sides after the move."""

    reason: str
    kind: str
    counted: bool


class ReviewedRollJson(TypedDict):
    """A `ReviewedRoll` as JSON."""

    roll: str
    mover: int
    luck: float


class SideSummaryJson(TypedDict):
    """A `SideSummary` as JSON."""

    moves: int
    cube_decisions: int
    total_error: float
    move_error: float
    cube_error: float
    error_per_decision: float | None
    luck: float
    performance_rating: float | None
    rating: str | None
    marks: dict[Mark, int]
    accuracy: float | None
    stages: dict[str, float]
    """Accuracy in each stage of the game."""


class GameReviewJson(TypedDict):
    """A `GameReview` as JSON."""

    evaluations: list[EvaluationJson | None]
    moves: list[ReviewedMoveJson | None]
    rolls: list[ReviewedRollJson | None]
    sides: list[SideSummaryJson]


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """A move of a game, what it gave away, and what would have been better."""

    position: Position
    """The position before the move."""

    move: Move
    mark: Mark
    cost: float
    """Points given away, at least as far as the evaluation can tell."""

    certainty: Certainty
    """That of the verdict on this move."""

    before: Evaluation
    """Value of the position for the mover with the best move."""

    after: Evaluation
    """Value for the mover after the move."""

    best: Move
    line: tuple[Move, ...] = ()
    """Expected moves after the best one."""

    reply: tuple[Move, ...] = ()
    """Expected moves after the move that was played."""

    reason: str = ""
    """Why the move is marked, in one or two sentences; empty without a mark."""

    kind: str = "move"
    """As `Game.classify_decision` has it."""

    is_counted: bool = True
    """Whether it counts in the performance rating."""

    stage: str = ""
    """As `Game.stage` has it."""

    @property
    def mover(self) -> int:
        return self.position.mover

    def to_json(self) -> ReviewedMoveJson:
        return {
            "move": str(self.move),
            "mover": self.mover,
            "mark": self.mark,
            "cost": round(self.cost, 4),
            "certainty": self.certainty,
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "best": str(self.best),
            "line": [str(self.best), *map(str, self.line)],
            "reply": [str(each) for each in self.reply],
            "reason": self.reason,
            "kind": self.kind,
            "counted": self.is_counted,
        }


@dataclass(frozen=True, slots=True)
class ReviewedRoll:
    """A roll of the dice, and how much better it was than an average one."""

    roll: Move
    mover: int
    """The side that plays it."""

    luck: float
    """Points above the mean over all rolls that this side could have had."""

    def to_json(self) -> ReviewedRollJson:
        return {"roll": str(self.roll), "mover": self.mover, "luck": round(self.luck, 4)}


@dataclass(frozen=True, slots=True)
class SideSummary:
    """The errors and the luck of one side."""

    num_moves: int
    num_cube_decisions: int
    move_error: float
    cube_error: float
    luck: float
    marks: dict[Mark, int]

    has_rating: bool
    """Whether the performance rating means something: in games whose values are points."""

    accuracy: float | None
    """0 to 100, as in `compute_accuracy`; None without decisions."""

    stages: dict[str, float]
    """Accuracy in each stage of the game."""

    @property
    def total_error(self) -> float:
        return self.move_error + self.cube_error

    @property
    def error_per_decision(self) -> float | None:
        """Mean error; None without decisions."""
        num_decisions = self.num_moves + self.num_cube_decisions
        return self.total_error / num_decisions if num_decisions else None

    @property
    def performance_rating(self) -> float | None:
        error = self.error_per_decision
        return PERFORMANCE_SCALE * error if self.has_rating and error is not None else None

    @property
    def rating(self) -> str | None:
        error = self.error_per_decision
        return get_rating(error) if self.has_rating and error is not None else None

    def to_json(self) -> SideSummaryJson:
        error, rating = self.error_per_decision, self.performance_rating
        return {
            "moves": self.num_moves,
            "cube_decisions": self.num_cube_decisions,
            "total_error": round(self.total_error, 4),
            "move_error": round(self.move_error, 4),
            "cube_error": round(self.cube_error, 4),
            "error_per_decision": None if error is None else round(error, 4),
            "luck": round(self.luck, 4),
            "performance_rating": None if rating is None else round(rating, 2),
            "rating": self.rating,
            "marks": self.marks,
            "accuracy": None if self.accuracy is None else round(self.accuracy, 1),
            "stages": {name: round(value, 1) for name, value in self.stages.items()},
        }


def summarize(
    moves: Iterable[ReviewedMove], rolls: Iterable[ReviewedRoll], has_rating: bool
) -> SideSummary:
    """Sum up the errors and the luck of the moves and rolls of one side."""
    counted = [each for each in moves if each.is_counted]
    costs = [each.cost for each in counted if each.kind == "move"]
    cube_costs = [each.cost for each in counted if each.kind != "move"]
    marks = [each.mark for each in counted]
    return SideSummary(
        len(costs),
        len(cube_costs),
        sum(costs),
        sum(cube_costs),
        sum(each.luck for each in rolls),
        {mark: marks.count(mark) for mark in MARKS},
        has_rating,
        _average_accuracy(counted),
        {
            stage: _average_accuracy([each for each in counted if each.stage == stage]) or 0.0
            for stage in dict.fromkeys(each.stage for each in counted)
            if stage
        },
    )


def _average_accuracy(moves: Sequence[ReviewedMove]) -> float | None:
    return fmean(compute_accuracy(each.cost) for each in moves) if moves else None


@dataclass(frozen=True, slots=True, repr=False)
class GameReview:
    """The evaluated positions of a game and its moves."""

    evaluations: tuple[Evaluation | None, ...]
    """For the side to move in each position; None where dice are rolled."""

    moves: tuple[ReviewedMove | None, ...]
    """None for rolls of the dice and where there was nothing to decide."""

    rolls: tuple[ReviewedRoll | None, ...]
    """None for moves, and where luck was not measured."""

    game: AnyGame
    players: tuple[str, str]
    """Names of the players, or of the sides."""

    def summarize(self, side: int) -> SideSummary:
        """Return the errors and the luck of one side."""
        moves = [each for each in self.moves if each is not None and each.mover == side]
        rolls = [each for each in self.rolls if each is not None and each.mover == side]
        return summarize(moves, rolls, self.game.is_in_points)

    def __str__(self) -> str:
        """Return the marked moves with their reasons, and how well each side played."""
        marked = [
            (number, each)
            for number, each in enumerate(self.moves, 1)
            if each is not None and each.mark
        ]
        rows = [
            (str(number), self.game.sides[each.mover], *format_mistake(self.game, each))
            for number, each in marked
        ]
        table = format_text_table(("ply", "side", *MISTAKE_HEADINGS), rows)
        sides = [
            format_summary(name, self.summarize(side)) for side, name in enumerate(self.players)
        ]
        return "\n".join([*filter(None, [table if rows else ""]), *sides])

    def __repr__(self) -> str:
        num_marked = sum(each is not None and each.mark != "" for each in self.moves)
        return f"<GameReview of {self.game.id}: {len(self.moves)} moves, {num_marked} marked>"

    def to_json(self) -> GameReviewJson:
        return {
            "evaluations": [None if each is None else each.to_json() for each in self.evaluations],
            "moves": [None if each is None else each.to_json() for each in self.moves],
            "rolls": [None if each is None else each.to_json() for each in self.rolls],
            "sides": [self.summarize(side).to_json() for side in (0, 1)],
        }

    def _repr_html_(self) -> str:
        """Return the marked moves with their reasons, which notebooks show."""
        rows = [
            (number, f"{each.move}{each.mark}", f"{each.cost:.3g}", each.certainty, each.reason)
            for number, each in enumerate(self.moves, 1)
            if each is not None and each.mark
        ]
        title = f"{len(self.moves)} moves, {len(rows)} marked"
        return format_panel(title, format_table(("ply", "move", "cost", "certainty", "why"), rows))


MISTAKE_HEADINGS = ("move", "loss", "better", "why")


def format_mistake(game: AnyGame, each: ReviewedMove) -> tuple[str, ...]:
    """Return a marked move for a table: what it costs in points, and why it is a mistake."""
    move = f"{each.move}{each.mark}"
    if game.is_in_points:
        why = each.reason.partition(": ")[2].removesuffix(f" Better: {each.best}.")
        return move, f"{each.cost:.3f}", str(each.best), why
    return move, "", "", each.reason


def format_summary(name: str, found: SideSummary) -> str:
    """Return how well a side played, in a line; a rating where there is one."""
    if found.performance_rating is not None:
        return (
            f"{name}: performance rating {found.performance_rating:.2f} ({found.rating}), "
            f"{found.num_moves} moves and {found.num_cube_decisions} cube decisions, "
            f"error {found.total_error:.3f}, luck {found.luck:+.3f}"
        )
    marks = ", ".join(f"{count} {mark}" for mark, count in found.marks.items() if count)
    error = found.error_per_decision
    given = "" if error is None else f", gives away {error:.3f} points a move"
    accuracy = "" if found.accuracy is None else f", accuracy {found.accuracy:.0f}%"
    made = f"{found.num_moves} moves with a choice, {marks or 'no mistakes'}"
    return f"{name}: {made}{given}{accuracy}"


def review_game(
    game: AnyGame,
    evaluator: Evaluator,
    positions: Sequence[Position],
    moves: Sequence[Move],
    has_luck: bool = True,
) -> GameReview:
    """Evaluate a line of positions, each reached from the one before by a move."""
    decisions = [
        number
        for number, position in enumerate(positions)
        if position.outcome() is None and position.mover != CHANCE
    ]
    played = [moves[number] if number < len(moves) else None for number in decisions]
    analyses = dict(
        zip(
            decisions,
            evaluator.evaluate([positions[number] for number in decisions], played),
            strict=True,
        )
    )
    evaluations = [
        _evaluate_position(position, analyses.get(number))
        for number, position in enumerate(positions)
    ]
    reviewed = [
        judge_move(game, positions[number], analyses[number], move) if number in analyses else None
        for number, move in enumerate(moves)
    ]
    rolls = [
        measure_luck(game, evaluator, position, move)
        if has_luck and position.mover == CHANCE
        else None
        for position, move in zip(positions, moves, strict=False)
    ]
    return GameReview(tuple(evaluations), tuple(reviewed), tuple(rolls), game, game.sides)


def review_ply(
    game: AnyGame, evaluator: Evaluator, position: Position, move: Move, has_luck: bool = True
) -> ReviewedMove | ReviewedRoll | None:
    """Review one move or roll; None where there is nothing to decide and no luck is measured."""
    if position.mover == CHANCE:
        return measure_luck(game, evaluator, position, move) if has_luck else None
    if not game.classify_decision(position, move):
        return None
    (analysis,) = evaluator.evaluate([position], [move])
    return judge_move(game, position, analysis, move)


def measure_luck(
    game: AnyGame, evaluator: Evaluator, position: Position, roll: Move
) -> ReviewedRoll | None:
    """Compare the best move after a roll with the best moves after all rolls of that side."""
    after = position.play(roll)
    rolled = [(position.play(each), chance) for each, chance in game.chances(position)]
    rolled = [(each, chance) for each, chance in rolled if each.mover == after.mover]
    points = evaluator.measure([each for each, _ in rolled])
    if points is None:
        return None
    total = sum(chance for _, chance in rolled)
    mean = sum(each * chance for each, (_, chance) in zip(points, rolled, strict=True)) / total
    number = next(number for number, (each, _) in enumerate(rolled) if each == after)
    return ReviewedRoll(roll, after.mover, points[number] - mean)


def _evaluate_position(position: Position, analysis: PositionAnalysis | None) -> Evaluation | None:
    end = evaluate_end(position)
    if end is not None:
        outcome = position.outcome()
        assert outcome is not None
        points = outcome.score(max(position.mover, 0))
        return Evaluation("exact", "the end of the game", points, end.result, 0)
    return None if analysis is None else analysis.best.evaluation


def judge_move(
    game: AnyGame, position: Position, analysis: PositionAnalysis, move: Move
) -> ReviewedMove | None:
    """Compare a move with the best one; None if there was nothing to decide."""
    kind = game.classify_decision(position, move)
    if not kind:
        return None
    best, played = analysis.best, analysis.find(move)
    certainty = _weakest(best.evaluation.certainty, played.evaluation.certainty)
    mark = select_mark(best.evaluation, played.evaluation)
    return ReviewedMove(
        position,
        move,
        mark,
        analysis.cost(move),
        certainty,
        best.evaluation,
        played.evaluation,
        best.move,
        best.line,
        played.line,
        explain_mistake(game, position, analysis, played) if mark else "",
        kind,
        is_counted_decision(game, position, analysis, played),
        game.stage(position),
    )


def is_counted_decision(
    game: AnyGame, position: Position, analysis: PositionAnalysis, played: EvaluatedMove
) -> bool:
    """Return whether a decision counts: not those about resigning, nor clear rolls."""
    kind = game.classify_decision(position, played.move)
    if kind != "double":
        return kind in ("move", "take")
    values = [
        each.evaluation.points
        for each in analysis.moves
        if game.classify_decision(position, each.move) == kind
    ]
    is_close = max(values) - min(values) < CLOSE_CUBE
    return is_close or played.move != analysis.best.move or played.move == DOUBLE


def _weakest(*certainties: Certainty) -> Certainty:
    order: tuple[Certainty, ...] = ("estimate", "likely", "exact")
    return min(certainties, key=order.index)
