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
from ludus.games.backgammon.position import Position
from ludus.learn.gammon.encoding import MoveEncoding


@dataclass(frozen=True)
class EncodedMoves:
    """Sparse inputs: the active units of each move, concatenated."""

    offsets: NDArray[np.int64]
    """Offsets of the moves into `unit_indices` and `activations`, shape (moves + 1,)."""

    unit_indices: NDArray[np.uint16]
    """Unit numbers."""

    activations: NDArray[np.float32]
    """Activations."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def to_dense(self, size: int) -> NDArray[np.float32]:
        """Return the dense inputs, shape (moves, size)."""
        whole = np.zeros((len(self), size), np.float32)
        whole[np.repeat(np.arange(len(self)), np.diff(self.offsets)), self.unit_indices] = (
            self.activations
        )
        return whole


def encode_moves(
    boards: BoardRow, rolls: BoardRow, encoding: MoveEncoding
) -> tuple[NDArray[np.int64], BoardRow, EncodedMoves]:
    """Return the offsets of each board's moves, the boards after them, and the encoded moves."""
    move_offsets, ends, offsets, unit_indices, activations = gammon.inputs(
        boards, rolls, encoding.change_units, encoding.extra_units
    )
    return move_offsets, ends, EncodedMoves(offsets, unit_indices, activations)


def encode_positions(
    positions: Sequence[Position], encoding: MoveEncoding
) -> tuple[NDArray[np.int64], EncodedMoves]:
    """Return the offsets of each position's moves, and the encoded moves."""
    boards = np.array([position_to_row(position) for position in positions], np.int8)
    rolls = np.array([position.dice for position in positions], np.int8)
    offsets, _, encoded = encode_moves(boards.reshape(-1, 52), rolls.reshape(-1, 2), encoding)
    return offsets, encoded


@dataclass(frozen=True)
class ScoredMoves:
    """Scored positions in one encoding."""

    encoded_moves: EncodedMoves
    """Every legal move of every position, in the order of `legal_moves`."""

    move_offsets: NDArray[np.int64]
    """Offsets of each position's moves, shape (positions + 1,)."""

    scores: NDArray[np.float32]
    """The expert's score of each move from -100 to 100; NaN for uncommented moves."""

    is_double: NDArray[np.bool_]
    """Whether the roll is a double, by position."""

    @classmethod
    def from_positions(cls, scored: Sequence[ScoredPosition], encoding: MoveEncoding) -> Self:
        """Encode scored positions."""
        move_offsets, encoded_moves = encode_positions([item.position for item in scored], encoding)
        is_double = np.array([len({*(item.position.dice or ())}) == 1 for item in scored], np.bool_)
        scores = np.full(len(encoded_moves), np.nan, np.float32)
        for item, begin in zip(scored, move_offsets[:-1], strict=True):
            legal = {move: number for number, move in enumerate(item.position.legal_moves())}
            for move, score in item.scores.items():
                scores[begin + legal[move]] = score
        return cls(encoded_moves, move_offsets, scores, is_double)

    def __len__(self) -> int:
        return len(self.move_offsets) - 1

    @cached_property
    def position_of_move(self) -> NDArray[np.int64]:
        """The position number of each move."""
        return np.repeat(np.arange(len(self)), np.diff(self.move_offsets))

    @cached_property
    def is_best(self) -> NDArray[np.bool_]:
        """Mask of the moves that the expert would play."""
        filled = np.nan_to_num(self.scores, nan=-np.inf)
        best = np.maximum.reduceat(filled, self.move_offsets[:-1])
        is_best: NDArray[np.bool_] = filled == best[self.position_of_move]
        return is_best

    def compute_accuracy(self, outputs: NDArray[np.float32]) -> float:
        """Return the proportion of positions where the highest output is on the expert's move."""
        highest = np.maximum.reduceat(outputs, self.move_offsets[:-1])
        is_chosen = outputs == highest[self.position_of_move]
        # Of several moves with the highest output the first is played.
        first = np.unique(self.position_of_move[is_chosen], return_index=True)[1]
        return float(self.is_best[np.flatnonzero(is_chosen)[first]].mean())
