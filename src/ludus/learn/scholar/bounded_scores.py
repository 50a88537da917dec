"""Scores of positions with bounds of their errors: the player's own arithmetic, or a GPU's.

A certificate must hold on every machine, so it never relies on a single number: each score comes
with a tolerance, and every move that could be the best within the tolerances counts as playable.
"""

from typing import Any, NamedTuple, Protocol

import torch

from ludus.games.nine_mens_morris.batch import DRAWN, LOSS, WIN, PositionBatch
from ludus.learn.scholar.encoding import NUM_EXPERTS
from ludus.learn.scholar.exact_scores import ExactScores
from ludus.learn.scholar.inference import (
    DOUBLE_PRECISION_EXPERTS,
    LONG_GAME_LOG2,
    MAX_LENGTH_PENALTY,
    NUM_RESULTS,
    Scorer,
    utility,
)
from ludus.learn.scholar.network import TensorEncoder, build_expert
from ludus.learn.scholar.weights import INTEGERS, ScholarWeights

TOLERANCE = 1e-3
"""Bound of the relative error of predicted probabilities in single precision, compared between
machines. The largest error measured is in experiments/scholar/README.md."""

MIN_TOLERANCE = 1e-30
"""Tolerance of a score whose probabilities are too small for a relative error to bound them. It is
far below the probability of an error in a certain draw, about 1e-12, which decides between moves,
and far above the least number of single precision, so that underflow does not matter."""

CHUNK = 1 << 15
"""Positions evaluated at once on a GPU. All chunks are padded to this size, so that the same
kernels compute every score, and a score does not depend on the other positions of the chunk."""


class BoundedScores(NamedTuple):
    """Scores of positions for the side that is not to move, and their tolerances."""

    score: torch.Tensor
    tolerance: torch.Tensor


def bound_error(probabilities: Any, loss_aversion: float) -> Any:
    """Return the tolerances of scores, computed by `utility` from (…, 3) probabilities.

    A score near 0 is the difference of two small probabilities, and as exact as they are.
    """
    ours, theirs = probabilities[..., LOSS], loss_aversion * probabilities[..., WIN]
    size = (ours + theirs) / (ours + probabilities[..., DRAWN] + theirs)
    return TOLERANCE * size + MIN_TOLERANCE


class ScoreFunction(Protocol):
    """Evaluates unfinished positions, columns of torch tensors."""

    def __call__(self, positions: PositionBatch) -> BoundedScores: ...


class ExactBounds:
    """Scores of whole numbers, which have no errors."""

    dtype = torch.float64

    def __init__(self, weights: ScholarWeights, loss_aversion: float, device: torch.device) -> None:
        self._evaluate = ExactScores(weights, loss_aversion, device)

    def __call__(self, positions: PositionBatch) -> BoundedScores:
        scores = self._evaluate(positions)
        return BoundedScores(scores, torch.zeros_like(scores))


class NumpyScores:
    """The player's own scores, computed by numpy."""

    def __init__(self, scorer: Scorer, loss_aversion: float) -> None:
        self._scorer, self._loss_aversion = scorer, loss_aversion

    def __call__(self, positions: PositionBatch) -> BoundedScores:
        output = self._scorer.evaluate(positions.map(lambda column: column.cpu().numpy()))
        score = output.score(self._loss_aversion)
        tolerance = bound_error(output.probabilities, self._loss_aversion)
        return BoundedScores(torch.as_tensor(score), torch.as_tensor(tolerance))


class TorchScores:
    """The same scores by torch, on a GPU or elsewhere.

    Each expert has the precision that it has in the player. Bfloat16 is used only where it is
    exact: elsewhere its errors have no useful bound.
    """

    def __init__(self, weights: ScholarWeights, loss_aversion: float, device: torch.device) -> None:
        self._loss_aversion = loss_aversion
        self._encoder = TensorEncoder(device, torch.float32)
        self._experts = [
            (DoubleExpert if number in DOUBLE_PRECISION_EXPERTS else PreparedExpert)(
                weights, number, device
            )
            for number in range(NUM_EXPERTS)
        ]
        self._places = torch.arange(CHUNK, device=device)

    @torch.no_grad()
    def __call__(self, positions: PositionBatch) -> BoundedScores:
        experts = self._encoder.select_experts(positions)
        order = experts.argsort(stable=True)
        counts = torch.bincount(experts, minlength=NUM_EXPERTS).tolist()
        score = torch.empty(len(positions), device=order.device)
        tolerance = torch.empty_like(score)
        for number, rows in enumerate(torch.split(order, counts)):
            for some in torch.split(rows, CHUNK):
                if len(some):
                    padded = some[self._places.clamp(max=len(some) - 1)]
                    features = self._encoder.encode(positions[padded])[None]
                    outputs = self._experts[number].evaluate(features)[0, : len(some)]
                    score[some], tolerance[some] = self._bound(outputs)
        return BoundedScores(score, tolerance)

    def _bound(self, outputs: torch.Tensor) -> BoundedScores:
        """Convert outputs, (positions, 5), to scores."""
        probabilities, log2_plies = outputs[:, :NUM_RESULTS].softmax(1), outputs[:, NUM_RESULTS:]
        utilities = utility(probabilities, self._loss_aversion)
        length = torch.where(utilities > 0, log2_plies[:, 0], log2_plies[:, 1])
        penalty = MAX_LENGTH_PENALTY * (length / LONG_GAME_LOG2).clamp(0, 1)
        tolerance = bound_error(probabilities, self._loss_aversion)
        return BoundedScores((utilities * (1 - penalty)).float(), tolerance.float())


