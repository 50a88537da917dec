"""Positions seen through the symmetries of the board, and what a network says to them seen back."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadSpec, quoted
from ludus.datasets.morris.boards import transformed
from ludus.datasets.morris.entries import Entries
from ludus.games.nine_mens_morris.board import READING_ORDER, SYMMETRIES
from ludus.learn.nnmm.inputs import InputModel, Rows, with_choices
from ludus.learn.nnmm.parts import NUM_CLASSES
from ludus.learn.nnmm.weights import Array


class Images:
    """Positions through some symmetries, as rows for a network; those of one symmetry together."""

    def __init__(self, entries: Entries, model: InputModel, symmetries: int) -> None:
        """Through the first so many of the 16 symmetries, of which the first changes nothing."""
        check_symmetries(symmetries)
        self._model = model
        self._classes = _IMAGE_OF[:symmetries]
        boards = [
            np.concatenate([transformed(men, each) for each in SYMMETRIES[:symmetries]])
            for men in (entries.own, entries.other)
        ]
        hands = [np.tile(hand, symmetries) for hand in (entries.own_hand, entries.other_hand)]
        self._rows = model.encode(*boards, *hands).reshape(symmetries, -1, model.width)
        self.positions = len(entries)

    def rows(self, position: NDArray[np.intp], choices: NDArray[np.integer[Any]]) -> Rows:
        """Inputs for a network that knows these choices, shape (rows, parts).

        `position` are the numbers of the positions that the choices belong to.
        """
        rows = self._rows[:, position].reshape(-1, self._model.width)
        seen = self._classes[:, choices].reshape(len(rows), choices.shape[1])
        return with_choices(self._model, rows, seen)

    def seen_back(self, probabilities: Array) -> Array:
        """The mean over the symmetries of what a network says about the points."""
        if len(self._classes) == 1:
            return probabilities
        found = probabilities.reshape(len(self._classes), -1, NUM_CLASSES)
        found = np.take_along_axis(found, self._classes[:, None, :], axis=2)
        mean: Array = found.mean(axis=0)
        return mean


def check_symmetries(symmetries: int) -> None:
    """Refuse to look through none, or through more than there are."""
    if not 1 <= symmetries <= len(SYMMETRIES):
        shown = quoted(str(symmetries))
        raise BadSpec(f"symmetries={shown} must be from 1 to {len(SYMMETRIES)}")


def _image_of() -> NDArray[np.intp]:
    """Shape (16, 25): the class that each class becomes; none remains none."""
    class_of = {point: number for number, point in enumerate(READING_ORDER, start=1)}
    return np.array(
        [[0, *(class_of[symmetry[point]] for point in READING_ORDER)] for symmetry in SYMMETRIES],
        dtype=np.intp,
    )


_IMAGE_OF = _image_of()
