"""The file of the data base: a position, its roll, its theme and the expert's scores a line.

    4HPwATDgc/ABMA 31 opening 8/5,6/5=100 24/23,13/10=-49

First comes GNU Backgammon's Position ID with the mover on roll, then the dice, what the position is
about, and the moves that were commented on, each with a score from -100 (worst) to 100 (best).
Spaces within a move are commas. Moves that are legal and not mentioned are uncommented. Lines that
begin with # say what they like.

Positions scored by hand may be written more freely: as an XGID (which holds the dice, so `-` may
stand for them), with any theme, with or without the stars of hits.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ludus.core.errors import MAX_TEXT, BadMove, BadPosition, BadRecord, LudusError, quoted
from ludus.games.backgammon import Backgammon, Move, Position, position_id
from ludus.players.tool.written import moves_of

HEADER: Final = "# Backgammon moves scored by an expert; see docs/backgammon.md"
LOWEST, HIGHEST = -100, 100
SCORE: Final = re.compile(r"[+-]?[0-9]{1,3}", re.ASCII)
DICE: Final = re.compile(r"[1-6][1-6]", re.ASCII)
THEME: Final = re.compile(r"[a-z_]{1,40}", re.ASCII)
LONGEST_LINE: Final = 20_000
LONGEST_FILE: Final = 100 * MAX_TEXT

GAME: Final = Backgammon()


class BadLesson(BadRecord):
    """A line of a data base makes no sense."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A position with its roll and what the expert says about some of its moves."""

    position: Position
    """Side 0 is the mover."""

    theme: str

    scores: Mapping[Move, int]
    """Commented moves with their scores, best first."""

    def __str__(self) -> str:
        assert self.position.dice is not None
        high, low = self.position.dice
        comments = [f"{str(move).replace(' ', ',')}={score}" for move, score in self.scores.items()]
        return " ".join([position_id(self.position), f"{high}{low}", self.theme, *comments])


def read_lessons(text: str) -> Iterator[Lesson]:
    """The lessons of a file, one after the other; BadLesson names the line that is wrong."""
    if len(text) > LONGEST_FILE:
        raise BadLesson(f"a data base of {len(text)} characters is too long")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            yield read_lesson(line)
        except LudusError as error:
            raise BadLesson(f"line {number}: {error}") from error


def read_lesson(line: str) -> Lesson:
    """The lesson that one line holds."""
    if len(line) > LONGEST_LINE:
        raise BadLesson(f"{quoted(line)} is too long for a lesson")
    fields = line.split()
    if len(fields) < 4:
        raise BadLesson(f"{quoted(line)} is not position, dice, theme and move=score …")
    where, dice, theme, *comments = fields
    if not THEME.fullmatch(theme):
        raise BadLesson(f"theme {quoted(theme)} must be small letters")
    position = _read_position(where, dice)
    return Lesson(position, theme, _read_comments(comments, position))


def _read_position(where: str, dice: str) -> Position:
    if DICE.fullmatch(dice) and not where.startswith("XGID="):
        return GAME.parse(f"{where}:0:{dice}")
    position = GAME.parse(where)
    if dice not in ("-", "".join(map(str, position.dice or ()))):
        raise BadLesson(f"dice {quoted(dice)} are not those of the position")
    if position.dice is None:
        raise BadPosition(f"{quoted(where)} has no dice")
    return position


def _read_comments(comments: Iterable[str], position: Position) -> dict[Move, int]:
    texts, scores = [], []
    for comment in comments:
        move, equals, score = comment.rpartition("=")
        if not equals or not SCORE.fullmatch(score):
            raise BadLesson(f"{quoted(comment)} is not move=score")
        if not LOWEST <= int(score) <= HIGHEST:
            raise BadLesson(f"score {score} must be from {LOWEST} to {HIGHEST}")
        texts.append(move.replace(",", " "))
        scores.append(int(score))
    moves = _moves(texts, position)
    if len(set(moves)) != len(moves):
        raise BadLesson(f"a move of {position} is scored twice")
    ranked = sorted(zip(moves, scores, strict=True), key=lambda pair: -pair[1])
    return dict(ranked)


def _moves(texts: list[str], position: Position) -> list[Move]:
    """The moves in the strict notation of these files or, if that fails, as people write them."""
    try:
        return moves_of(texts, position)
    except BadMove:
        return [GAME.parse_move(text, position) for text in texts]  # type: ignore[misc]


def written(lessons: Iterable[Lesson]) -> str:
    """A whole file."""
    return "\n".join([HEADER, *map(str, lessons), ""])
