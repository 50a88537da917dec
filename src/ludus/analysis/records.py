"""Reviews of recorded games: every decision and every roll, as JSON and as comments."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ludus.analysis.evaluation import format_chances
from ludus.analysis.evaluators import Evaluator
from ludus.analysis.review import (
    MISTAKE_HEADINGS,
    ReviewedMove,
    ReviewedRoll,
    SideSummary,
    format_mistake,
    format_summary,
    review_ply,
    summarize,
)
from ludus.core.errors import BadRecord
from ludus.core.game import CHANCE, AnyGame, Move, Position
from ludus.core.movetext import Line, Node
from ludus.core.record import Record
from ludus.core.text_table import format_text_table
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

    players: tuple[str, str]
    """Names of the players by side; those of the sides where the record has none."""


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
        players = name_players(record, game)
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
            plies.append(RecordedPly(game, number, shown, ply, before, move, players))
    return plies


def name_players(record: Record, game: AnyGame) -> tuple[str, str]:
    """Return the players of a record by side; one that plays itself is told apart by its side."""
    first, second = (record.headers.get(side.capitalize(), side) for side in game.sides)
    if first != second:
        return first, second
    return f"{first}, {game.sides[0]}", f"{second}, {game.sides[1]}"


def review_plies(
    plies: Iterable[RecordedPly], evaluator: Evaluator, has_luck: bool = True
) -> Iterator[ReviewedMove | ReviewedRoll | None]:
    """Review moves and rolls one by one; None where there is nothing to evaluate."""
    for each in plies:
        yield review_ply(each.game, evaluator, each.position, each.move, has_luck)


def review_records(
    records: Sequence[Record], evaluator: Evaluator, has_luck: bool = True
) -> "RecordsReview":
    """Review all games of some records."""
    plies = list_plies(records)
    return RecordsReview.collect(plies, review_plies(plies, evaluator, has_luck), evaluator)


@dataclass(frozen=True, slots=True, repr=False)
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

    @property
    def players(self) -> list[str]:
        """The players, in the order in which they are met in the games."""
        names = (name for ply, _ in (*self.decisions, *self.rolls) for name in ply.players)
        return list(dict.fromkeys(names))

    def summarize(self, side: int) -> SideSummary:
        """Return the errors and the luck of one side."""
        return self._summarize(lambda ply, mover: mover == side)

    def summarize_player(self, name: str) -> SideSummary:
        """Return the errors and the luck of a player, who may have both sides in turn."""
        return self._summarize(lambda ply, mover: ply.players[mover] == name)

    def _summarize(self, is_meant: Callable[[RecordedPly, int], bool]) -> SideSummary:
        moves = [each for ply, each in self.decisions if is_meant(ply, each.mover)]
        rolls = [each for ply, each in self.rolls if is_meant(ply, each.mover)]
        has_rating = all(ply.game.is_in_points for ply, _ in self.decisions)
        return summarize(moves, rolls, has_rating)

    def to_json(self, sides: tuple[str, str]) -> dict[str, Any]:
        return {
            "evaluator": self.evaluator,
            "cubeless": self.is_cubeless,
            "decisions": [_decision_to_json(*each, sides) for each in self.decisions],
            "rolls": [_roll_to_json(*each, sides) for each in self.rolls],
            "sides": {name: self.summarize(side).to_json() for side, name in enumerate(sides)},
            "players": {name: self.summarize_player(name).to_json() for name in self.players},
        }

    def format_table(self, width: int | None = None) -> str:
        """Return the marked moves and a line for each player, folded to this width."""
        rows = [
            (
                str(ply.number),
                str(ply.turn),
                ply.players[made.mover],
                format_dice(ply.game, ply.position) or "",
                *format_mistake(ply.game, made),
            )
            for ply, made in self.decisions
            if made.mark
        ]
        headings = ("game", "turn", "player", "roll", *MISTAKE_HEADINGS)
        table = [format_text_table(headings, rows, width), ""] if rows else []
        lines = [format_summary(name, self.summarize_player(name)) for name in self.players]
        has_stakes = any(ply.game.has_sessions for ply, _ in self.decisions)
        kind = ("cubeless, " if self.is_cubeless else "cubeful, ") if has_stakes else ""
        return "\n".join([*table, *lines, f"{kind}{self.evaluator}"])

    def __str__(self) -> str:
        return self.format_table()

    def __repr__(self) -> str:
        return f"<RecordsReview of {len(self.decisions)} decisions by {self.evaluator}>"


def _decision_to_json(
    ply: RecordedPly, made: ReviewedMove, sides: tuple[str, str]
) -> dict[str, Any]:
    return {
        "game": ply.number,
        "turn": ply.turn,
        "side": sides[made.mover],
        "player": ply.players[made.mover],
        "kind": made.kind,
        "roll": format_dice(ply.game, ply.position),
        "move": str(made.move),
        "best": str(made.best),
        "equity": round(made.after.points, 4),
        "loss": round(made.cost, 4),
        "mark": made.mark,
        "counted": made.is_counted,
        "reason": made.reason,
        "certainty": made.certainty,
        "depth": made.after.lookahead,
        **format_chances(made.after.chances),
    }


def _roll_to_json(ply: RecordedPly, rolled: ReviewedRoll, sides: tuple[str, str]) -> dict[str, Any]:
    return {
        "game": ply.number,
        "turn": ply.turn,
        "side": sides[rolled.mover],
        "player": ply.players[rolled.mover],
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
