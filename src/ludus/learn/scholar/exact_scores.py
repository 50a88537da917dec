"""Scores of positions by a scorer of whole numbers in torch, equal to the player's bit for bit."""

from collections.abc import Iterator

import torch

from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.learn.equivariant.integers_torch import IntegerLayers, evaluate_layers
from ludus.learn.scholar.encoding import FEATURE_PERMUTATIONS, NUM_EXPERTS
from ludus.learn.scholar.integer_scores import find_scales, score_outputs
from ludus.learn.scholar.network import TensorEncoder
from ludus.learn.scholar.weights import INTEGERS, ScholarWeights
from ludus.learn.weights import BadWeights

CHUNK = 1 << 15
"""Positions evaluated at once."""


class ExactScores:
    """Scores of unfinished positions for the side that is not to move, columns of torch tensors."""

    def __init__(self, weights: ScholarWeights, loss_aversion: float, device: torch.device) -> None:
        if weights.kind != INTEGERS:
            raise BadWeights(f"these networks are a {weights.kind}, not a {INTEGERS}")
        self._loss_aversion, self._encoder = loss_aversion, TensorEncoder(device)
        dtype = self._encoder.dtype
        self._layers = [
            IntegerLayers.from_tensors(each, FEATURE_PERMUTATIONS, device, dtype)
            for each in weights.experts
        ]
        self._scales = [
            torch.as_tensor(find_scales(each["last_shifts"]), device=device)
            for each in weights.experts
        ]

    @torch.no_grad()
    def __call__(self, positions: PositionBatch) -> torch.Tensor:
        scores = torch.empty(len(positions), dtype=torch.float64, device=positions.own.device)
        for rows, outputs, scales in self.evaluate(positions):
            scores[rows] = score_outputs(outputs, scales, self._loss_aversion)
        return scores

    @torch.no_grad()
    def evaluate(
        self, positions: PositionBatch
    ) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
        """Yield rows of positions, their outputs, and the scales of these."""
        experts = self._encoder.select_experts(positions)
        order = experts.argsort(stable=True)
        counts = torch.bincount(experts, minlength=NUM_EXPERTS).tolist()
        for number, all_rows in enumerate(torch.split(order, counts)):
            for rows in torch.split(all_rows, CHUNK) if len(all_rows) else ():
                features = self._encoder.encode(positions[rows])[None]
                yield rows, evaluate_layers(features, self._layers[number])[0], self._scales[number]
