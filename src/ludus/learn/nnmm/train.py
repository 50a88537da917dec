"""Train one network: early stopping, checkpoints, TensorBoard logs (Galassi 2016, section 5.4)."""

import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from ludus.core.errors import BadSpec, LudusError
from ludus.core.files import describe_os_error, quote_path
from ludus.learn.common.checkpoint import (
    Tensors,
    restore_network,
    resume_checkpoint,
    save_checkpoint,
)
from ludus.learn.common.curves import CurveLog
from ludus.learn.common.devices import require_package
from ludus.learn.nnmm.config import NetworkConfig, Precision, TrainingConfig
from ludus.learn.nnmm.examples import Examples
from ludus.learn.nnmm.model import build_network
from ludus.learn.nnmm.optimizer import NetworkOptimizer, autocast, compute_learning_rate

PREDICTION_BATCH = 32768


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


MAX_WRITING_FRACTION = 0.05
"""Maximum proportion of time for writing checkpoints, except at the end of training."""

NetworkWeights = dict[str, NDArray[np.float32]]


class Diverged(LudusError):
    """The loss is not finite."""


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


@dataclass
class NetworkTrainer:
    """Trainer of one network.

    All randomness of an epoch derives from the seed and its number, so training that resumes from a
    checkpoint ends with the same network as without an interruption.
    """

    design: NetworkConfig
    config: TrainingConfig
    training_examples: Examples
    validation: Examples

    name: str = ""
    """Name for error messages and part of the seed, so that networks of one seed differ."""

    file: Path | None = None
    """Checkpoint file."""

    data: str = ""
    """Fingerprint of the examples; a checkpoint of other examples is rejected."""

    history: list[EpochResult] = field(default_factory=list)
    best_state: Tensors = field(default_factory=dict)
    best_epoch: int = 0
    is_finished: bool = False

    def __post_init__(self) -> None:
        if not len(self.training_examples) or not len(self.validation):
            raise BadSpec(f"there are no examples for the network {self.name}")
        generator = torch.Generator().manual_seed(self.derive_seed("weights"))
        network = build_network(self.design, self.training_examples.columns, generator)
        scale_residual_blocks(network, self.config.block_scale)
        device = self.training_examples.targets.device
        self.optimisation = NetworkOptimizer(
            network.to(device), self.training_examples, self.config
        )
        self._written, self._writing = time.monotonic(), 0.0
        if self.file is not None and self.file.exists():
            self._resume(self.file)

    @property
    def best_accuracy(self) -> float:
        return self.history[self.best_epoch - 1].accuracy if self.best_epoch else 0.0

    @property
    def weights(self) -> NetworkWeights:
        """The weights of the epoch with the best validation accuracy."""
        return {
            name: tensor.float().cpu().numpy()
            for name, tensor in self.best_state.items()
            if not name.endswith("num_batches_tracked")
        }

    def best_network(self) -> nn.Module:
        """Return the network of the best epoch; it overwrites the latest one."""
        network = self.optimisation.ema_model
        network.load_state_dict(self.best_state)
        return network.eval()

    def epochs(self) -> Iterator[EpochResult]:
        """Train to the end, and yield the result of every epoch."""
        while not self.is_finished:
            start = time.monotonic()
            seconds = self.history[-1].seconds if self.history else 0.0
            number = len(self.history)
            torch.manual_seed(self.derive_seed(f"epoch {number}"))  # also for dropout
            order = torch.randperm(
                len(self.training_examples), device=self.training_examples.targets.device
            )
            rates = self.optimisation.run_epoch(
                order,
                self._limited_rates(number, seconds)
                if self.config.seconds
                else self.learning_rates(number),
            )
            found = evaluate_network(
                self.optimisation.evaluated_network(), self.validation, self.config.precision
            )
            loss = self.optimisation.total_loss.item() / len(rates)
            seconds += time.monotonic() - start
            self.record_epoch(
                EpochResult(number + 1, loss, *found, rates[-1], seconds),
                lambda: copy_state(self.optimisation.evaluated_network()),
            )
            if self.is_checkpoint_due:
                self.write_checkpoint()
            yield self.history[-1]

    @property
    def num_steps(self) -> int:
        """The number of optimizer steps in an epoch."""
        return len(self.training_examples) // self.optimisation.batch

    def _rate(self, number: int, step: int, time_fraction: float = 0.0) -> float:
        """Return the learning rate of a step; `time_fraction` is the proportion of time used."""
        steps, share = self.num_steps, 1 / self.config.epochs
        progress = max(number / self.config.epochs + share * step / steps, time_fraction)
        return compute_learning_rate(self.config, number + step / steps, min(progress, 1))

    def learning_rates(self, number: int) -> list[float]:
        """Return the learning rate of every step of an epoch, if time is not limited."""
        return [self._rate(number, step) for step in range(self.num_steps)]

    def _limited_rates(self, number: int, seconds: float) -> Iterator[float]:
        """Yield the learning rates of an epoch, at least one, until the time is over.

        `seconds` is the time that the epochs before it took.
        """
        start = time.monotonic()
        for step in range(self.num_steps):
            time_fraction = (seconds + time.monotonic() - start) / self.config.seconds
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

    def derive_seed(self, what: str) -> int:
        """Return a seed that depends on the run's seed and the network's name."""
        return zlib.crc32(f"{self.config.seed} {self.name} {what}".encode())

    def _identity(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "design": self.design.as_dict(),
            "training": asdict(self.config),
            "data": self.data,
        }

    @property
    def is_checkpoint_due(self) -> bool:
        """Whether a checkpoint can be written without taking too much of the time."""
        elapsed = time.monotonic() - self._written
        return self.file is not None and (
            self.is_finished or elapsed >= self._writing / MAX_WRITING_FRACTION
        )

    def write_checkpoint(self) -> None:
        """Write a checkpoint, if there is a file for it."""
        now = time.monotonic()
        if self.file is None:
            return
        about = {
            **self._identity(),
            "history": [asdict(epoch) for epoch in self.history],
            "best_epoch": self.best_epoch,
            "is_over": self.is_finished,
        }
        parts = {"best": self.best_state}
        if not self.is_finished:
            parts |= self.optimisation.state_parts("network")
        save_checkpoint(self.file, about, parts)
        self._written = time.monotonic()
        self._writing = self._written - now

    def _resume(self, file: Path) -> None:
        """Resume from a checkpoint."""
        with resume_checkpoint(file, self._identity()) as (about, parts):
            self.history = [EpochResult(**epoch) for epoch in about["history"]]
            self.best_epoch, self.is_finished = about["best_epoch"], about["is_over"]
            self._restore(parts)

    def _restore(self, parts: dict[str, Tensors]) -> None:
        optimisation = self.optimisation
        restore_network(optimisation.ema_model, parts["best"])
        self.best_state = copy_state(optimisation.ema_model)
        if not self.is_finished:
            optimisation.restore(parts, "network")
            optimisation.steps = len(self.history) * self.num_steps