class PreparedExpert:
    """One expert of a scorer with its weights transformed once for many evaluations."""

    def __init__(self, weights: ScholarWeights, number: int, device: torch.device) -> None:
        self._network = build_expert(weights, number).to(device)
        self._layers = self._network.transform_layers(torch.float32)
        self._filters = split_bfloat16(self._layers.filters)

    def evaluate(self, features: torch.Tensor) -> torch.Tensor:
        """Return the outputs, (1, positions, 5), for features, (1, positions, features)."""
        lifted = multiply_exact_inputs(features, self._filters)
        return self._network.project_lifted(lifted, self._layers)


class DoubleExpert:
    """One expert of a scorer in double precision."""

    def __init__(self, weights: ScholarWeights, number: int, device: torch.device) -> None:
        self._network = build_expert(weights, number).to(device, torch.float64)
        self._layers = self._network.transform_layers(torch.float64)

    def evaluate(self, features: torch.Tensor) -> torch.Tensor:
        """Return the outputs as `PreparedExpert` does."""
        lifted = torch.bmm(features.double(), self._layers.filters)
        return self._network.project_lifted(lifted, self._layers)


NUM_BFLOAT16_PARTS = 3
"""Numbers of bfloat16, with 8 bits each, that add up to one of single precision, with 24 bits."""


def split_bfloat16(weights: torch.Tensor) -> torch.Tensor:
    """Return the parts of weights in bfloat16, (…, 3 * inputs, outputs); their sum is exact."""
    parts, rest = [], weights
    for _ in range(NUM_BFLOAT16_PARTS):
        parts.append(rest.bfloat16())
        rest = rest - parts[-1].float()
    return torch.cat(parts, dim=-2)


def multiply_exact_inputs(inputs: torch.Tensor, parts: torch.Tensor) -> torch.Tensor:
    """Multiply inputs that bfloat16 represents exactly by the parts of weights, (batch, …, …).

    Products of two bfloat16 numbers are exact in single precision, in which they are added up; so
    only the sums are rounded, as they are in a product of single precision.
    """
    repeated = inputs.repeat(1, 1, NUM_BFLOAT16_PARTS)
    if inputs.is_cuda:
        return torch.bmm(repeated.bfloat16(), parts, out_dtype=torch.float32)
    return torch.bmm(repeated.float(), parts.float())


class CachedScores:
    """Scores of canonical positions, each kept until another takes its place in a hash table."""

    def __init__(self, evaluate: ScoreFunction, device: torch.device, log2_size: int) -> None:
        self._evaluate, self._shift = evaluate, 64 - log2_size
        self._keys = torch.full((1 << log2_size,), -1, device=device)
        dtype = getattr(evaluate, "dtype", torch.float32)
        self._scores = torch.zeros((1 << log2_size, 2), dtype=dtype, device=device)
        self.num_evaluated = 0

    def evaluate_keys(self, keys: torch.Tensor) -> BoundedScores:
        """Evaluate the positions of canonical keys, which may occur several times."""
        slots = self._find_slots(keys)
        found = self._scores[slots]
        missing = (self._keys[slots] != keys).nonzero()[:, 0]
        distinct, place = torch.unique(keys[missing], return_inverse=True)
        evaluated = torch.stack(self._evaluate(PositionBatch.from_keys(distinct)), dim=1)
        self.num_evaluated += len(distinct)
        found[missing] = evaluated[place]
        slots = self._find_slots(distinct)
        self._keys[slots] = distinct
        # Of several keys in one slot one remains, and its score must be the one there.
        is_stored = self._keys[slots] == distinct
        self._scores[slots[is_stored]] = evaluated[is_stored]
        return BoundedScores(*found.unbind(1))

    def _find_slots(self, keys: torch.Tensor) -> torch.Tensor:
        mixed = keys * GOLDEN_RATIO_64
        return mixed >> self._shift & ((1 << 64 - self._shift) - 1)


GOLDEN_RATIO_64 = 0x9E3779B97F4A7C15 - (1 << 64)
"""Multiplier of Fibonacci hashing, as a signed number."""


def make_score_function(
    weights: ScholarWeights, loss_aversion: float, device: torch.device
) -> ScoreFunction:
    """Return the scores of a device: numpy's, or torch's on a GPU."""
    if weights.kind == INTEGERS:
        return ExactBounds(weights, loss_aversion, device)
    if device.type != "cuda":
        return NumpyScores(Scorer(weights), loss_aversion)
    return TorchScores(weights, loss_aversion, device)
