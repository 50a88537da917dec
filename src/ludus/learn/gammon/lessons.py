"""A data base as arrays: every legal move of every position, coded, with its score if any."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ludus._native import gammon
from ludus.datasets.backgammon.lines import Lesson
from ludus.learn.gammon.codings import Coding
from ludus.players.tool.rows import Row, row_of


@dataclass(frozen=True)
class Patterns:
    """Moves as the units that are on, one move behind the other."""

    starts: NDArray[np.int64]
    """Where each move's units begin, and where the last one's end."""

    index: NDArray[np.uint16]
    """Numbers of units."""

    value: NDArray[np.float32]
    """How active they are."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    def dense(self, size: int) -> NDArray[np.float32]:
        """All units, on or off; shape (moves, size)."""
        whole = np.zeros((len(self), size), np.float32)
        whole[np.repeat(np.arange(len(self)), np.diff(self.starts)), self.index] = self.value
        return whole


def coded(boards: Row, rolls: Row, coding: Coding) -> tuple[NDArray[np.int64], Row, Patterns]:
    """Where each board's moves begin, the boards after them, and the moves coded."""
    moves, ends, starts, index, value = gammon.inputs(boards, rolls, coding.change, coding.beside)
    return moves, ends, Patterns(starts, index, value)


@dataclass(frozen=True)
class Lessons:
    """Lessons in one coding."""

    patterns: Patterns
    """Every legal move of every position, in the order of `legal_moves`."""

    moves: NDArray[np.int64]
    """Where each position's moves begin, and where the last one's end."""

    scores: NDArray[np.float32]
    """The expert's score of each move from -100 to 100; NaN where it is uncommented."""

    is_double: NDArray[np.bool_]
    """For each position whether its roll is a double."""

    @classmethod
    def of(cls, lessons: Sequence[Lesson], coding: Coding) -> Self:
        """These lessons, coded."""
        boards = np.array([row_of(lesson.position) for lesson in lessons], np.int8).reshape(-1, 52)
        rolls = np.array([lesson.position.dice for lesson in lessons], np.int8).reshape(-1, 2)
        moves, _, patterns = coded(boards, rolls, coding)
        scores = np.full(len(patterns), np.nan, np.float32)
        for lesson, begin in zip(lessons, moves[:-1], strict=True):
            legal = {move: number for number, move in enumerate(lesson.position.legal_moves())}
            for move, score in lesson.scores.items():
                scores[begin + legal[move]] = score
        return cls(patterns, moves, scores, rolls[:, 0] == rolls[:, 1])

    def __len__(self) -> int:
        return len(self.moves) - 1

    @cached_property
    def position_of_move(self) -> NDArray[np.int64]:
        """The number of the position each move belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.moves))

    @cached_property
    def is_best(self) -> NDArray[np.bool_]:
        """Whether a move is what the expert would play."""
        filled = np.nan_to_num(self.scores, nan=-np.inf)
        best = np.maximum.reduceat(filled, self.moves[:-1])
        is_best: NDArray[np.bool_] = filled == best[self.position_of_move]
        return is_best

    def agreement(self, outputs: NDArray[np.float32]) -> float:
        """The share of positions in which the move with the highest output is the expert's."""
        highest = np.maximum.reduceat(outputs, self.moves[:-1])
        is_chosen = outputs == highest[self.position_of_move]
        # Of several moves with the highest output the first is played.
        first = np.unique(self.position_of_move[is_chosen], return_index=True)[1]
        return float(self.is_best[np.flatnonzero(is_chosen)[first]].mean())
