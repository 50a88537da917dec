"""Chains of networks that choose TO, FROM and REMOVE in turn: greedily, or by beam search."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadSpec, quote
from ludus.core.processes import count_cores
from ludus.core.spec import check_range
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.games.nine_mens_morris.board import SYMMETRIES
from ludus.games.nine_mens_morris.rules import Rules
from ludus.learn.equivariant.group import CLASS_PERMUTATIONS
from ludus.learn.move_explanation import DECODING_RULES
from ludus.learn.move_explanation import DecodingRule as DecodingRule
from ludus.learn.nnmm.encoding import MAX_MEN, InputModel, Rows, append_choices
from ludus.learn.nnmm.inference import PartClassifier, load_network
from ludus.learn.nnmm.parts import NUM_CLASSES, ORDERS, PARTS, MoveClasses, PartOrder
from ludus.learn.nnmm.weights import Array, ChainWeights, Committee, Tensors, load_committee
from ludus.learn.weights import MORE_NETWORKS, BadWeights, find_shipped


class SymmetryImages:
    """Images of positions under some symmetries, as input rows grouped by symmetry."""

    def __init__(self, positions: PositionBatch, model: InputModel, symmetries: int) -> None:
        """Encode images under the first of the 16 symmetries, beginning with the identity."""
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
        return PartialMoves._make(column[which] for column in self)

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


CHAIN_BATCH = 1024
"""Positions per batch."""

DEFAULT_BREADTH = 3
"""Default beam width."""


class ChainPrediction(NamedTuple):
    """The choices of a chain for some positions."""

    classes: MoveClasses
    """Shape (positions, 3)."""

    probabilities: Array
    """Shape (positions, 3, 25): class probabilities of each part, given the parts before."""


class NetworkChain:
    """The networks of one file, each of which chooses a part given those chosen before."""

    def __init__(self, weights: ChainWeights | Committee) -> None:
        committee = weights if isinstance(weights, Committee) else Committee.combine(weights)
        self.order = committee.order
        self.voting = committee.voting
        """Share and number of symmetries of each set of networks."""

        self.models = [each.model for each in committee.sets]
        self.trained = [each.trained for each in committee.sets]
        self._sets = [
            [_build_classifiers(each, tensors) for tensors in each.members]
            for each in committee.sets
        ]

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Load the chain of a file; raise BadWeights if it is invalid."""
        path = Path(path)
        weights = load_committee(path)
        try:
            return cls(weights)
        except BadWeights as error:
            raise BadWeights(f"{quote(str(path), 200)} cannot be used: {error}") from error

    @property
    def num_members(self) -> int:
        """The number of ensemble members in all sets."""
        return sum(map(len, self._sets))

    def predict(
        self,
        positions: PositionBatch,
        rule: DecodingRule = "parts",
        symmetries: int = 1,
        breadth: int = DEFAULT_BREADTH,
    ) -> ChainPrediction:
        """Decode a move for each position, without checking that it is legal.

        The rule `parts` takes the most likely class of each part in turn, as Galassi 2018 does;
        `joint` is a beam search for the move that is most likely as a whole.
        """
        if rule not in DECODING_RULES:
            raise BadSpec(f"rule={quote(str(rule))} must be one of {', '.join(DECODING_RULES)}")
        check_range("breadth", breadth, 1, NUM_CLASSES)
        classes = np.empty((len(positions), len(PARTS)), dtype=np.int8)
        probabilities = np.empty((len(positions), len(PARTS), NUM_CLASSES), dtype=np.float32)

        def fill(first: int) -> None:
            batch = slice(first, first + CHAIN_BATCH)
            decoder = self.decoder(positions[batch], symmetries)
            chosen = (
                decoder.decode_greedily()
                if rule == "parts"
                else decoder.decode_most_likely(breadth)
            )
            classes[batch], probabilities[batch] = chosen.classes, chosen.probabilities

        # Matrix products release the GIL, so batches can run on several cores.
        with ThreadPoolExecutor(count_cores()) as threads:
            list(threads.map(fill, range(0, len(positions), CHAIN_BATCH)))
        return ChainPrediction(classes, probabilities)

    def decoder(self, positions: PositionBatch, symmetries: int = 1) -> Decoder:
        """Return a decoder for some positions.

        A set of networks with a higher number of symmetries of its own uses that.
        """
        check_range("symmetries", symmetries, 1, len(SYMMETRIES))
        ensembles = [
            WeightedEnsemble(
                members,
                SymmetryImages(positions, model, max(symmetries, options.symmetries)),
                options.share,
            )
            for members, model, options in zip(self._sets, self.models, self.voting, strict=True)
        ]
        return Decoder(self.order, ensembles)


def _build_classifiers(weights: ChainWeights, member: tuple[Tensors, ...]) -> ChainMember:
    """Build the classifiers of one member; presence and point network of a part are one."""
    found, presence = [], None
    for step, design, tensors in zip(weights.order.steps, weights.designs, member, strict=True):
        if not tensors:
            raise BadWeights(f"it has no network for {step.name} yet")
        columns = weights.model.columns(len(step.parts_before))
        built = load_network(design, tensors, columns, step.outputs)
        if step.predicts_presence:
            presence = built
        else:
            found.append(PartClassifier(built, presence))
            presence = None
    return found


WEIGHTS_FOLDER: Final = Path(__file__).with_name("weights")
DEFAULT_SIZE: Final = "symmetric"
"""The size used by default."""


def load_chain(
    weights: str = "", size: str = DEFAULT_SIZE, order: str = "", folder: Path = WEIGHTS_FOLDER
) -> NetworkChain:
    """Load the chain of a file, or else the shipped one of this order (or the first one)."""
    if weights:
        found = NetworkChain.load(Path(weights))
        if order and str(found.order) != order:
            raise BadSpec(f"{quote(weights, 200)} has the order {found.order}, not {order}")
        return found
    return _load_shipped_chain(size, order, folder)


def find_shipped_weights(folder: Path = WEIGHTS_FOLDER) -> dict[tuple[str, str], Path]:
    """Find the shipped files `<size>-<order>.safetensors` by size and order, sorted as ORDERS."""
    found = {}
    for name, path in find_shipped(folder, ".safetensors").items():
        size, _, order = name.rpartition("-")
        if size and order in ORDERS:
            found[size, order] = path
    return dict(sorted(found.items(), key=lambda item: (item[0][0], ORDERS.index(item[0][1]))))


@cache
def _load_shipped_chain(size: str, order: str, folder: Path) -> NetworkChain:
    if order:
        PartOrder.parse(order)
    files = find_shipped_weights(folder)
    for (its_size, its_order), path in files.items():
        if its_size == size and order in ("", its_order):
            return NetworkChain.load(path)
    wanted = f"{size} {order}".strip()
    known = ", ".join(f"size={size} order={order}" for size, order in files)
    raise BadSpec(
        f"no {quote(wanted)} networks come with the program; there are {known or 'none'}, "
        f"{MORE_NETWORKS}, and those that ludus train nnmm writes: weights=FILE"
    )
