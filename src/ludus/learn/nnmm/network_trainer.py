"""Train one network: loss, learning rates, epochs, early stopping (Galassi 2016, section 5.4)."""

import copy
import math
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from ludus.core.errors import BadSpec
from ludus.learn.checkpoint import TrainingState, prefix_names
from ludus.learn.nnmm.config import Hyperparameters, NetworkConfig, Precision
from ludus.learn.nnmm.data import Examples
from ludus.learn.nnmm.network import build_network
from ludus.learn.optimizer import (
    EmaOptimizer,
    cosine_decay,
    to_arrays,
    to_tensors,
    warm_up,
)
from ludus.learn.training import Clock, Diverged

Tensors = dict[str, Tensor]
"""Tensors by name, such as the state of a network."""

NetworkArrays = Mapping[str, NDArray[np.floating[Any]]]
"""Weights of a network by name, as files have them."""

PREDICTION_BATCH = 32768
"""Examples that a network evaluates at a time."""


class ValidationResult(NamedTuple):
    """Mean negative log-likelihood and proportion of correct examples."""

    loss: float
    accuracy: float


def evaluate_network(
    network: nn.Module, examples: Examples, precision: Precision = "float32"
) -> ValidationResult:
    """Evaluate a network on all examples. It stays in eval mode, which is deterministic."""
    scores = predict_logits(network, examples.inputs, precision)
    loss = functional.cross_entropy(scores, examples.targets)
    accuracy = (scores.argmax(dim=1) == examples.targets).float().mean()
    return ValidationResult(loss.item(), accuracy.item())


def predict_logits(network: nn.Module, inputs: Tensor, precision: Precision = "float32") -> Tensor:
    """Return a network's logits for rows of inputs, shape (rows, classes)."""
    network.eval()
    with torch.no_grad(), autocast(inputs.device, precision):
        return torch.cat(
            [network(part.float()).float() for part in torch.split(inputs, PREDICTION_BATCH)]
        )


