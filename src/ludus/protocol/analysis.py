"""Analysis of backgammon games: errors of moves and cube actions, luck, and performance ratings.

An error is the equity lost against the best move or action. A performance rating is 500 times the
mean error of a side's decisions, as in eXtreme Gammon: unforced moves, doubles, takes and drops,
and rolls without a double where the choice is close.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from ludus.core.game import CHANCE
from ludus.core.movetext import Line, Node
from ludus.core.record import Record
from ludus.games.backgammon.board import FIRST_ROLLS, ROLLS, Move, Roll
from ludus.games.backgammon.cube import Chances
from ludus.games.backgammon.game import Backgammon
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.stakes import DOUBLE, DROP, ROLL, TAKE, CubeAction
from ludus.protocol.evaluation import CubeEvaluation, Evaluator
from ludus.protocol.gnubg_review import get_error_mark, get_rating

CLOSE_CUBE: Final = 0.16
"""Largest difference between doubling and not doubling that counts as a decision, as in gnubg."""

PERFORMANCE_SCALE: Final = 500.0

DecisionKind = Literal["move", "double", "take"]


@dataclass(frozen=True, slots=True)
class AnalysedDecision:
    """A decision of a side, with what it cost."""

    game: int
    """Number of the game in its file, from 1; the games of a match are counted one by one."""

    turn: int
    """Turn of the game, from 1."""

    ply: int
    """Number of the move in the record, from 0."""

    side: int
    kind: DecisionKind
    position: Position
    action: Move | CubeAction
    best: Move | CubeAction
    equity: float
    """Equity of the action for the side that made it."""

    loss: float
    """Equity below that of the best action; 0 for the best one."""

    is_counted: bool
    """Whether it counts in the performance rating."""

    chances: Chances | None
    depth: str

    @property
    def mark(self) -> str:
        """`?!`, `?`, `??` or an empty string."""
        return get_error_mark(self.loss)

    def as_json(self, sides: tuple[str, str]) -> dict[str, Any]:
        dice = self.position.dice
        return {
            "game": self.game,
            "turn": self.turn,
            "side": sides[self.side],
            "kind": self.kind,
            "roll": None if dice is None else f"{dice[0]}{dice[1]}",
            "move": str(self.action),
            "best": str(self.best),
            "equity": round(self.equity, 4),
            "loss": round(self.loss, 4),
            "mark": self.mark,
            "counted": self.is_counted,
            "depth": self.depth,
            **format_chances(self.chances),
        }

    def format(self) -> str:
        """Return a comment of a record."""
        if not self.mark:
            return f"equity {self.equity:+.3f}"
        return f"{self.mark} {self.best} is better by {self.loss:.3f}, equity {self.equity:+.3f}"


@dataclass(frozen=True, slots=True)
class AnalysedRoll:
    """A roll, and how much better it was than an average one."""

    game: int
    turn: int
    ply: int
    side: int
    roll: str
    luck: float

    def as_json(self, sides: tuple[str, str]) -> dict[str, Any]:
        return {
            "game": self.game,
            "turn": self.turn,
            "side": sides[self.side],
            "roll": self.roll,
            "luck": round(self.luck, 4),
        }


@dataclass(frozen=True, slots=True)
class SideSummary:
    """The errors and the luck of one side."""

    num_moves: int
    num_cube_decisions: int
    total_error: float
    move_error: float
    cube_error: float
    error_per_decision: float | None
    """None without decisions."""

    performance_rating: float | None
    rating: str | None
    luck: float
    marks: dict[str, int]

    def as_json(self) -> dict[str, Any]:
        rounded = {
            name: None if (value := getattr(self, name)) is None else round(value, 4)
            for name in ("total_error", "move_error", "cube_error", "error_per_decision", "luck")
        }
        rating = self.performance_rating
        return {
            "moves": self.num_moves,
            "cube_decisions": self.num_cube_decisions,
            **rounded,
            "performance_rating": None if rating is None else round(rating, 2),
            "rating": self.rating,
            "marks": self.marks,
        }


@dataclass(frozen=True, slots=True)
class Analysis:
    """All decisions and rolls of one or more games."""

    evaluator: str
    is_cubeless: bool
    decisions: tuple[AnalysedDecision, ...]
    rolls: tuple[AnalysedRoll, ...]

    def summarize(self, side: int) -> SideSummary:
        """Return the errors and the luck of one side."""
        counted = [each for each in self.decisions if each.side == side and each.is_counted]
        moves = [each.loss for each in counted if each.kind == "move"]
        cubes = [each.loss for each in counted if each.kind != "move"]
        total = sum(moves) + sum(cubes)
        error = total / len(counted) if counted else None
        marks = [each.mark for each in counted if each.mark]
        return SideSummary(
            len(moves),
            len(cubes),
            total,
            sum(moves),
            sum(cubes),
            error,
            None if error is None else PERFORMANCE_SCALE * error,
            None if error is None else get_rating(error),
            sum(each.luck for each in self.rolls if each.side == side),
            {mark: marks.count(mark) for mark in ("?!", "?", "??")},
        )

    def as_json(self, sides: tuple[str, str]) -> dict[str, Any]:
        return {
            "evaluator": self.evaluator,
            "cubeless": self.is_cubeless,
            "decisions": [each.as_json(sides) for each in self.decisions],
            "rolls": [each.as_json(sides) for each in self.rolls],
            "sides": {name: self.summarize(side).as_json() for side, name in enumerate(sides)},
        }


def format_chances(chances: Chances | None) -> dict[str, float]:
    """Return chances as JSON; empty if they are not known."""
    return {} if chances is None else {k: round(v, 4) for k, v in chances._asdict().items()}


@dataclass(frozen=True, slots=True)
class _Step:
    """A move of a record with the position before it."""

    game: int
    turn: int
    ply: int
    position: Position
    move: Any


def iterate_steps(records: Sequence[Record]) -> Iterator[_Step]:
    """Yield every move and roll of records; the games of a match are counted one by one."""
    number = 0
    for record in records:
        game = Backgammon(parse_rules(record))
        number, turn = number + 1, 0
        for ply, (before, node) in enumerate(
            zip(record.replay(game), record.line.moves, strict=False)
        ):
            if ply and before.opening:
                number, turn = number + 1, 0
            if before.mover == CHANCE:
                turn += 1
            shown = turn + 1 if before.phase != "play" else turn
            yield _Step(number, max(shown, 1), ply, before, game.parse_move(node.move, before))


def parse_rules(record: Record) -> Any:
    """Return the rules that a record names."""
    from ludus.games import game as named_game

    return named_game("backgammon", record.headers.get("Rules", "")).rules


def analyse_steps(
    steps: Sequence[_Step], evaluator: Evaluator, has_luck: bool = True
) -> Iterator[AnalysedDecision | AnalysedRoll | None]:
    """Evaluate decisions and rolls one by one; None where there is nothing to evaluate."""
    quick = evaluator.quick()
    for step in steps:
        position = step.position
        if position.mover == CHANCE:
            yield _analyse_roll(step, quick) if has_luck else None
        elif position.dice is not None:
            yield _analyse_move(step, evaluator)
        else:
            yield _analyse_cube(step, evaluator)


def analyse(records: Sequence[Record], evaluator: Evaluator, has_luck: bool = True) -> Analysis:
    """Analyse all games of some records."""
    steps = list(iterate_steps(records))
    return collect(steps, analyse_steps(steps, evaluator, has_luck), evaluator)


def collect(
    steps: Sequence[_Step],
    found: Iterator[AnalysedDecision | AnalysedRoll | None],
    evaluator: Evaluator,
) -> Analysis:
    """Gather what `analyse_steps` yields."""
    results = list(found)
    return Analysis(
        evaluator.title,
        all(step.position.stakes is None for step in steps),
        tuple(each for each in results if isinstance(each, AnalysedDecision)),
        tuple(each for each in results if isinstance(each, AnalysedRoll)),
    )


def _analyse_move(step: _Step, evaluator: Evaluator) -> AnalysedDecision | None:
    position = step.position
    if len(position.legal_moves()) == 1:
        return None
    ranked = evaluator.rank_moves(position)
    best = max(ranked, key=lambda each: ranked[each].equity)
    played = ranked[step.move]
    loss = ranked[best].equity - played.equity
    return AnalysedDecision(
        step.game,
        step.turn,
        step.ply,
        position.turn,
        "move",
        position,
        step.move,
        best,
        played.equity,
        loss,
        True,
        played.chances,
        played.depth,
    )


def _analyse_cube(step: _Step, evaluator: Evaluator) -> AnalysedDecision | None:
    """Evaluate a decision to double or not, to take or drop; resignations are not evaluated."""
    position, action = step.position, step.move
    if position.phase == "doubled":
        return _analyse_take(step, evaluator.evaluate_cube(position))
    if action not in (ROLL, DOUBLE) or DOUBLE not in set(position.legal_moves()):
        return None
    found = evaluator.evaluate_cube(position)
    equities = found.equities
    doubled = min(equities.double_take, equities.double_drop)
    values = {ROLL: equities.no_double, DOUBLE: doubled}
    best = DOUBLE if equities.is_double else ROLL
    is_counted = action == DOUBLE or abs(equities.no_double - doubled) < CLOSE_CUBE
    is_counted = is_counted or action != best
    return _make_cube_decision(step, position.turn, "double", values, best, is_counted, found)


def _analyse_take(step: _Step, found: CubeEvaluation) -> AnalysedDecision:
    equities = found.equities
    values = {TAKE: -equities.double_take, DROP: -equities.double_drop}
    best = TAKE if equities.is_take else DROP
    side = 1 - step.position.turn
    flipped = CubeEvaluation(equities, found.chances.flip(), found.depth)
    return _make_cube_decision(step, side, "take", values, best, True, flipped)


def _make_cube_decision(
    step: _Step,
    side: int,
    kind: DecisionKind,
    values: dict[CubeAction, float],
    best: CubeAction,
    is_counted: bool,
    found: CubeEvaluation,
) -> AnalysedDecision:
    equity = values[step.move]
    return AnalysedDecision(
        step.game,
        step.turn,
        step.ply,
        side,
        kind,
        step.position,
        step.move,
        best,
        equity,
        max(values[best] - equity, 0.0),
        is_counted,
        found.chances,
        found.depth,
    )


def _analyse_roll(step: _Step, quick: Evaluator) -> AnalysedRoll:
    """Compare the best move after a roll with the best moves after all rolls of that side."""
    before, after = step.position, step.position.play(step.move)
    is_first = bool(before.opening)
    rolls = FIRST_ROLLS if is_first else ROLLS
    on_roll = replace(before, opening="", turn=after.turn)
    values = {roll: _best_equity(on_roll.play(roll), quick) for roll in rolls}
    weights = {roll: 1 if roll.is_double else 2 for roll in rolls}
    mean = sum(values[roll] * weights[roll] for roll in rolls) / sum(weights.values())
    assert after.dice is not None
    rolled = Roll(*after.dice)
    luck = values[rolled] - mean
    return AnalysedRoll(step.game, step.turn, step.ply, after.turn, str(rolled), luck)


def _best_equity(position: Position, evaluator: Evaluator) -> float:
    return max(each.equity for each in evaluator.rank_moves(position).values())


def annotate(record: Record, analysis: Analysis, game: int = 1) -> Record:
    """Return the record with a comment for every decision of a game; its variations are kept.

    `game` is the number of the record's first game in the analysis.
    """
    last = game + sum(1 for step in iterate_steps([record]) if step.ply and step.position.opening)
    comments = {each.ply: each.format() for each in analysis.decisions if game <= each.game <= last}
    nodes = tuple(
        Node(node.move, comments.get(ply, node.comment), node.variations)
        for ply, node in enumerate(record.line.moves)
    )
    headers = {**record.headers, "Annotator": analysis.evaluator}
    return replace(record, headers=headers, line=Line(nodes, record.line.comment))
