"""Reviews of recorded games: every decision and every roll, as JSON and as comments."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ludus.analysis.evaluation import format_chances
from ludus.analysis.evaluators import Evaluator
from ludus.analysis.review import (
    ReviewedMove,
    ReviewedRoll,
    SideSummary,
    review_ply,
    summarize_side,
)
from ludus.core.errors import BadRecord
from ludus.core.game import CHANCE, AnyGame, Move, Position
from ludus.core.movetext import Line, Node
from ludus.core.record import Record
from ludus.games import registered_game


@dataclass(frozen=True, slots=True)
class RecordedPly:
    """A move or roll of a record, with the position before it."""

    game: AnyGame
    number: int
    """Number of the game in its file, from 1; the games of a match are counted one by one."""

    turn: int
    """Turn of the game, from 1."""

    ply: int
    """Number of the move in the record, from 0."""

    position: Any
    move: Move


def load_game(record: Record) -> AnyGame:
    """Return the registered game that a record names, with its rules.

    A file must not import modules, so a class named by its module is refused.
    """
    if "Game" not in record.headers:
        raise BadRecord("the record names no game: it has no header [Game]")
    return registered_game(record.headers["Game"], record.headers.get("Rules", ""))


def list_plies(records: Iterable[Record]) -> list[RecordedPly]:
    """Replay records and return every move and roll."""
    plies: list[RecordedPly] = []
    number = 0
    for record in records:
        game = load_game(record)
        has_dice = bool(game.chances(game.start()))
        number, turn = number + 1, 0
        for ply, (before, node) in enumerate(
            zip(record.replay(game), record.line.moves, strict=False)
        ):
            if ply and game.is_roll_for_turn(before):
                number, turn = number + 1, 0
            if before.mover == CHANCE or not has_dice:
                turn += 1
            # A decision before the roll belongs to the turn that begins with it.
            is_early = has_dice and before.mover != CHANCE and game.dice(before) is None
            shown = max(turn + is_early, 1)
            move = game.parse_move(node.move, before)
            plies.append(RecordedPly(game, number, shown, ply, before, move))
    return plies


def list_checker_plays(records: Iterable[Record]) -> list[RecordedPly]:
    """Return the moves of men alone in games of backgammon, as if there were no cube."""
    return [
        replace(each, position=replace(each.position, stakes=None))
        for each in list_plies(records)
        if each.game.classify_decision(each.position, each.move) == "move"
    ]


def review_plies(
    plies: Iterable[RecordedPly], evaluator: Evaluator, has_luck: bool = True
) -> Iterator[ReviewedMove | ReviewedRoll | None]:
    """Review moves and rolls one by one; None where there is nothing to evaluate."""
    quick = evaluator.quick() if has_luck else None
    for each in plies:
        yield review_ply(each.game, evaluator, quick, each.position, each.move)


def review_records(
    records: Sequence[Record], evaluator: Evaluator, has_luck: bool = True
) -> "RecordsReview":
    """Review all games of some records."""
    plies = list_plies(records)
    return RecordsReview.collect(plies, review_plies(plies, evaluator, has_luck), evaluator)


@dataclass(frozen=True, slots=True)
class RecordsReview:
    """All decisions and rolls of one or more games."""

    evaluator: str
    is_cubeless: bool
    decisions: tuple[tuple[RecordedPly, ReviewedMove], ...]
    rolls: tuple[tuple[RecordedPly, ReviewedRoll], ...]

    @classmethod
    def collect(
        cls,
        plies: Sequence[RecordedPly],
        found: Iterable[ReviewedMove | ReviewedRoll | None],
        evaluator: Evaluator,
    ) -> "RecordsReview":
        """Gather what `review_plies` yields."""
        results = list(zip(plies, found, strict=True))
        return cls(
            evaluator.title,
            all(each.game.stakes(each.position) is None for each in plies),
            tuple((ply, each) for ply, each in results if isinstance(each, ReviewedMove)),
            tuple((ply, each) for ply, each in results if isinstance(each, ReviewedRoll)),
        )

    def summarize(self, side: int) -> SideSummary:
        """Return the errors and the luck of one side."""
        moves = [each for _, each in self.decisions]
        return summarize_side(side, moves, [each for _, each in self.rolls])

    def to_json(self, sides: tuple[str, str]) -> dict[str, Any]:
        return {
            "evaluator": self.evaluator,
            "cubeless": self.is_cubeless,
            "decisions": [_decision_to_json(*each, sides) for each in self.decisions],
            "rolls": [_roll_to_json(*each, sides) for each in self.rolls],
            "sides": {name: self.summarize(side).to_json() for side, name in enumerate(sides)},
        }


def _decision_to_json(
    ply: RecordedPly, made: ReviewedMove, sides: tuple[str, str]
) -> dict[str, Any]:
    return {
        "game": ply.number,
        "turn": ply.turn,
        "side": sides[made.mover],
        "kind": made.kind,
        "roll": format_dice(ply.game, ply.position),
        "move": str(made.move),
        "best": str(made.best),
        "equity": round(made.after.points, 4),
        "loss": round(made.cost, 4),
        "mark": made.mark,
        "counted": made.is_counted,
        "depth": made.after.lookahead,
        **format_chances(made.after.chances),
    }


def _roll_to_json(ply: RecordedPly, rolled: ReviewedRoll, sides: tuple[str, str]) -> dict[str, Any]:
    return {
        "game": ply.number,
        "turn": ply.turn,
        "side": sides[rolled.mover],
        "roll": format_dice(ply.game, ply.position.play(rolled.roll)),
        "luck": round(rolled.luck, 4),
    }


def format_dice(game: AnyGame, position: Position) -> str | None:
    """Return the roll of a position, `31`; None if it has none."""
    dice = game.dice(position)
    return None if dice is None else f"{dice[0]}{dice[1]}"


def annotate(record: Record, review: RecordsReview, game: int = 1) -> Record:
    """Return the record with a comment for every decision of a game; its variations are kept.

    `game` is the number of the record's first game in the review.
    """
    last = game + list_plies([record])[-1].number - 1 if record.line.moves else game
    comments = {
        ply.ply: format_comment(made)
        for ply, made in review.decisions
        if game <= ply.number <= last
    }
    nodes = tuple(
        Node(node.move, comments.get(ply, node.comment), node.variations)
        for ply, node in enumerate(record.line.moves)
    )
    headers = {**record.headers, "Annotator": review.evaluator}
    return replace(record, headers=headers, line=Line(nodes, record.line.comment))


def annotate_all(records: Iterable[Record], review: RecordsReview) -> list[Record]:
    """Return all records of a review with a comment for every decision."""
    first, annotated = 1, []
    for record in records:
        annotated.append(annotate(record, review, first))
        first += len({each.number for each in list_plies([record])})
    return annotated


def format_comment(made: ReviewedMove) -> str:
    """Return a comment of a record."""
    if not made.mark:
        return f"equity {made.after.points:+.3f}"
    return f"{made.mark} {made.best} is better by {made.cost:.3f}, equity {made.after.points:+.3f}"
