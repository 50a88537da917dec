"""Scorer and chain in numpy: forward pass, utilities, and the shipped weights."""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadSpec, quote
from ludus.games.nine_mens_morris.batch import (
    DRAWN,
    LOSS,
    NO_POINT,
    RESULT_NAMES,
    UNKNOWN,
    WIN,
    PositionBatch,
)
from ludus.learn.equivariant.group import (
    CHOICE_PERMUTATIONS,
    Permutations,
    concatenate_permutations,
)
from ludus.learn.equivariant.inference import (
    NumpyEquivariantNetwork,
    list_parameter_shapes,
    softmax,
)
from ludus.learn.equivariant.integers import build_integer_network
from ludus.learn.scholar.encoding import FEATURE_PERMUTATIONS, encode, expert_table, select_experts
from ludus.learn.scholar.exceptions import SUFFIX, PackedExceptions, load_exceptions
from ludus.learn.scholar.integer_scores import find_scales, score_outputs
from ludus.learn.scholar.weights import (
    CHAIN,
    INTEGERS,
    SCORER,
    ScholarWeights,
    Tensors,
    load_weights,
)
from ludus.learn.weights import MORE_NETWORKS, BadWeights, find_shipped

NUM_RESULTS = UNKNOWN
"""A loss, a draw and a win of the mover."""

OUTPUT_NAMES = (*RESULT_NAMES[:NUM_RESULTS], "plies to a loss", "plies to a win")
"""Outputs of a scorer: logits of the results, and log2 of the plies to a loss and to a win."""

LOSS_AVERSION = 400.0
"""Default factor on the predicted probability of a loss."""

MAX_LOSS_AVERSION = 1e6
"""With this factor the probability of a loss decides alone."""

MIN_WINNING_SCORE = 0.5
"""Score of a move beyond which the player expects to win, and avoids repetitions."""

NUM_WINNING_CHOICES = 3
"""Best moves of which a player that expects to win takes the first one without a repetition."""

MAX_LENGTH_PENALTY = 0.1
"""Largest relative reduction of a score by the length of the game: near wins are better."""

LONG_GAME_LOG2 = 7.0
"""log2 of the plies of a long game: 128 plies."""


def utility(probabilities: Any, loss_aversion: float) -> Any:
    """Convert (…, 3) probabilities of the mover to utilities of the other side, -1 to 1.

    With a loss aversion of 1 the utility is the expected result. That differs little
    between moves that all look drawn, and leads to positions where draws and losses are hard to
    separate; larger values prefer positions whose result is certain.
    """
    ours, theirs = probabilities[..., LOSS], loss_aversion * probabilities[..., WIN]
    return (ours - theirs) / (ours + probabilities[..., DRAWN] + theirs)


def penalize_length(scores: Any, log2_plies: Any) -> Any:
    """Reduce scores of the side that has just moved by the expected length of the game.

    `log2_plies` (…, 2) are log2 of the plies to the loss and to the win of the mover.
    """
    to_the_end = np.where(scores > 0, log2_plies[..., 0], log2_plies[..., 1])
    return scores * (1 - MAX_LENGTH_PENALTY * np.clip(to_the_end / LONG_GAME_LOG2, 0, 1))


FloatArray = NDArray[np.float32]


def group_by_expert(
    positions: PositionBatch,
) -> Iterator[tuple[int, NDArray[np.intp], FloatArray]]:
    """Yield for each expert its number, the indices of its positions, and their features."""
    kinds = select_experts(positions, expert_table())
    for kind in np.unique(kinds).tolist():
        which = np.flatnonzero(kinds == kind)
        yield kind, which, encode(positions[which])


def build_network(
    weights: Tensors,
    input_permutations: Permutations,
    output_permutations: Permutations | None,
    outputs: int,
    repeats: int = 1,
    dtype: type[np.floating[Any]] = np.float32,
) -> NumpyEquivariantNetwork:
    """Build a network from a file's tensors; raise BadWeights if they do not fit."""
    first = weights.get("first")
    if first is None or first.ndim != 2:
        raise BadWeights("an expert has no first layer")
    blocks = sum(name.endswith("layer1") for name in weights)
    expected = list_parameter_shapes(
        input_permutations.shape[1], outputs, len(first), blocks, output_permutations is None
    )
    if {name: values.shape for name, values in weights.items()} != expected:
        raise BadWeights("an expert's tensors do not make a network")
    return NumpyEquivariantNetwork(weights, input_permutations, output_permutations, repeats, dtype)


