"""Scored positions as training examples: files, and all legal moves encoded."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import LudusError, quote
from ludus.core.files import read_text
from ludus.datasets.backgammon import scored_positions
from ludus.datasets.backgammon.scored_positions import ScoredPosition
from ludus.learn.gammon.encoding import EncodedMoves, MoveEncoding, encode_positions
from ludus.learn.weights import compute_checksum

DATA_FOLDER: Final = Path(scored_positions.__file__).with_name("data")


def read_scored_positions(path: Path) -> tuple[ScoredPosition, ...]:
    """Read the scored positions of a file; one without any is refused."""
    text = read_text(path)
    try:
        found = tuple(scored_positions.parse_scored_positions(text))
    except LudusError as error:
        raise type(error)(f"{quote(str(path), 200)}, {error}") from error
    if not found:
        raise LudusError(f"{quote(str(path), 200)} has no position")
    return found


@cache
def load_training_positions() -> tuple[ScoredPosition, ...]:
    """Return the 3202 positions of the training set."""
    return read_scored_positions(DATA_FOLDER / "train.txt")


@cache
def load_test_positions() -> tuple[ScoredPosition, ...]:
    """Return the 1000 positions of the test set."""
    return read_scored_positions(DATA_FOLDER / "test.txt")


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

    def checksum(self) -> str:
        """Return a fingerprint of the positions with their scores."""
        moves = vars(self.encoded_moves)
        return compute_checksum(
            {}, {"positions": self.move_offsets, "scores": self.scores, **moves}
        )

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
