"""Loss, learning-rate schedule and optimizer steps of one network."""

import copy
import math
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from ludus.learn.common.optimizer import EmaOptimizer, cosine_decay, warm_up
from ludus.learn.nnmm.config import Precision, TrainingConfig
from ludus.learn.nnmm.examples import Examples
from ludus.learn.nnmm.stacked import StackedNetworks


def compute_learning_rate(training: TrainingConfig, epoch: float, progress: float) -> float:
    """Return the learning rate in an epoch, from 0, when a proportion `progress` of training is
    done.

    The schemes of Galassi 2016, section 4.1.5, change it from epoch to epoch, warm-up and cosine at
    every step.
    """
    rate = training.learning_rate
    if progress < training.warmup:
        return warm_up(rate, progress, training.warmup)
    whole = math.floor(epoch)
    if training.annealing == "step":
        return float(rate * training.step_factor ** (whole // training.step_epochs))
    if training.annealing == "exponential":
        return rate * math.exp(-training.k * whole)
    if training.annealing == "proportional":
        return rate / (1 + training.k * whole)
    if training.annealing == "cosine":
        rest = (progress - training.warmup) / (1 - training.warmup) if training.warmup < 1 else 1.0
        return cosine_decay(rate, rest)
    return rate


class Loss:
    """Negative log-likelihood and, optionally, a norm of the weights and illegal probability."""

    def __init__(self, network: nn.Module, training: TrainingConfig) -> None:
        self.training = training
        everywhere = training.penalised == "all"
        self.weights = [
            weight
            for name, weight in select_weights(network).items()
            if everywhere or name.partition(".")[0] == "last"
        ]

    def __call__(self, scores: Tensor, targets: Tensor, legal: Tensor | None) -> Tensor:
        """Return the loss of logits, (examples, classes); `legal` are masks of legal classes."""
        settings = self.training
        scores = scores.float()
        loss = functional.cross_entropy(scores, targets, label_smoothing=settings.label_smoothing)
        if legal is not None:
            loss = loss + settings.legality * compute_illegal_probability(scores, legal).mean()
        if settings.penalty == "L1":
            loss = loss + settings.penalty_weight * sum(each.abs().sum() for each in self.weights)
        elif settings.penalty == "L2":
            loss = loss + settings.penalty_weight * sum(
                each.square().sum() for each in self.weights
            )
        return loss


def select_weights(network: nn.Module) -> dict[str, nn.Parameter]:
    """Return the weights by name, without biases and parameters of norms."""
    num_stacked = isinstance(network, StackedNetworks)
    return {
        name: parameter
        for name, parameter in network.named_parameters()
        if parameter.dim() > 1 + num_stacked and "bias" not in name
    }


def compute_illegal_probability(scores: Tensor, legal: Tensor) -> Tensor:
    """Return the total probability of illegal classes for each example."""
    classes = torch.arange(scores.shape[1], device=scores.device, dtype=torch.int32)
    is_legal = legal[:, None] >> classes & 1
    return (torch.softmax(scores, dim=1) * (1 - is_legal)).sum(dim=1)


class NetworkOptimizer(EmaOptimizer):
    """A network, its examples and the state of Adam.

    A step of these small networks takes less time on a GPU than Python needs to launch its hundreds
    of kernels, so it is recorded as a CUDA graph. Values that change from step to step are in
    tensors that are written before each replay.
    """

    def __init__(self, network: nn.Module, examples: Examples, training: TrainingConfig) -> None:
        super().__init__(
            network,
            copy.deepcopy(network) if training.averaging else network,
            _build_adam(network, training, examples.targets.device),
            training.averaging,
            max_gradient_norm=training.clip,
        )
        self.examples = examples
        self.training = training
        self.batch = min(training.batch or len(examples), len(examples))
        self.loss = Loss(network, training)
        self.total_loss = torch.zeros((), device=self.device)
        self._chosen = torch.zeros(self.batch, dtype=torch.int64, device=self.device)
        self._step = self.prepare_step(self._compute_loss, "step")

    def run_epoch(self, order: Tensor, rates: Iterable[float]) -> list[float]:
        """Run an epoch over the examples in this order, each batch with its learning rate.

        Rates may be computed while the epoch runs; if they end early, so does the epoch. Return
        the rates of the steps that were made.
        """
        used = list(self.iterate_epoch(order, rates))
        return rates if isinstance(rates, list) else used

    def iterate_epoch(self, order: Tensor, rates: Iterable[float]) -> Iterator[float]:
        """Run an epoch as `run_epoch` does, and yield the learning rate after each step."""
        self.model.train()
        self.total_loss.zero_()
        is_copied = self.device.type == "cuda" and isinstance(rates, list)
        learning_rates = torch.tensor(rates, device=self.device) if is_copied else rates
        for number, learning_rate in enumerate(learning_rates):
            self._chosen.copy_(order[..., number * self.batch : (number + 1) * self.batch])
            self._step(learning_rate)
            yield learning_rate

    def _compute_loss(self) -> Tensor:
        batch = self.examples.select(self._chosen)
        with autocast(self.device, self.training.precision):
            scores = self.model(batch.inputs.float())
        loss = self.loss(scores, batch.targets, batch.legal)
        self.total_loss += loss.detach()
        return loss

    def evaluated_network(self) -> nn.Module:
        """Return the network that is validated and saved: the moving average, if there is one."""
        if not self.has_ema:
            return self.model
        is_early = self.steps * (1 - self.ema_decay) < 1
        # Early on, the average still consists mostly of the untrained weights.
        if is_early:
            self.ema_model.load_state_dict(self.model.state_dict())
        for mean, latest in zip(self.ema_model.buffers(), self.model.buffers(), strict=True):
            mean.copy_(latest)
        return self.ema_model


def _build_adam(
    network: nn.Module, training: TrainingConfig, device: torch.device
) -> torch.optim.AdamW:
    weights = select_weights(network)
    others = [each for name, each in network.named_parameters() if name not in weights]
    is_cuda = device.type == "cuda"
    # Biases and norms do not overfit; only weights decay.
    groups: list[dict[str, Any]] = [
        {"params": list(weights.values())},
        {"params": others, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(
        groups,
        lr=torch.tensor(training.learning_rate, device=device) if is_cuda else 0.0,
        betas=(training.b1, training.b2),
        weight_decay=training.weight_decay,
        fused=True,
        capturable=is_cuda,
    )


def autocast(device: torch.device, precision: Precision) -> AbstractContextManager[object]:
    """Return a context that computes in this precision, if on a GPU."""
    is_short = precision == "bfloat16" and device.type == "cuda"
    # A CUDA graph must not use cached weights that were rounded before it was recorded.
    return torch.autocast(device.type, torch.bfloat16, enabled=is_short, cache_enabled=False)
