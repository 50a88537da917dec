"""Loss, learning-rate schedule and optimizer steps of one network."""

import copy
import math
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from ludus.learn.common.optimizer import GraphedCallable
from ludus.learn.nnmm.config import Precision, TrainingConfig
from ludus.learn.nnmm.examples import Examples


def compute_learning_rate(training: TrainingConfig, epoch: float, progress: float) -> float:
    """Return the learning rate in an epoch, from 0, when a proportion `progress` of training is
    done.

    The schemes of Galassi 2018, section 4.1.5, change it from epoch to epoch, warm-up and cosine at
    every step.
    """
    rate = training.learning_rate
    if progress < training.warmup:
        return rate * progress / training.warmup
    whole = math.floor(epoch)
    if training.annealing == "step":
        return float(rate * training.step_factor ** (whole // training.step_epochs))
    if training.annealing == "exponential":
        return rate * math.exp(-training.k * whole)
    if training.annealing == "proportional":
        return rate / (1 + training.k * whole)
    if training.annealing == "cosine":
        rest = (progress - training.warmup) / (1 - training.warmup) if training.warmup < 1 else 1.0
        return rate * 0.5 * (1 + math.cos(math.pi * min(rest, 1.0)))
    return rate


class Loss:
    """Negative log-likelihood, plus optionally a norm of the weights and the illegal
    probability."""

    def __init__(self, network: nn.Module, training: TrainingConfig) -> None:
        self.training = training
        everywhere = training.penalised == "all"
        self.weights = [
            weight
            for name, weight in select_weights(network).items()
            if everywhere or name.partition(".")[0] == "last"
        ]

    def __call__(self, scores: Tensor, targets: Tensor, legal: Tensor | None) -> Tensor:
        """Return the loss of logits, shape (examples, classes); `legal` are masks of legal
        classes."""
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
    return {
        name: parameter
        for name, parameter in network.named_parameters()
        if parameter.dim() > 1 and "bias" not in name
    }


def compute_illegal_probability(scores: Tensor, legal: Tensor) -> Tensor:
    """Return the total probability of illegal classes for each example."""
    classes = torch.arange(scores.shape[1], device=scores.device, dtype=torch.int32)
    is_legal = legal[:, None] >> classes & 1
    return (torch.softmax(scores, dim=1) * (1 - is_legal)).sum(dim=1)


class NetworkOptimizer:
    """A network, its examples and the state of Adam.

    A step of these small networks takes less time on a GPU than Python needs to launch its hundreds
    of kernels, so it is recorded as a CUDA graph. Values that change from step to step are in
    tensors that are written before each replay.
    """

    def __init__(self, network: nn.Module, examples: Examples, training: TrainingConfig) -> None:
        self.network = network
        self.examples = examples
        self.training = training
        self.device = examples.targets.device
        self.ema_network = copy.deepcopy(network) if training.averaging else network
        self.batch = min(training.batch or len(examples), len(examples))
        self.adam = self._adam()
        self.loss = Loss(network, training)
        self.total_loss = torch.zeros((), device=self.device)
        self._chosen = torch.zeros(self.batch, dtype=torch.int64, device=self.device)
        self.steps = 0
        """Number of steps taken."""

        self._step_on_gpu = GraphedCallable(lambda: self._step(self._chosen), self.device)

    def _adam(self) -> torch.optim.AdamW:
        training = self.training
        weights = select_weights(self.network)
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

    def run_epoch(self, order: Tensor, rates: list[float]) -> None:
        """Run the steps of an epoch over the examples in this order, each batch with its learning
        rate."""
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
        batch = self.examples.select(chosen)
        with autocast(self.device, self.training.precision):
            scores = self.network(batch.inputs.float())
        loss = self.loss(scores, batch.targets, batch.legal)
        self.adam.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        if self.training.clip:
            nn.utils.clip_grad_norm_(self.network.parameters(), self.training.clip)
        self.adam.step()
        if self.ema_network is not self.network:
            self._average()
        self.total_loss += loss.detach()

    def _average(self) -> None:
        with torch.no_grad():
            torch._foreach_lerp_(
                list(self.ema_network.parameters()),
                list(self.network.parameters()),
                1 - self.training.averaging,
            )

    def evaluated_network(self) -> nn.Module:
        """Return the network that is validated and saved: the moving average, if there is one."""
        if self.ema_network is self.network:
            return self.network
        is_early = self.steps * (1 - self.training.averaging) < 1
        # Early on, the average still consists mostly of the untrained weights.
        if is_early:
            self.ema_network.load_state_dict(self.network.state_dict())
        for mean, latest in zip(self.ema_network.buffers(), self.network.buffers(), strict=True):
            mean.copy_(latest)
        return self.ema_network


def autocast(device: torch.device, precision: Precision) -> AbstractContextManager[object]:
    """Return a context that computes in this precision, if on a GPU."""
    is_short = precision == "bfloat16" and device.type == "cuda"
    # A CUDA graph must not use cached weights that were rounded before it was recorded.
    return torch.autocast(device.type, torch.bfloat16, enabled=is_short, cache_enabled=False)
