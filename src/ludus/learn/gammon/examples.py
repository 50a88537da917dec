"""Training examples as arrays: all legal moves of scored positions, encoded."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ludus._native import gammon
from ludus.datasets.backgammon.scored_positions import ScoredPosition
from ludus.games.backgammon.batch import BoardRow, position_to_row
from ludus.learn.gammon.encoding import MoveEncoding


@dataclass(frozen=True)
class EncodedMoves:
    """Sparse inputs: the active units of each move, concatenated."""

    starts: NDArray[np.int64]
    """Offsets of the moves into `index` and `value`, shape (moves + 1,)."""

    index: NDArray[np.uint16]
    """Unit numbers."""

    value: NDArray[np.float32]
    """Activations."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    def dense(self, size: int) -> NDArray[np.float32]:
        """Return the dense inputs, shape (moves, size)."""
        whole = np.zeros((len(self), size), np.float32)
        whole[np.repeat(np.arange(len(self)), np.diff(self.starts)), self.index] = self.value
        return whole


def encode_moves(
    boards: BoardRow, rolls: BoardRow, coding: MoveEncoding
) -> tuple[NDArray[np.int64], BoardRow, EncodedMoves]:
    """Return the offsets of each board's moves, the boards after them, and the encoded moves."""
    moves, ends, starts, index, value = gammon.inputs(boards, rolls, coding.change, coding.beside)
    return moves, ends, EncodedMoves(starts, index, value)


@dataclass(frozen=True)
class ScoredMoves:
    """Scored positions in one encoding."""

    patterns: EncodedMoves
    """Every legal move of every position, in the order of `legal_moves`."""

    moves: NDArray[np.int64]
    """Offsets of each position's moves, shape (positions + 1,)."""

    scores: NDArray[np.float32]
    """The expert's score of each move from -100 to 100; NaN for uncommented moves."""

    is_double: NDArray[np.bool_]
    """Whether the roll is a double, by position."""

    @classmethod
    def of(cls, lessons: Sequence[ScoredPosition], coding: MoveEncoding) -> Self:
        """Encode scored positions."""
        boards = np.array(
            [position_to_row(lesson.position) for lesson in lessons], np.int8
        ).reshape(-1, 52)
        rolls = np.array([lesson.position.dice for lesson in lessons], np.int8).reshape(-1, 2)
        moves, _, patterns = encode_moves(boards, rolls, coding)
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
        """The position number of each move."""
        return np.repeat(np.arange(len(self)), np.diff(self.moves))

    @cached_property
    def is_best(self) -> NDArray[np.bool_]:
        """Mask of the moves that the expert would play."""
        filled = np.nan_to_num(self.scores, nan=-np.inf)
        best = np.maximum.reduceat(filled, self.moves[:-1])
        is_best: NDArray[np.bool_] = filled == best[self.position_of_move]
        return is_best

    def agreement(self, outputs: NDArray[np.float32]) -> float:
        """Return the proportion of positions in which the move with the highest output is the
        expert's.
        """
        highest = np.maximum.reduceat(outputs, self.moves[:-1])
        is_chosen = outputs == highest[self.position_of_move]
        # Of several moves with the highest output the first is played.
        first = np.unique(self.position_of_move[is_chosen], return_index=True)[1]
        return float(self.is_best[np.flatnonzero(is_chosen)[first]].mean())