MAX_OUTPUT = float(np.finfo(np.float32).max)
"""Largest output of an expert, in whatever precision."""


def run_expert(expert: NumpyEquivariantNetwork, features: FloatArray) -> NDArray[np.floating[Any]]:
    """Return an expert's outputs for each position; raise BadWeights if they are not finite."""
    # Large weights from a file may overflow.
    with np.errstate(over="ignore", invalid="ignore"):
        outputs = expert(features)
    if not (np.abs(outputs) <= MAX_OUTPUT).all():
        raise BadWeights("an expert's output is not a finite number")
    return outputs


class ScorerOutput(NamedTuple):
    """Predictions for several positions from their movers' perspectives."""

    probabilities: NDArray[np.float32]
    """(positions, 3): probabilities of a loss, a draw and a win."""

    log2_plies: NDArray[np.float32]
    """(positions, 2): log2 of the plies to a loss and to a win."""

    def score(self, loss_aversion: float) -> NDArray[np.float32]:
        """Return the scores of the positions for the side that has just moved."""
        scores: NDArray[np.float32]
        scores = penalize_length(utility(self.probabilities, loss_aversion), self.log2_plies)
        return scores


DOUBLE_PRECISION_EXPERTS: Final = frozenset({0})
"""Experts whose units grow so large that errors of single precision can decide between moves.

Nearly all positions of expert 0, with more than 13 men in hand, are draws. Nothing limits the
logits there: the chain's reach -36,000. `certificate_checks.measure_rounding` measures the errors
of all experts of a scorer."""


def select_precision(kind: int) -> type[np.floating[Any]]:
    """Return the type of the numbers with which an expert is evaluated."""
    return np.float64 if kind in DOUBLE_PRECISION_EXPERTS else np.float32


class Scorer:
    """Predictor of results, with one network per kind of position, built on first use."""

    kind: ClassVar[str] = SCORER

    def __init__(self, weights: ScholarWeights, file: Path | None = None) -> None:
        """Use these weights; exceptions, if any, are beside the file that they come from."""
        if weights.kind != self.kind:
            raise BadWeights(f"these networks are a {weights.kind}, not a {self.kind}")
        self._weights, self._file = weights, file
        self._loaded: dict[int, NumpyEquivariantNetwork] = {}

    def evaluate(self, positions: PositionBatch) -> ScorerOutput:
        """Predict the results of positions."""
        probabilities = np.empty((len(positions), NUM_RESULTS), dtype=np.float32)
        log2_plies = np.empty((len(positions), 2), dtype=np.float32)
        for kind, which, features in group_by_expert(positions):
            outputs = run_expert(self._expert(kind), features)
            probabilities[which] = softmax(outputs[:, :NUM_RESULTS])
            log2_plies[which] = outputs[:, NUM_RESULTS:]
        return ScorerOutput(probabilities, log2_plies)

    def score(
        self, positions: PositionBatch, loss_aversion: float
    ) -> tuple[ScorerOutput, NDArray[np.floating[Any]]]:
        """Return the predictions and the scores for the side that has just moved."""
        output = self.evaluate(positions)
        return output, output.score(loss_aversion)

    @cached_property
    def exceptions(self) -> PackedExceptions | None:
        """The stored moves of these weights, None without; BadWeights if the file is not theirs."""
        if self._file is None:
            return None
        beside = self._file.with_suffix(SUFFIX)
        return load_exceptions(beside, self._weights.digest()) if beside.exists() else None

    def _expert(self, kind: int) -> NumpyEquivariantNetwork:
        if kind not in self._loaded:
            self._loaded[kind] = build_scorer_network(self._weights, kind)
        return self._loaded[kind]


class IntegerScorer(Scorer):
    """Predictor of results of whole numbers: its scores are the same on every machine."""

    kind = INTEGERS

    def evaluate(self, positions: PositionBatch) -> ScorerOutput:
        return self.score(positions, LOSS_AVERSION)[0]

    def score(
        self, positions: PositionBatch, loss_aversion: float
    ) -> tuple[ScorerOutput, NDArray[np.floating[Any]]]:
        scores = np.empty(len(positions))
        probabilities = np.empty((len(positions), NUM_RESULTS), dtype=np.float32)
        log2_plies = np.empty((len(positions), 2), dtype=np.float32)
        for kind, which, features in group_by_expert(positions):
            outputs = self._integer_expert(kind)(features)
            scales = find_scales(self._weights.experts[kind]["last_shifts"])
            scores[which] = score_outputs(outputs, scales, loss_aversion)
            real = outputs * scales
            probabilities[which] = softmax(real[:, :NUM_RESULTS] * math.log(2))
            log2_plies[which] = real[:, NUM_RESULTS:]
        return ScorerOutput(probabilities, log2_plies), scores

    def _integer_expert(self, kind: int) -> Callable[[FloatArray], NDArray[np.float64]]:
        if kind not in self._integer_experts:
            tensors = self._weights.experts[kind]
            self._integer_experts[kind] = build_integer_network(tensors, FEATURE_PERMUTATIONS)
        return self._integer_experts[kind]

    @cached_property
    def _integer_experts(self) -> dict[int, Callable[[FloatArray], NDArray[np.float64]]]:
        return {}


