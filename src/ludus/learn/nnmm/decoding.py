"""Decode moves part by part from class probabilities: greedily, or by beam search."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadSpec, quote
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.games.nine_mens_morris.board import SYMMETRIES
from ludus.games.nine_mens_morris.rules import Rules
from ludus.learn.equivariant.group import CLASS_PERMUTATIONS
from ludus.learn.nnmm.encoding import MAX_MEN, InputModel, Rows, append_choices
from ludus.learn.nnmm.inference import PartClassifier
from ludus.learn.nnmm.parts import NUM_CLASSES, PARTS, MoveClasses, PartOrder
from ludus.learn.nnmm.weights import Array


class SymmetryImages:
    """Images of positions under some symmetries, as input rows grouped by symmetry."""

    def __init__(self, positions: PositionBatch, model: InputModel, symmetries: int) -> None:
        """Encode images under the first of the 16 symmetries, beginning with the identity."""
        check_symmetries(symmetries)
        self._model = model
        self._classes = CLASS_PERMUTATIONS[:symmetries]
        images = PositionBatch.concatenate(
            PositionBatch(*positions.position_columns).transform(each)
            for each in SYMMETRIES[:symmetries]
        )
        self._rows = model.encode(images).reshape(symmetries, -1, model.width)
        self.num_positions = len(positions)

    def rows(self, position: NDArray[np.intp], choices: NDArray[np.integer[Any]]) -> Rows:
        """Return input rows after these choices, shape (rows, parts).

        `position` has the index of the position of each row of choices.
        """
        rows = self._rows[:, position].reshape(-1, self._model.width)
        images = self._classes[:, choices].reshape(len(rows), choices.shape[1])
        return append_choices(self._model, rows, images)

    def average_over_symmetries(self, probabilities: Array) -> Array:
        """Map the class probabilities of all images back and return their mean."""
        if len(self._classes) == 1:
            return probabilities
        found = probabilities.reshape(len(self._classes), -1, NUM_CLASSES)
        found = np.take_along_axis(found, self._classes[:, None, :], axis=2)
        mean: Array = found.mean(axis=0)
        return mean


def check_symmetries(symmetries: int) -> None:
    """Check that the number of symmetries is from 1 to 16."""
    if not 1 <= symmetries <= len(SYMMETRIES):
        shown = quote(str(symmetries))
        raise BadSpec(f"symmetries={shown} must be from 1 to {len(SYMMETRIES)}")


ROUNDING_ULPS = 256
"""Probabilities that differ by fewer units in the last place count as equal."""

ChainMember = Sequence[PartClassifier]
"""One classifier for each part, in the order in which they are chosen."""


class WeightedEnsemble(NamedTuple):
    """One set of networks for some positions, and its weight in the mean."""

    members: Sequence[ChainMember]

    images: SymmetryImages

    weight: float = 1.0
    """The weight; those of all ensembles add up to 1."""

    def probabilities(
        self, number: int, position: NDArray[np.intp], choices: NDArray[np.int8]
    ) -> Array:
        """Return the next part's class probabilities, averaged over members and symmetries."""
        rows = self.images.rows(position, choices)
        found = self.members[0][number].probabilities(rows)
        for member in self.members[1:]:
            found += member[number].probabilities(rows)
        found /= len(self.members)
        return self.images.average_over_symmetries(found)


class PartialMoves(NamedTuple):
    """Moves with some parts chosen, equally many for each position, grouped by position."""

    position: NDArray[np.intp]
    """The index of each move's position."""

    classes: MoveClasses
    """Shape (moves, 3); parts not chosen yet are 0."""

    probability: Array
    """The joint probability of the parts chosen so far."""

    probabilities: Array
    """Shape (moves, 3, 25): the class probabilities from which each part was chosen."""

    def select(self, which: NDArray[np.intp] | slice) -> "PartialMoves":
        """Return the moves with these indices, which may repeat."""
        return PartialMoves(
            self.position[which],
            self.classes[which],
            self.probability[which],
            self.probabilities[which],
        )

    def choose_part(
        self, part: int, classes: NDArray[np.intp], probabilities: Array
    ) -> "PartialMoves":
        """Extend each move by each of these classes of a part, shape (moves, classes)."""
        self.probabilities[:, part] = probabilities
        more = self.select(np.repeat(np.arange(len(classes)), classes.shape[1]))
        more.classes[:, part] = classes.reshape(-1)
        chosen = np.take_along_axis(probabilities, classes, axis=1).reshape(-1)
        return more._replace(probability=more.probability * chosen)

    def concatenate(self, other: "PartialMoves") -> "PartialMoves":
        """Concatenate these moves and others."""
        return PartialMoves(
            np.concatenate([self.position, other.position]),
            np.concatenate([self.classes, other.classes]),
            np.concatenate([self.probability, other.probability]),
            np.concatenate([self.probabilities, other.probabilities]),
        )

    def take_every(self, number: int) -> "PartialMoves":
        """Return the first of every `number` moves."""
        return self.select(np.arange(0, len(self.position), number))