def copy_state(network: nn.Module) -> Tensors:
    """Return a copy of the state of a network."""
    return {name: each.clone() for name, each in network.state_dict().items()}


def scale_residual_blocks(network: nn.Module, scale: float) -> None:
    """Scale the last layer of residual blocks: a deep network starts close to the identity."""
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if name.endswith("layer2.weight"):
                parameter.mul_(scale)


class TensorBoardLog:
    """TensorBoard writer with one run, in a subfolder, for each network; curves for the page."""

    def __init__(self, folder: Path) -> None:
        require_package("tensorboard", "a log")
        from torch.utils.tensorboard import SummaryWriter

        self._writer_of = SummaryWriter
        self._folder = folder
        self._name = ""

    def log_epoch(self, network: "NetworkTrainer", epoch: "EpochResult") -> None:
        """Add an epoch to the curves of its network."""
        if network.name != self._name:
            self._begin(network.name, epoch.number)
        values = {
            "loss/training": epoch.loss,
            "loss/validation": epoch.validation_loss,
            "accuracy/validation": epoch.accuracy,
            "accuracy/best": network.best_accuracy,
            "learning rate": epoch.rate,
        }
        for curve, value in values.items():
            self._writer.add_scalar(curve, value, epoch.number)
        self._writer.flush()
        self._curves.add(epoch.number, values)

    def _begin(self, name: str, first: int) -> None:
        self.close()
        self._curves = CurveLog(self._folder, name, first)
        folder = self._folder / name.replace(" ", "-").replace("/", "-of-").replace("?", "-there")
        try:
            # Discard what a killed run wrote after its last checkpoint.
            self._writer = self._writer_of(str(folder), purge_step=first)
        except OSError as error:
            shown = quote_path(self._folder)
            raise LudusError(
                f"cannot write logs into {shown}: {describe_os_error(error)}"
            ) from error
        self._name = name

    def close(self) -> None:
        """Close the current run."""
        if self._name:
            self._writer.close()
            self._name = ""