def build_scorer_network(weights: ScholarWeights, kind: int) -> NumpyEquivariantNetwork:
    """Build an expert of a scorer."""
    return build_network(
        weights.expert_weights(kind),
        FEATURE_PERMUTATIONS,
        None,
        len(OUTPUT_NAMES),
        weights.repeats[kind],
        select_precision(kind),
    )


MOVE_PARTS = ("to", "from", "take")
"""Names of the chain's networks in weights files, in the order of `PARTS`."""

CHAIN_INPUT_PERMUTATIONS = tuple(
    concatenate_permutations(FEATURE_PERMUTATIONS, *[CHOICE_PERMUTATIONS] * part)
    for part in range(len(MOVE_PARTS))
)
"""Symmetries of the input of each network of a chain: the position and the preceding choices."""


def select_part_weights(expert: Tensors, part: int) -> Tensors:
    """Select the weights of one network of a chain's expert."""
    prefix = f"{MOVE_PARTS[part]}."
    return {
        name.removeprefix(prefix): values
        for name, values in expert.items()
        if name.startswith(prefix)
    }


def build_chain_network(weights: ScholarWeights, kind: int, part: int) -> NumpyEquivariantNetwork:
    """Build one of the three networks of a chain's expert."""
    return build_network(
        select_part_weights(weights.expert_weights(kind), part),
        CHAIN_INPUT_PERMUTATIONS[part],
        CHOICE_PERMUTATIONS,
        NO_POINT + 1,
        weights.repeats[kind],
        select_precision(kind),
    )


_ONE_HOT = np.eye(NO_POINT + 1, dtype=np.float32)


class ChainOutput(NamedTuple):
    """Choices of the chain, shape (positions, 3), and their probabilities."""

    choices: NDArray[np.int64]
    """Point numbers, or NO_POINT."""

    probabilities: FloatArray
    """Shape (positions, 3, 25), each part given the choices before it."""


class MoveProbabilities(NamedTuple):
    """Probabilities of moves, shape (moves, 3) each: by part, given the parts before it."""

    probabilities: FloatArray
    """Probability of the move's own part."""

    best_choices: NDArray[np.int64]
    """The likeliest choice for that part."""

    def slice(self, first: int, end: int) -> "MoveProbabilities":
        return MoveProbabilities(self.probabilities[first:end], self.best_choices[first:end])


