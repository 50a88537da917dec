"""The strong networks in torch, for training and for many boards at once on a GPU.

The five chances are those of `ludus.learn.gammon.network`.
"""

import copy
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from ludus.learn.gammon.afterstates import NUM_ROLLS, Afterstates, Rows
from ludus.learn.gammon.network import NUM_CHANCES, ChancesNetwork, FloatArray, Layers

PREDICT_BATCH = 1 << 19

ROLL_CHANCES = tuple(
    (1 if high == low else 2) / 36 for high in range(1, 7) for low in range(1, high + 1)
)
"""Probabilities of the 21 rolls, in the order of `ROLLS`."""


class ChancesModel(nn.Module):
    """Fully connected layers with rectified linear units; the outputs are logits."""

    def __init__(self, num_inputs: int, hidden: Sequence[int]) -> None:
        super().__init__()
        sizes = (num_inputs, *hidden, NUM_CHANCES)
        self.linear_layers = [nn.Linear(below, above) for below, above in pairwise(sizes)]
        self.layers = nn.ModuleList(self.linear_layers)

    @classmethod
    def from_layers(cls, layers: Layers) -> "ChancesModel":
        """Return the model of a network that plays."""
        model = cls(len(layers[0][0]), [len(biases) for _, biases in layers[:-1]])
        model.set_layers(layers)
        return model

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        for layer in self.linear_layers[:-1]:
            inputs = functional.relu(layer(inputs))
        # In half precision the last layer alone is in single precision.
        outputs: torch.Tensor = self.linear_layers[-1](inputs.float())
        return outputs

    @torch.no_grad()
    def set_layers(self, layers: Layers) -> None:
        """Set the weights and biases of every layer."""
        for layer, (weights, biases) in zip(self.linear_layers, layers, strict=True):
            layer.weight.copy_(torch.from_numpy(weights.T))
            layer.bias.copy_(torch.from_numpy(biases))

    def list_layers(self) -> Layers:
        """Return the weights and biases of every layer."""
        return tuple(
            (_to_array(layer.weight.T), _to_array(layer.bias)) for layer in self.linear_layers
        )

    def export(self, **description: Any) -> ChancesNetwork:
        """Return the network that plays."""
        return ChancesNetwork(self.list_layers(), description)


def _to_array(tensor: torch.Tensor) -> FloatArray:
    return np.ascontiguousarray(tensor.detach().float().cpu().numpy())


class Predictor:
    """Chances by a copy of a model, in half precision on a GPU."""

    def __init__(self, model: ChancesModel, afterstates: Afterstates) -> None:
        self._afterstates = afterstates
        self._model = copy.deepcopy(model)
        self.device = self._model.linear_layers[0].weight.device
        self._dtype = torch.float16 if self.device.type == "cuda" else torch.float32
        self._model.to(self._dtype).linear_layers[-1].float()

    @torch.no_grad()
    def predict(self, boards: torch.Tensor) -> torch.Tensor:
        """Return the chances of the side that has just moved, shape (boards, 5)."""
        begins = range(0, max(len(boards), 1), PREDICT_BATCH)
        parts = [self._predict(boards[begin : begin + PREDICT_BATCH]) for begin in begins]
        return torch.cat(parts) if len(parts) > 1 else parts[0]

    def _predict(self, boards: torch.Tensor) -> torch.Tensor:
        inputs = self._afterstates.encode(boards).to(self._dtype)
        return apply_rules(boards, torch.sigmoid(self._model(inputs)))


def apply_rules(boards: torch.Tensor, chances: torch.Tensor) -> torch.Tensor:
    """Return the chances corrected by what the rules say: finished games, men off, order."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = chances.unbind(1)
    zero = torch.zeros((), dtype=chances.dtype, device=chances.device)
    win_gammon = torch.where(boards[:, 51] > 0, zero, torch.minimum(win_gammon, win))
    lose_gammon = torch.where(boards[:, 0] > 0, zero, torch.minimum(lose_gammon, 1 - win))
    win_backgammon = torch.minimum(win_backgammon, win_gammon)
    lose_backgammon = torch.minimum(lose_backgammon, lose_gammon)
    found = torch.stack((win, win_gammon, win_backgammon, lose_gammon, lose_backgammon), dim=1)
    over = is_over(boards)
    gammon = boards[:, 51] == 0
    backgammon = gammon & (boards[:, 26:33] > 0).any(dim=1)
    one = torch.ones_like(win)
    ended = torch.stack(
        (one, gammon.to(one), backgammon.to(one), torch.zeros_like(one), torch.zeros_like(one)),
        dim=1,
    )
    return torch.where(over[:, None], ended, found)


def is_over(boards: torch.Tensor) -> torch.Tensor:
    """Return whether the side that has just moved has borne off all its men."""
    return ~(boards[:, 1:26] > 0).any(dim=1)


def compute_equity(chances: torch.Tensor) -> torch.Tensor:
    """Return the mean points of a game, cubeless, from chances in the last dimension."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = chances.unbind(-1)
    return 2 * win - 1 + win_gammon + win_backgammon - lose_gammon - lose_backgammon


def flip_chances(chances: torch.Tensor) -> torch.Tensor:
    """Return the other side's chances; chances are in the last dimension."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = chances.unbind(-1)
    return torch.stack((1 - win, lose_gammon, lose_backgammon, win_gammon, win_backgammon), dim=-1)


def choose_best(scores: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    """Return the index of the highest score of each list; lists are given by their offsets."""
    counts = offsets[1:] - offsets[:-1]
    num_lists = len(counts)
    lists = torch.repeat_interleave(
        torch.arange(num_lists, device=scores.device), counts, output_size=len(scores)
    )
    best = torch.full((num_lists,), -torch.inf, device=scores.device)
    best.scatter_reduce_(0, lists, scores, "amax")
    numbers = torch.arange(len(scores), device=scores.device)
    numbers = torch.where(scores == best[lists], numbers, len(scores))
    chosen = torch.full((num_lists,), len(scores), dtype=torch.int64, device=scores.device)
    return chosen.scatter_reduce_(0, lists, numbers, "amin")


def list_replies(boards: Rows, afterstates: Afterstates) -> tuple[torch.Tensor, torch.Tensor]:
    """List the boards after every reply to boards after moves, of all 21 rolls."""
    return afterstates.expand(np.ascontiguousarray(boards[:, ::-1]), None)


def average_replies(
    replies: torch.Tensor, offsets: torch.Tensor, predictor: Predictor
) -> torch.Tensor:
    """Return chances by the best reply to each of the 21 rolls, from the lists of `list_replies`.

    These are the lookahead targets of boards; none may be one of a finished game. Shape
    (boards, 5), on the predictor's device.
    """
    device = predictor.device
    replies, offsets = replies.to(device, non_blocking=True), offsets.to(device)
    chances = predictor.predict(replies)
    best = choose_best(compute_equity(chances), offsets)
    weights = torch.tensor(ROLL_CHANCES, device=device)
    of_rolls = chances[best].reshape(-1, NUM_ROLLS, NUM_CHANCES)
    mean = (of_rolls * weights[None, :, None]).sum(dim=1)
    return flip_chances(mean.clamp(0, 1))
