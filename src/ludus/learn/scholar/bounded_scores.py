"""Scores of positions with bounds of their errors: the player's own arithmetic, or a GPU's.

A certificate must hold on every machine, so it never relies on a single number: each score comes
with a tolerance, and every move that could be the best within the tolerances counts as playable.
"""

from typing import NamedTuple, Protocol

import torch
from torch import nn

from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.learn.equivariant.model import EquivariantNetwork
from ludus.learn.scholar.encoding import FEATURE_PERMUTATIONS, NUM_EXPERTS
from ludus.learn.scholar.inference import (
    LONG_GAME_LOG2,
    MAX_LENGTH_PENALTY,
    NUM_RESULTS,
    OUTPUT_NAMES,
    Scorer,
    penalize_length,
    utility,
)
from ludus.learn.scholar.model import TensorEncoder
from ludus.learn.scholar.weights import ScholarWeights

TOLERANCE = 1e-4
"""Bound of the difference between scores of the same position by single-precision arithmetic on
different machines. The largest difference measured is in docs/scholar.md."""

CHUNK = 1 << 16
"""Positions evaluated at once on a GPU."""


class BoundedScores(NamedTuple):
    """Scores of positions for the side that is not to move, and their tolerances."""

    score: torch.Tensor
    tolerance: torch.Tensor


class ScoreFunction(Protocol):
    """Evaluates unfinished positions, columns of torch tensors."""

    def __call__(self, positions: PositionBatch) -> BoundedScores: ...


class NumpyScores:
    """The player's own scores, computed by numpy."""

    def __init__(self, scorer: Scorer, loss_aversion: float, tolerance: float = TOLERANCE) -> None:
        self._scorer, self._loss_aversion, self._tolerance = scorer, loss_aversion, tolerance

    def __call__(self, positions: PositionBatch) -> BoundedScores:
        output = self._scorer.evaluate(positions.map(lambda column: column.cpu().numpy()))
        utilities = utility(output.probabilities, self._loss_aversion)
        score = torch.as_tensor(penalize_length(utilities, output.log2_plies))
        return BoundedScores(score, torch.full_like(score, self._tolerance))


class TorchScores:
    """The same scores by torch in single precision, on a GPU or elsewhere.

    Bfloat16 is hardly faster here, and its errors have no useful bound.
    """

    def __init__(self, weights: ScholarWeights, loss_aversion: float, device: torch.device) -> None:
        self._loss_aversion = loss_aversion
        self._encoder = TensorEncoder(device, torch.float32)
        self._networks = [build_expert(weights, number).to(device) for number in range(NUM_EXPERTS)]

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
                    features = self._encoder.encode(positions[some])[None]
                    outputs = self._networks[number](features)[0].float()
                    score[some], tolerance[some] = self._bound(outputs)
        return BoundedScores(score, tolerance)

    def _bound(self, outputs: torch.Tensor) -> BoundedScores:
        """Convert outputs, (positions, 5), to scores."""
        probabilities, log2_plies = outputs[:, :NUM_RESULTS].softmax(1), outputs[:, NUM_RESULTS:]
        utilities = utility(probabilities, self._loss_aversion)
        length = torch.where(utilities > 0, log2_plies[:, 0], log2_plies[:, 1])
        penalty = MAX_LENGTH_PENALTY * (length / LONG_GAME_LOG2).clamp(0, 1)
        score = utilities * (1 - penalty)
        return BoundedScores(score, torch.full_like(score, TOLERANCE))


def build_expert(weights: ScholarWeights, number: int) -> EquivariantNetwork:
    """Build one expert of a scorer in torch, with all outputs of the player's."""
    tensors = weights.expert_weights(number)
    channels = len(tensors["first"])
    blocks = sum(name.endswith("layer1") for name in tensors)
    network = EquivariantNetwork(
        FEATURE_PERMUTATIONS,
        len(OUTPUT_NAMES),
        channels,
        blocks,
        repeats=weights.repeats[number],
    )
    parameters = {name: torch.as_tensor(values)[None] for name, values in tensors.items()}
    nn.Module.load_state_dict(network, parameters)
    return network.eval().requires_grad_(False)


def make_score_function(
    weights: ScholarWeights, loss_aversion: float, device: torch.device
) -> ScoreFunction:
    """Return the scores of a device: numpy's, or torch's on a GPU."""
    if device.type != "cuda":
        return NumpyScores(Scorer(weights), loss_aversion)
    return TorchScores(weights, loss_aversion, device)