class Chain:
    """Networks for TO, FROM and REMOVE, three per kind of position, built on first use."""

    def __init__(self, weights: ScholarWeights) -> None:
        if weights.kind != CHAIN:
            raise BadWeights(f"these networks are a {weights.kind}, not a {CHAIN}")
        self._weights = weights
        self._loaded: dict[int, list[NumpyEquivariantNetwork]] = {}

    def choose(self, positions: PositionBatch) -> ChainOutput:
        """Choose the likeliest value of each part in turn, ignoring legality."""
        number = len(positions)
        choices = np.empty((number, len(MOVE_PARTS)), dtype=np.int64)
        probabilities = np.empty((number, len(MOVE_PARTS), NO_POINT + 1), dtype=np.float32)
        for kind, which, features in group_by_expert(positions):
            inputs = features
            for part, each in enumerate(self._experts(kind)):
                outputs = softmax(run_expert(each, inputs))
                best = outputs.argmax(axis=1)
                choices[which, part], probabilities[which, part] = best, outputs
                inputs = np.concatenate([inputs, _ONE_HOT[best]], axis=1)
        return ChainOutput(choices, probabilities)

    def probabilities_along(
        self, positions: PositionBatch, moves: NDArray[np.integer[Any]]
    ) -> FloatArray:
        """Return the probabilities along a move in each position, as in `ChainOutput`."""
        probabilities = np.empty((len(moves), len(MOVE_PARTS), NO_POINT + 1), dtype=np.float32)
        for kind, which, features in group_by_expert(positions):
            for part, each in enumerate(self._experts(kind)):
                outputs = run_expert(each, _append_choices(features, moves[which, :part]))
                probabilities[which, part] = softmax(outputs)
        return probabilities

    def score_moves(
        self, positions: PositionBatch, owner: NDArray[np.intp], moves: NDArray[np.integer[Any]]
    ) -> MoveProbabilities:
        """Evaluate moves, (moves, 3), of the positions whose indices are `owner`.

        Common prefixes of moves are evaluated once.
        """
        probabilities = np.empty(moves.shape, dtype=np.float32)
        best_choices = np.empty(moves.shape, dtype=np.int64)
        row = np.empty(len(positions), dtype=np.int64)
        for kind, which, features in group_by_expert(positions):
            row[:] = -1
            row[which] = np.arange(len(which))
            here = np.flatnonzero(row[owner] >= 0)
            prefix = rows = row[owner[here]]
            for part, each in enumerate(self._experts(kind)):
                _, first, prefix_index = np.unique(prefix, return_index=True, return_inverse=True)
                inputs = _append_choices(features[rows[first]], moves[here[first], :part])
                outputs = softmax(run_expert(each, inputs))
                chosen = moves[here, part]
                probabilities[here, part] = outputs[prefix_index, chosen]
                best_choices[here, part] = outputs.argmax(axis=1)[prefix_index]
                prefix = prefix * (NO_POINT + 1) + chosen
        return MoveProbabilities(probabilities, best_choices)

    def _experts(self, kind: int) -> list[NumpyEquivariantNetwork]:
        if kind not in self._loaded:
            parts = range(len(MOVE_PARTS))
            self._loaded[kind] = [build_chain_network(self._weights, kind, part) for part in parts]
        return self._loaded[kind]


def _append_choices(features: FloatArray, choices: NDArray[np.integer[Any]]) -> FloatArray:
    """Append the one-hot codes of the preceding parts of a move to the features."""
    if not choices.shape[1]:
        return features
    one_hot = _ONE_HOT[choices].reshape(len(features), -1)
    return np.concatenate([features, one_hot], axis=1)


WEIGHTS_FOLDER: Final = Path(__file__).with_name("weights")
DEFAULT_SIZE: Final = "full"
"""Size of the shipped networks that are used unless another is named."""

Kind = Literal["scorer", "chain"]
"""Kinds of networks that choose a move."""

WEIGHTS_KINDS: Final[Mapping[str, str]] = {"scorer": SCORER, "chain": CHAIN}
"""Names of the kinds in files."""


def load_networks(
    kind: str, size: str = DEFAULT_SIZE, weights: str = "", folder: Path = WEIGHTS_FOLDER
) -> Scorer | Chain:
    """Load a file or shipped networks; raise BadSpec if they are of another kind."""
    return _load_file(Path(weights), kind) if weights else _load_shipped(kind, size, folder)


def find_shipped_weights(folder: Path = WEIGHTS_FOLDER) -> dict[tuple[str, str], Path]:
    """Map kind and size to the shipped file `weights/<kind>-<size>.safetensors`."""
    files = {}
    for name, path in find_shipped(folder, ".safetensors").items():
        kind, has_size, size = name.partition("-")
        if has_size and kind in WEIGHTS_KINDS:
            files[kind, size] = path
    return files


@cache
def _load_shipped(kind: str, size: str, folder: Path) -> Scorer | Chain:
    files = find_shipped_weights(folder)
    if (kind, size) not in files:
        known = ", ".join(f"kind={kind} size={size}" for kind, size in files)
        raise BadSpec(
            f"no scholar with kind={kind} and size {quote(size)} comes with the program; there are "
            f"{known or 'none'}, {MORE_NETWORKS}, and those that ludus train scholar writes: "
            "weights=FILE"
        )
    return _load_file(files[kind, size], kind)


def _load_file(path: Path, kind: str) -> Scorer | Chain:
    weights = load_weights(path)
    if weights.kind == INTEGERS and kind == "scorer":
        return IntegerScorer(weights, path)
    if weights.kind != WEIGHTS_KINDS[kind]:
        other = next(name for name, each in WEIGHTS_KINDS.items() if each == weights.kind)
        raise BadSpec(f"{quote(str(path), 200)} plays with kind={other}, not kind={kind}")
    return Scorer(weights, path) if weights.kind == SCORER else Chain(weights)