def compute_learning_rate(training: Hyperparameters, epoch: float, progress: float) -> float:
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

    def __init__(self, weights: Mapping[str, nn.Parameter], training: Hyperparameters) -> None:
        self.training = training
        everywhere = training.penalised == "all"
        self.weights = [
            weight
            for name, weight in weights.items()
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


def select_weights(network: nn.Module, num_stacked_dims: int = 0) -> dict[str, nn.Parameter]:
    """Return the weights by name, without biases and parameters of norms.

    `num_stacked_dims` is the number of dimensions before those of a parameter of one network.
    """
    return {
        name: parameter
        for name, parameter in network.named_parameters()
        if parameter.dim() > 1 + num_stacked_dims and "bias" not in name
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

    num_stacked_dims = 0
    """Dimensions of parameters before those of one network, if the model is a stack of networks."""

    def __init__(self, network: nn.Module, examples: Examples, training: Hyperparameters) -> None:
        weights = select_weights(network, self.num_stacked_dims)
        super().__init__(
            network,
            copy.deepcopy(network) if training.averaging else network,
            _build_adam(network, weights, training, examples.targets.device),
            training.averaging,
            max_gradient_norm=training.clip,
        )
        self.examples = examples
        self.training = training
        self.batch = min(training.batch or len(examples), len(examples))
        self.loss = Loss(weights, training)
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
    network: nn.Module,
    weights: Mapping[str, nn.Parameter],
    training: Hyperparameters,
    device: torch.device,
) -> torch.optim.AdamW:
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


@dataclass(frozen=True, slots=True)
class EpochResult:
    """State of training after an epoch."""

    number: int
    """From 1."""

    loss: float
    """On the training examples, including penalty terms."""

    validation_loss: float
    accuracy: float
    """On the validation examples."""

    rate: float
    """The learning rate at the end of the epoch."""

    seconds: float
    """Training time so far, without interruptions."""


class NetworkTrainer:
    """Trainer of one network.

    All randomness of an epoch derives from the seed and its number, so training that resumes from a
    state ends with the same network as without an interruption.
    """

    def __init__(
        self,
        design: NetworkConfig,
        config: Hyperparameters,
        training_examples: Examples,
        validation: Examples,
        name: str = "",
        initial: NetworkArrays | None = None,
    ) -> None:
        """Prepare the training, from random weights or the `initial` ones.

        The name is for error messages, and a part of the seed, so that networks of one seed differ.
        """
        if not len(training_examples) or not len(validation):
            raise BadSpec(f"there are no examples for the network {name}")
        self.design, self.config, self.name = design, config, name
        self.training_examples, self.validation = training_examples, validation
        self.history: list[EpochResult] = []
        self.best_state: Tensors = {}
        self.best_epoch = 0
        self.is_finished = False
        generator = torch.Generator().manual_seed(self.derive_seed("weights"))
        network = build_network(design, training_examples.columns, generator)
        scale_residual_blocks(network, config.block_scale)
        if initial is not None:
            load_weights(network, initial, name)
        device = training_examples.targets.device
        self.optimizer = NetworkOptimizer(network.to(device), training_examples, config)

    @property
    def best_accuracy(self) -> float:
        return self.history[self.best_epoch - 1].accuracy if self.best_epoch else 0.0

    @property
    def weights(self) -> dict[str, NDArray[np.float32]]:
        """The weights of the epoch with the best validation accuracy."""
        return export_weights(self.best_state)

    def best_network(self) -> nn.Module:
        """Return the network of the best epoch; it overwrites the latest one."""
        network = self.optimizer.ema_model
        network.load_state_dict(self.best_state)
        return network.eval()

    def epochs(self) -> Iterator[EpochResult]:
        """Train to the end, and yield the result of every epoch."""
        clock = Clock()
        while not self.is_finished:
            with clock.run():
                self.train_epoch(clock)
            yield self.history[-1]

    def train_epoch(self, clock: Clock) -> None:
        """Train for one epoch; a limit of time is by the clock, which is running."""
        began = clock.seconds
        before = self.history[-1].seconds if self.history else 0.0
        number = len(self.history)
        torch.manual_seed(self.derive_seed(f"epoch {number}"))  # also for dropout
        order = torch.randperm(
            len(self.training_examples), device=self.training_examples.targets.device
        )
        is_limited = self.config.seconds > 0
        rates = self.optimizer.run_epoch(
            order,
            self._limited_rates(number, lambda: before + clock.seconds - began)
            if is_limited
            else self.learning_rates(number),
        )
        found = evaluate_network(
            self.optimizer.evaluated_network(), self.validation, self.config.precision
        )
        loss = self.optimizer.total_loss.item() / len(rates)
        seconds = before + clock.seconds - began
        self.record_epoch(
            EpochResult(number + 1, loss, *found, rates[-1], seconds),
            lambda: copy_state(self.optimizer.evaluated_network()),
        )

    @property
    def num_steps(self) -> int:
        """The number of optimizer steps in an epoch."""
        return len(self.training_examples) // self.optimizer.batch

    def _rate(self, number: int, step: int, time_fraction: float = 0.0) -> float:
        """Return the learning rate of a step; `time_fraction` is the proportion of time used."""
        steps, share = self.num_steps, 1 / self.config.epochs
        progress = max(number / self.config.epochs + share * step / steps, time_fraction)
        return compute_learning_rate(self.config, number + step / steps, min(progress, 1))

    def learning_rates(self, number: int) -> list[float]:
        """Return the learning rate of every step of an epoch, if time is not limited."""
        return [self._rate(number, step) for step in range(self.num_steps)]

    def _limited_rates(self, number: int, get_seconds: Callable[[], float]) -> Iterator[float]:
        """Yield the learning rates of an epoch, at least one, until the time is over.

        `get_seconds` returns the time of training so far.
        """
        for step in range(self.num_steps):
            time_fraction = get_seconds() / self.config.seconds
            if step and time_fraction >= 1:
                return
            yield self._rate(number, step, time_fraction)

    def record_epoch(self, epoch: EpochResult, get_state: Callable[[], Tensors]) -> None:
        """Record an epoch, keep the best network, and check whether training is over.

        `get_state` returns a copy of the state of the network that was validated.
        """
        self.history.append(epoch)
        if not np.isfinite(epoch.loss):
            raise Diverged(
                f"the network {self.name} diverged in epoch {epoch.number}; "
                "a lower learning rate may help"
            )
        if not self.best_epoch or epoch.accuracy > self.best_accuracy:
            self.best_epoch = epoch.number
            self.best_state = get_state()
        settings = self.config
        self.is_finished = (
            epoch.number >= settings.epochs
            or (settings.patience > 0 and epoch.number - self.best_epoch >= settings.patience)
            or (settings.seconds > 0 and epoch.seconds >= settings.seconds)
        )

    @property
    def fraction(self) -> float:
        """How much of the training is done, from 0 to 1, early stopping disregarded."""
        if self.is_finished or not self.history:
            return float(self.is_finished)
        latest, settings = self.history[-1], self.config
        by_time = latest.seconds / settings.seconds if settings.seconds else 0.0
        return min(max(latest.number / settings.epochs, by_time), 1.0)

    def metrics(self) -> dict[str, float]:
        """Return the measures of the latest epoch by the names of curves."""
        latest = self.history[-1]
        return {
            "loss/training": latest.loss,
            "loss/validation": latest.validation_loss,
            "accuracy/validation": latest.accuracy,
            "accuracy/best": self.best_accuracy,
            "learning rate": latest.rate,
        }

    def derive_seed(self, what: str) -> int:
        """Return a seed that depends on the run's seed and the network's name."""
        return zlib.crc32(f"{self.config.seed} {self.name} {what}".encode())

    def state(self) -> TrainingState:
        """Return all that the next epoch and the best network depend on."""
        facts = {
            "history": [asdict(epoch) for epoch in self.history],
            "best_epoch": self.best_epoch,
            "is_finished": self.is_finished,
        }
        arrays = prefix_names("best", to_arrays(self.best_state))
        if self.is_finished:
            return TrainingState(facts, arrays)
        optimizer = self.optimizer.state()
        return TrainingState(
            {**facts, "optimizer": optimizer.facts},
            {**arrays, **prefix_names("optimizer", optimizer.arrays)},
        )

    def load(self, state: TrainingState) -> None:
        """Take over a state of the same training."""
        facts = state.facts
        self.history = [EpochResult(**epoch) for epoch in facts["history"]]
        self.best_epoch, self.is_finished = facts["best_epoch"], facts["is_finished"]
        if self.best_epoch:
            network = self.optimizer.ema_model
            network.load_state_dict(to_tensors(state.select("best")))
            self.best_state = copy_state(network)
        if not self.is_finished:
            self.optimizer.load(TrainingState(facts["optimizer"], state.select("optimizer")))


def copy_state(network: nn.Module) -> Tensors:
    """Return a copy of the state of a network."""
    return {name: each.clone() for name, each in network.state_dict().items()}


COUNTER = "num_batches_tracked"
"""End of the names of torch's counters of norms, which files do not have."""


def export_weights(state: Mapping[str, Tensor]) -> dict[str, NDArray[np.float32]]:
    """Return the weights of a network's state, as files have them."""
    return {
        name: tensor.float().cpu().numpy()
        for name, tensor in state.items()
        if not name.endswith(COUNTER)
    }


def load_weights(network: nn.Module, weights: NetworkArrays, name: str = "") -> None:
    """Load the weights of a file; raise BadSpec if they are those of another architecture."""
    state = network.state_dict()
    shapes = {key: tuple(each.shape) for key, each in state.items() if not key.endswith(COUNTER)}
    if shapes != {key: each.shape for key, each in weights.items()}:
        raise BadSpec(
            f"the weights of the network {name} are those of another architecture or input; "
            "choose the preset and the options that they were trained with"
        )
    network.load_state_dict(to_tensors(weights), strict=False)


def scale_residual_blocks(network: nn.Module, scale: float) -> None:
    """Scale the last layer of residual blocks: a deep network starts close to the identity."""
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if name.endswith("layer2.weight"):
                parameter.mul_(scale)