class Decoder:
    """Decoder of the moves of some positions from the networks' probabilities."""

    def __init__(self, order: PartOrder, ensembles: Sequence[WeightedEnsemble]) -> None:
        self._order = order
        self._ensembles = ensembles
        self._num_positions = ensembles[0].images.num_positions

    def start(self) -> PartialMoves:
        """Return one move with no part chosen for every position."""
        number = self._num_positions
        return PartialMoves(
            np.arange(number),
            np.zeros((number, len(PARTS)), dtype=np.int8),
            np.ones(number, dtype=np.float32),
            np.zeros((number, len(PARTS), NUM_CLASSES), dtype=np.float32),
        )

    def decode_greedily(self) -> PartialMoves:
        """Decode greedily: the most likely class of each part, given those before it."""
        partial = self.start()
        for number in range(len(PARTS)):
            partial = self.extend(number, partial, 1, decides_alone=True)
        return partial

    def beam_search(self, breadth: int) -> PartialMoves:
        """Beam search: return `breadth` moves of each position, the most likely first.

        After each part the `breadth` most likely partial moves are kept.
        """
        partial = self.start()
        for number in range(len(PARTS)):
            partial = self.keep_most_likely(self.extend(number, partial, breadth), breadth)
        return partial

    def decode_most_likely(self, breadth: int) -> PartialMoves:
        """Return the first move of `beam_search` for each position, with fewer network evaluations.

        A move is at most as likely as any partial move that it extends. So partial moves that are
        less likely than the greedily decoded move are not extended.
        """
        known, greedy = self.start(), []
        for number, part in enumerate(self._order.parts):
            greedy.append(self.probabilities(number, known))
            known = known.choose_part(part, top_k(greedy[-1], 1), greedy[-1])
        enough = known.probability * (1 - ROUNDING_ULPS * np.finfo(known.probability.dtype).eps)
        partial = self.start()
        for number, part in enumerate(self._order.parts):
            before, place = self._order.parts[:number], partial.position
            is_known = (partial.classes[:, before] == known.classes[place][:, before]).all(axis=1)
            is_open = ~is_known & (partial.probability >= enough[place])
            found = np.where(is_known[:, None], greedy[number][place], 0)
            if is_open.any():
                found[is_open] = self.probabilities(number, partial.select(np.flatnonzero(is_open)))
            more = partial.choose_part(part, top_k(found, breadth), found)
            partial = self.keep_most_likely(more, breadth)
        return partial.take_every(breadth)

    def decode_one_position(self, breadth: int) -> PartialMoves:
        """Return the greedy move of one position, then those of `beam_search`, from one pass.

        Reading the weights from memory takes most of the time for few positions; here it is done
        once.
        """
        partial = self.start()
        for number, part in enumerate(self._order.parts):
            found = self.probabilities(number, partial)
            # The greedy move comes first and is extended separately; both begin with the empty
            # move.
            best = top_k(self.rank_classes(number, found[:1]), 1)
            alone = partial.select(slice(0, 1)).choose_part(part, best, found[:1])
            others = slice(1 if number else 0, None)
            best = top_k(found[others], breadth)
            more = partial.select(others).choose_part(part, best, found[others])
            partial = alone.concatenate(self.keep_most_likely(more, breadth))
        return partial

    def list_candidates(self, breadth: int) -> PartialMoves:
        """Return all combinations of each part's best classes, likeliest first: 27 for 3."""
        partial = self.start()
        for number in range(len(PARTS)):
            partial = self.extend(number, partial, breadth)
        return self.keep_most_likely(partial, breadth ** len(PARTS))

    def extend(
        self, number: int, partial: PartialMoves, breadth: int, decides_alone: bool = False
    ) -> PartialMoves:
        """Extend each move by the best classes of the next part; with `decides_alone`, ordered by
        `rank_classes`."""
        found = self.probabilities(number, partial)
        ranks = self.rank_classes(number, found) if decides_alone else found
        return partial.choose_part(self._order.parts[number], top_k(ranks, breadth), found)

    def probabilities(self, number: int, partial: PartialMoves) -> Array:
        """Return the next part's class probabilities, the weighted mean of all ensembles."""
        choices = partial.classes[:, self._order.parts[:number]]
        first, *others = self._ensembles
        found = first.probabilities(number, partial.position, choices) * first.weight
        for ensemble in others:
            found = (
                found + ensemble.probabilities(number, partial.position, choices) * ensemble.weight
            )
        return found

    def rank_classes(self, number: int, probabilities: Array) -> Array:
        """Return the values by which the next part is ranked in greedy decoding.

        In chains of five networks a part that is more likely present than absent is present, even
        if no single point is as likely as none.
        """
        if not self._order.has_presence or PARTS[self._order.parts[number]] == "TO":
            return probabilities
        ranks = probabilities.copy()
        ranks[:, 0] = probabilities[:, 0] >= 0.5
        return ranks

    def keep_most_likely(self, partial: PartialMoves, number: int) -> PartialMoves:
        """Return the `number` most likely moves of each position, best first."""
        likely = partial.probability.reshape(self._num_positions, -1)
        order = top_k(likely, number)
        first = np.arange(len(likely)) * likely.shape[1]
        return partial.select((first[:, None] + order).reshape(-1))


def top_k(values: Array, number: int) -> NDArray[np.intp]:
    """Return the indices of the largest `number` values of each row, the largest first.

    Points that are symmetric to each other may be equally likely. Values that differ by no more
    than rounding count as equal, and ties go to the lowest index, for the same result on every
    machine.
    """
    nearly = 1 - ROUNDING_ULPS * np.finfo(values.dtype).eps
    left = values.copy() if number > 1 else values
    rows, found = np.arange(len(values)), np.empty((len(values), number), dtype=np.intp)
    for place in range(number):
        found[:, place] = (left >= nearly * left.max(axis=1, keepdims=True)).argmax(axis=1)
        if number > 1:
            left[rows, found[:, place]] = -1
    return found


def check_rules(rules: Rules) -> None:
    """Check that the networks can represent the positions of these rules."""
    if rules.men > MAX_MEN:
        raise BadSpec(f"the networks count to {MAX_MEN} men a side; these rules give {rules.men}")
    if rules.diagonals:
        raise BadSpec("the networks were trained on the board without diagonals")
