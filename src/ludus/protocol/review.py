"""A game as GNU Backgammon sees it: what each move cost, and how well each side has played.

Equities are cubeless, in points a game. Plies are counted as GNU Backgammon counts them: its 0-ply,
its network alone, is called 1-ply by others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ludus.core.record import Record
from ludus.games.backgammon import Backgammon, Move, Position
from ludus.protocol.gnubg import rank
from ludus.protocol.gnubg_process import Ranked

MARKS: Final = ((0.16, "??"), (0.08, "?"), (0.04, "?!"))
"""From which loss a move gets a mark."""

RATINGS: Final = (
    (0.005, "extra-terrestrial"),
    (0.010, "world class"),
    (0.015, "expert"),
    (0.020, "advanced"),
    (0.025, "intermediate"),
    (0.030, "beginner"),
)
"""Below which error a move a side plays so well."""

WORST_RATING: Final = "novice"

BATCH = 16


@dataclass(frozen=True, slots=True)
class Judged:
    """A decision, with what it cost."""

    number: int
    """Which turn of the game it was, from 1."""

    position: Position
    move: Move
    best: Move
    loss: float
    """Points a game given away; 0 for the best move."""

    judged: Ranked
    """The move that was made, with its equity and chances."""

    @property
    def mark(self) -> str:
        """`?!`, `?`, `??` or nothing."""
        return mark(self.loss)


def mark(loss: float) -> str:
    """The mark a loss earns.

    >>> mark(0.03), mark(0.05), mark(0.1), mark(0.5)
    ('', '?!', '?', '??')
    """
    return next((sign for least, sign in MARKS if loss >= least), "")


def rating(error: float) -> str:
    """How well a side plays that gives away so much a move.

    >>> rating(0.004), rating(0.017), rating(0.2)
    ('extra-terrestrial', 'advanced', 'novice')
    """
    return next((name for bound, name in RATINGS if error < bound), WORST_RATING)


def decisions(record: Record, game: Backgammon) -> Iterator[tuple[int, Position, Move]]:
    """Every turn of a game in which there was a choice."""
    turn = 0
    for before, node in zip(record.replay(game), record.line.moves, strict=False):
        if before.dice is None:
            continue
        turn += 1
        move = game.parse_move(node.move, before)
        if len(before.legal_moves()) > 1:
            assert isinstance(move, Move)
            yield turn, before, move


def judge(made: Sequence[tuple[int, Position, Move]], plies: int) -> Iterator[Judged]:
    """What these decisions cost, one after the other."""
    for at in range(0, len(made), BATCH):
        part = made[at : at + BATCH]
        ranked: list[dict[Any, Ranked]] = rank([position for _, position, _ in part], plies)
        for (number, position, move), judged in zip(part, ranked, strict=True):
            best = max(judged, key=lambda each: judged[each].equity)
            loss = judged[best].equity - judged[move].equity
            yield Judged(number, position, move, best, loss, judged[move])


def error_per_move(judged: Sequence[Judged], side: int) -> float | None:
    """The mean loss of one side's decisions; None if it had none."""
    losses = [each.loss for each in judged if each.position.turn == side]
    return sum(losses) / len(losses) if losses else None
