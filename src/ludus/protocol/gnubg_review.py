"""Review of a game by GNU Backgammon: the loss of each move and a rating of each side.

Equities are cubeless, in points per game. Plies are counted as in GNU Backgammon: its 0-ply, the
network alone, is called 1-ply elsewhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ludus.core.record import Record
from ludus.games.backgammon import Backgammon, Move, Position
from ludus.protocol.gnubg import RankedMove, rank_moves

ERROR_MARKS: Final = ((0.16, "??"), (0.08, "?"), (0.04, "?!"))
"""Minimum loss for each mark."""

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

BATCH_SIZE = 16


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """A decision and its loss."""

    number: int
    """The turn of the game, from 1."""

    position: Position
    move: Move
    best: Move
    loss: float
    """Equity below the best move's; 0 for the best move."""

    ranked: RankedMove
    """The evaluation of the played move."""

    @property
    def mark(self) -> str:
        """`?!`, `?`, `??` or an empty string."""
        return get_error_mark(self.loss)


def get_error_mark(loss: float) -> str:
    """Return the mark for a loss; empty below the smallest bound.

    >>> get_error_mark(0.03), get_error_mark(0.05), get_error_mark(0.1), get_error_mark(0.5)
    ('', '?!', '?', '??')
    """
    return next((sign for least, sign in ERROR_MARKS if loss >= least), "")


def get_rating(error: float) -> str:
    """Return the rating for a mean error per move.

    >>> get_rating(0.004), get_rating(0.017), get_rating(0.2)
    ('extra-terrestrial', 'advanced', 'novice')
    """
    return next((name for bound, name in RATING_BOUNDS if error < bound), WORST_RATING)


def iterate_decisions(record: Record, game: Backgammon) -> Iterator[tuple[int, Position, Move]]:
    """Yield turn number, position and move of every turn with more than one legal move."""
    turn = 0
    for before, node in zip(record.replay(game), record.line.moves, strict=False):
        if before.dice is None:
            continue
        turn += 1
        move = game.parse_move(node.move, before)
        if len(before.legal_moves()) > 1:
            assert isinstance(move, Move)
            yield turn, before, move


def review_decisions(
    made: Sequence[tuple[int, Position, Move]], plies: int
) -> Iterator[ReviewedMove]:
    """Evaluate these decisions in batches and yield their reviews in order."""
    for at in range(0, len(made), BATCH_SIZE):
        part = made[at : at + BATCH_SIZE]
        rankings: list[dict[Any, RankedMove]] = rank_moves(
            [position for _, position, _ in part], plies
        )
        for (number, position, move), ranked in zip(part, rankings, strict=True):
            best = max(ranked, key=lambda each: ranked[each].equity)
            loss = ranked[best].equity - ranked[move].equity
            yield ReviewedMove(number, position, move, best, loss, ranked[move])


def compute_error_per_move(reviewed: Sequence[ReviewedMove], side: int) -> float | None:
    """Return the mean loss of one side's decisions; None if it had none."""
    losses = [each.loss for each in reviewed if each.position.turn == side]
    return sum(losses) / len(losses) if losses else None
