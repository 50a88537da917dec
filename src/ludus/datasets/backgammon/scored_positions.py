"""The scored-position file: one position with its roll, theme and the expert's scores per line.

    4HPwATDgc/ABMA 31 opening 8/5,6/5=100 24/23,13/10=-49

The fields are GNU Backgammon's Position ID with the mover on roll, the dice, the theme, and the
commented moves, each with a score from -100 (worst) to 100 (best). Spaces within a move are commas.
Legal moves that are not listed are uncommented. Lines that begin with # are comments.

Positions scored by hand may use an XGID (which holds the dice, so `-` may stand for them), any
theme, and moves with or without the stars of hits.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from ludus.core.errors import MAX_TEXT, BadMove, BadPosition, BadRecord, LudusError, quote
from ludus.games.backgammon import Backgammon, Move, Position, to_position_id
from ludus.games.backgammon.batch import parse_moves

HEADER: Final = "# Backgammon moves scored by an expert; see docs/backgammon.md"
MIN_SCORE, MAX_SCORE = -100, 100
SCORE_PATTERN: Final = re.compile(r"[+-]?[0-9]{1,3}", re.ASCII)
DICE_PATTERN: Final = re.compile(r"[1-6][1-6]", re.ASCII)
THEME_PATTERN: Final = re.compile(r"[a-z_]{1,40}", re.ASCII)
MAX_LINE: Final = 20_000
MAX_FILE: Final = 100 * MAX_TEXT

GAME: Final = Backgammon()


class BadScoredPosition(BadRecord):
    """A line of a scored-position file is invalid."""


@dataclass(frozen=True, slots=True)
class ScoredPosition:
    """A position with its roll and the expert's scores of some of its moves."""

    position: Position
    """Side 0 is the mover."""

    theme: str

    scores: Mapping[Move, int]
    """Commented moves with their scores, best first."""

    def __str__(self) -> str:
        assert self.position.dice is not None
        high, low = self.position.dice
        comments = [f"{str(move).replace(' ', ',')}={score}" for move, score in self.scores.items()]
        return " ".join([to_position_id(self.position), f"{high}{low}", self.theme, *comments])


def parse_scored_positions(text: str) -> Iterator[ScoredPosition]:
    """Parse the positions of a file; BadScoredPosition names the invalid line."""
    if len(text) > MAX_FILE:
        raise BadScoredPosition(f"a data base of {len(text)} characters is too long")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            yield parse_scored_position(line)
        except LudusError as error:
            raise BadScoredPosition(f"line {number}: {error}") from error


def parse_scored_position(line: str) -> ScoredPosition:
    """Parse the position of one line."""
    if len(line) > MAX_LINE:
        raise BadScoredPosition(f"{quote(line)} is too long for a scored position")
    fields = line.split()
    if len(fields) < 4:
        raise BadScoredPosition(f"{quote(line)} is not position, dice, theme and move=score …")
    where, dice, theme, *comments = fields
    if not THEME_PATTERN.fullmatch(theme):
        raise BadScoredPosition(f"theme {quote(theme)} must be small letters")
    position = _parse_position(where, dice)
    return ScoredPosition(position, theme, _parse_scores(comments, position))


def _parse_position(where: str, dice: str) -> Position:
    if DICE_PATTERN.fullmatch(dice) and not where.startswith("XGID="):
        return GAME.parse(f"{where}:0:{dice}")
    position = GAME.parse(where)
    if dice not in ("-", "".join(map(str, position.dice or ()))):
        raise BadScoredPosition(f"dice {quote(dice)} are not those of the position")
    if position.dice is None:
        raise BadPosition(f"{quote(where)} has no dice")
    return position


def _parse_scores(comments: Iterable[str], position: Position) -> dict[Move, int]:
    texts, scores = [], []
    for comment in comments:
        move, equals, score = comment.rpartition("=")
        if not equals or not SCORE_PATTERN.fullmatch(score):
            raise BadScoredPosition(f"{quote(comment)} is not move=score")
        if not MIN_SCORE <= int(score) <= MAX_SCORE:
            raise BadScoredPosition(f"score {score} must be from {MIN_SCORE} to {MAX_SCORE}")
        texts.append(move.replace(",", " "))
        scores.append(int(score))
    moves = _parse_moves(texts, position)
    if len(set(moves)) != len(moves):
        raise BadScoredPosition(f"a move of {position} is scored twice")
    ranked = sorted(zip(moves, scores, strict=True), key=lambda pair: -pair[1])
    return dict(ranked)


def _parse_moves(texts: list[str], position: Position) -> list[Move]:
    """Parse moves in the strict notation of these files or, if that fails, in free notation."""
    try:
        return parse_moves(texts, position)
    except BadMove:
        return [GAME.parse_move(text, position) for text in texts]  # type: ignore[misc]


def format_scored_positions(positions: Iterable[ScoredPosition]) -> str:
    """Return the text of a whole file."""
    return "\n".join([HEADER, *map(str, positions), ""])


M = TypeVar("M")

SCORE_SCALE: Final = 0.15
"""Loss in points per game that lowers the score from 100 to about -26."""

MAX_ALTERNATIVE_LOSS: Final = 0.05
"""Maximum loss of an alternative, in points per game."""

MIN_MISTAKE_LOSS: Final = 0.08
"""Minimum loss of a mistake, in points per game."""

MAX_ALTERNATIVES: Final = 2
MAX_MISTAKES: Final = 1
NUM_TEMPTING: Final = 3
"""Mistakes are taken from this number of moves that the conventional program ranks highest."""

MIN_SPREAD: Final = 0.04
"""Minimum difference of best and worst move for a position to be scored, in points per game."""


def score_loss(loss: float) -> int:
    """Return the score of a move with this loss against the best move, in points per game.

    >>> [score_loss(loss) for loss in (0, 0.02, 0.05, 0.16, 1)]
    [100, 75, 43, -31, -100]
    """
    return round(-100 + 200 * math.exp(-loss / SCORE_SCALE))


def choose_scored_moves(losses: Mapping[M, float], tempting: Sequence[M]) -> dict[M, int]:
    """Return the moves the expert comments on, with scores, best first; empty if losses hardly
    differ.

    A human expert comments on the best move, its alternatives and typical mistakes. Here the loss
    of every move is known: an alternative loses little, and a typical mistake is a move that a
    conventional program ranks high. `losses` has every legal move; `tempting` has the same moves in
    the order of the conventional program.
    """
    ranked = sorted(losses, key=lambda move: losses[move])
    if losses[ranked[-1]] < MIN_SPREAD:
        return {}
    best, others = ranked[0], ranked[1:]
    close = [move for move in others if losses[move] <= MAX_ALTERNATIVE_LOSS][:MAX_ALTERNATIVES]
    mistakes = [move for move in tempting[:NUM_TEMPTING] if losses[move] >= MIN_MISTAKE_LOSS][
        :MAX_MISTAKES
    ]
    chosen = [move for move in ranked if move == best or move in close or move in mistakes]
    return {move: score_loss(losses[move]) for move in chosen}
