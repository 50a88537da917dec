"""The best weights of each expert so far, which return if its training jumps away from them."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import torch
from torch import nn

from ludus.learn.checkpoint import prefix_names
from ludus.learn.optimizer import EmaOptimizer, to_arrays, to_tensors

MAX_INCREASE = 2.0
"""Factor on its least loss beyond which an expert has jumped."""

ALLOWANCE = 0.1
"""Added to it: near 0 a loss may double."""


class BestExperts:
    """The averaged weights with which each expert had its least loss on positions kept apart."""

    def __init__(
        self, optimizer: EmaOptimizer, find_losses: Callable[[int, nn.Module], torch.Tensor]
    ) -> None:
        """Watch an optimizer's banks of experts.

        `find_losses` returns the losses of all experts of a bank, given its number and network.
        """
        self._optimizer, self._find_losses = optimizer, find_losses
        self._best = deepcopy(optimizer.ema_model)
        self._least = [
            torch.full((len(next(bank.parameters())),), torch.inf, device=optimizer.device)
            for bank in self._best.children()
        ]

    @torch.no_grad()
    def update(
        self, max_increase: float = MAX_INCREASE, allowance: float = ALLOWANCE
    ) -> list[tuple[int, int]]:
        """Keep the experts that have improved, and put back those that have jumped.

        Returns pairs of bank and expert for the latter.
        """
        restored = []
        models = self._optimizer.model, self._optimizer.ema_model
        for number, (best, network, averaged) in enumerate(
            zip(*(each.children() for each in (self._best, *models)), strict=True)
        ):
            least, losses = self._least[number], self._find_losses(number, averaged)
            # Nan is not less than anything.
            jumped = ~(losses <= max_increase * least + allowance)
            for expert in (losses < least).nonzero()[:, 0].tolist():
                _copy_expert(averaged, best, expert)
                least[expert] = losses[expert]
            for expert in jumped.nonzero()[:, 0].tolist():
                _copy_expert(best, averaged, expert)
                _copy_expert(best, network, expert)
                self._forget_gradients(network, expert)
                restored.append((number, expert))
        return restored

    def _forget_gradients(self, network: nn.Module, expert: int) -> None:
        for parameter in network.parameters():
            for values in self._optimizer.adam.state.get(parameter, {}).values():
                if values.shape == parameter.shape:
                    values[expert] = 0

    def arrays(self) -> dict[str, Any]:
        """Return the weights and losses for a checkpoint."""
        losses = {str(number): least for number, least in enumerate(self._least)}
        return {
            **prefix_names("weights", to_arrays(self._best.state_dict())),
            **prefix_names("losses", to_arrays(losses)),
        }

    def load(self, weights: Mapping[str, Any], losses: Mapping[str, Any]) -> None:
        """Restore the parts of what `arrays` returned."""
        self._best.load_state_dict(to_tensors(weights))
        for number, least in enumerate(self._least):
            least.copy_(torch.as_tensor(losses[str(number)]))


def _copy_expert(source: nn.Module, target: nn.Module, expert: int) -> None:
    for mine, other in zip(source.parameters(), target.parameters(), strict=True):
        other[expert] = mine[expert]
