"""One step after the other: Adam on a batch that is gathered where the examples are.

On a GPU a step of these small networks takes less time than Python needs to start its hundreds of
kernels, so it is recorded. Whatever changes from step to step lies in tensors that are written
before.
"""

import copy
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import Tensor, nn

from ludus.learn.nnmm.examples import Examples
from ludus.learn.nnmm.loss import Loss, weights_of
from ludus.learn.nnmm.settings import Precision, Training
from ludus.learn.recorded import Recorded


class Optimisation:
    """A network, what it learns from, and what Adam remembers."""

    def __init__(self, network: nn.Module, examples: Examples, training: Training) -> None:
        self.network = network
        self.examples = examples
        self.training = training
        self.device = examples.targets.device
        self.averaged = copy.deepcopy(network) if training.averaging else network
        self.batch = min(training.batch or len(examples), len(examples))
        self.adam = self._adam()
        self.loss = Loss(network, training)
        self.total_loss = torch.zeros((), device=self.device)
        self._chosen = torch.zeros(self.batch, dtype=torch.int64, device=self.device)
        self.steps = 0
        """Taken so far."""

        self._step_on_gpu = Recorded(lambda: self._step(self._chosen), self.device)

    def _adam(self) -> torch.optim.AdamW:
        training = self.training
        weights = weights_of(self.network)
        others = [each for name, each in self.network.named_parameters() if name not in weights]
        is_cuda = self.device.type == "cuda"
        # Biases and norms do not overfit; only weights decay.
        groups: list[dict[str, Any]] = [
            {"params": list(weights.values())},
            {"params": others, "weight_decay": 0.0},
        ]
        return torch.optim.AdamW(
            groups,
            lr=torch.tensor(training.learning_rate, device=self.device) if is_cuda else 0.0,
            betas=(training.b1, training.b2),
            weight_decay=training.weight_decay,
            fused=True,
            capturable=is_cuda,
        )

    def epoch(self, order: Tensor, rates: list[float]) -> None:
        """Steps along the examples in this order, each batch with its learning rate."""
        self.network.train()
        self.total_loss.zero_()
        on_device = torch.tensor(rates, device=self.device)
        for number, rate in enumerate(rates):
            chosen = order[number * self.batch : (number + 1) * self.batch]
            if self.device.type == "cuda":
                self._chosen.copy_(chosen)
                self._set_rate(on_device[number])
                self._step_on_gpu()
            else:
                self._set_rate(rate)
                self._step(chosen)
        self.steps += len(rates)

    def _set_rate(self, rate: Tensor | float) -> None:
        for group in self.adam.param_groups:
            if isinstance(rate, Tensor):
                group["lr"].copy_(rate)
            else:
                group["lr"] = rate

    def _step(self, chosen: Tensor) -> None:
        batch = self.examples.at(chosen)
        with numbers(self.device, self.training.precision):
            scores = self.network(batch.inputs.float())
        loss = self.loss(scores, batch.targets, batch.legal)
        self.adam.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        if self.training.clip:
            nn.utils.clip_grad_norm_(self.network.parameters(), self.training.clip)
        self.adam.step()
        if self.averaged is not self.network:
            self._average()
        self.total_loss += loss.detach()

    def _average(self) -> None:
        with torch.no_grad():
            torch._foreach_lerp_(
                list(self.averaged.parameters()),
                list(self.network.parameters()),
                1 - self.training.averaging,
            )

    def judged(self) -> nn.Module:
        """The network as it is judged and kept."""
        if self.averaged is self.network:
            return self.network
        is_early = self.steps * (1 - self.training.averaging) < 1
        # A mean that still holds much of the untrained network is worth nothing yet.
        if is_early:
            self.averaged.load_state_dict(self.network.state_dict())
        for mean, latest in zip(self.averaged.buffers(), self.network.buffers(), strict=True):
            mean.copy_(latest)
        return self.averaged


def numbers(device: torch.device, precision: Precision) -> AbstractContextManager[object]:
    """Where the products of a network are computed in this precision, if on a GPU."""
    is_short = precision == "bfloat16" and device.type == "cuda"
    # A graph must not remember weights that were rounded before it was recorded.
    return torch.autocast(device.type, torch.bfloat16, enabled=is_short, cache_enabled=False)
