"""The training of one network, epoch by epoch (thesis 5.4).

All that is random in an epoch comes from the seed and its number, so a training that goes on from a
file ends with the network it would have ended with anyway.
"""

import time
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ludus.core.errors import BadSpec, LudusError
from ludus.learn.nnmm.annealing import learning_rate
from ludus.learn.nnmm.design import Design
from ludus.learn.nnmm.examples import Examples
from ludus.learn.nnmm.judging import judge
from ludus.learn.nnmm.networks import build
from ludus.learn.nnmm.optimisation import Optimisation
from ludus.learn.nnmm.settings import Training
from ludus.learn.training_state import (
    BadState,
    adam_tensors,
    read_state,
    restore_adam,
    restore_network,
    write_state,
)

WRITING_SHARE = 0.05
"""At most this share of the time goes into writing the state, but for the end of an epoch that
takes long anyway."""

Weights = dict[str, NDArray[np.float32]]


class Diverged(LudusError):
    """The loss is no number any more."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """How a training stands after an epoch."""

    number: int
    """From 1."""

    loss: float
    """Of the training examples, with whatever the loss has besides."""

    validation_loss: float
    accuracy: float
    """Of the validation examples."""

    rate: float
    """The learning rate at its end."""

    seconds: float
    """Since the training began, interruptions left out."""


@dataclass
class NetworkTraining:
    """One network in training."""

    design: Design
    training: Training
    learned: Examples
    validation: Examples

    name: str = ""
    """What it is, for errors and as a part of the seed: two networks differ by it."""

    file: Path | None = None
    """Where its state is kept."""

    data: str = ""
    """What the examples are; a state of other examples is not taken up."""

    history: list[Epoch] = field(default_factory=list)
    best: dict[str, Tensor] = field(default_factory=dict)
    best_epoch: int = 0
    is_over: bool = False

    def __post_init__(self) -> None:
        if not len(self.learned) or not len(self.validation):
            raise BadSpec(f"there are no examples for the network {self.name}")
        generator = torch.Generator().manual_seed(self._seed("weights"))
        width = self.learned.inputs.shape[1]
        network = build(self.design, width, generator)
        scale_blocks(network, self.training.block_scale)
        device = self.learned.targets.device
        self.optimisation = Optimisation(network.to(device), self.learned, self.training)
        self._written, self._writing = time.monotonic(), 0.0
        if self.file is not None and self.file.exists():
            self._take_up(self.file)

    @property
    def best_accuracy(self) -> float:
        return self.history[self.best_epoch - 1].accuracy if self.best_epoch else 0.0

    @property
    def weights(self) -> Weights:
        """The network that was best on the validation examples."""
        return {
            name: tensor.float().cpu().numpy()
            for name, tensor in self.best.items()
            if not name.endswith("num_batches_tracked")
        }

    def best_network(self) -> nn.Module:
        """The same as a network, which takes the place of the latest one."""
        network = self.optimisation.averaged
        network.load_state_dict(self.best)
        return network.eval()

    def epochs(self) -> Iterator[Epoch]:
        """Train to the end, and tell after every epoch."""
        while not self.is_over:
            begun = time.monotonic()
            seconds = self.history[-1].seconds if self.history else 0.0
            number = len(self.history)
            rates = self._rates(number, seconds)
            self._seed_all(number)
            order = torch.randperm(len(self.learned), device=self.learned.targets.device)
            self.optimisation.epoch(order, rates)
            found = judge(self.optimisation.judged(), self.validation, self.training.precision)
            loss = self.optimisation.total_loss.item() / len(rates)
            seconds += time.monotonic() - begun
            self._note(Epoch(number + 1, loss, *found, rates[-1], seconds))
            self._keep()
            yield self.history[-1]

    @property
    def _steps_an_epoch(self) -> int:
        return len(self.learned) // self.optimisation.batch

    def _rates(self, number: int, seconds: float) -> list[float]:
        """The learning rate of each step of an epoch."""
        steps = self._steps_an_epoch
        progress, share = number / self.training.epochs, 1 / self.training.epochs
        if self.training.seconds:
            last = seconds - (self.history[-2].seconds if number > 1 else 0.0)
            progress = max(progress, seconds / self.training.seconds)
            share = max(share, last / self.training.seconds)
        return [
            learning_rate(
                self.training, number + step / steps, min(progress + share * step / steps, 1)
            )
            for step in range(steps)
        ]

    def _note(self, epoch: Epoch) -> None:
        """Keep the network if it is better than any before, and see whether that was the end."""
        self.history.append(epoch)
        if not np.isfinite(epoch.loss):
            raise Diverged(
                f"the network {self.name} diverged in epoch {epoch.number}; "
                "a lower learning rate may help"
            )
        if not self.best_epoch or epoch.accuracy > self.best_accuracy:
            self.best_epoch = epoch.number
            self.best = _copy(self.optimisation.judged())
        settings = self.training
        took = epoch.seconds - (self.history[-2].seconds if epoch.number > 1 else 0.0)
        self.is_over = (
            epoch.number >= settings.epochs
            or (settings.patience > 0 and epoch.number - self.best_epoch >= settings.patience)
            or (settings.seconds > 0 and epoch.seconds + took / 2 >= settings.seconds)
        )

    def _seed(self, what: str) -> int:
        return zlib.crc32(f"{self.training.seed} {self.name} {what}".encode())

    def _seed_all(self, epoch: int) -> None:
        """Dropout draws from the generators that torch keeps for everybody."""
        torch.manual_seed(self._seed(f"epoch {epoch}"))

    def _identity(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "design": self.design.as_dict(),
            "training": asdict(self.training),
            "data": self.data,
        }

    def _keep(self) -> None:
        """Write the state, unless writing would take too much of the time."""
        now = time.monotonic()
        is_due = now - self._written >= self._writing / WRITING_SHARE
        if self.file is None or not (is_due or self.is_over):
            return
        about = {
            **self._identity(),
            "history": [asdict(epoch) for epoch in self.history],
            "best_epoch": self.best_epoch,
            "is_over": self.is_over,
        }
        parts = {"best": self.best}
        if not self.is_over:
            parts["network"] = self.optimisation.network.state_dict()
            if self.training.averaging:
                parts["averaged"] = self.optimisation.averaged.state_dict()
            parts["adam"] = adam_tensors(self.optimisation.adam)
        write_state(self.file, about, parts)
        self._written = time.monotonic()
        self._writing = self._written - now

    def _take_up(self, file: Path) -> None:
        """Go on where a file says that the training was."""
        about, parts = read_state(file)
        identity = self._identity()
        if {key: about.get(key) for key in identity} != identity:
            raise BadState(f"{file.name!r} belongs to another training; name another file to write")
        try:
            self.history = [Epoch(**epoch) for epoch in about["history"]]
            self.best_epoch, self.is_over = about["best_epoch"], about["is_over"]
            self._restore(parts)
        except (KeyError, TypeError, ValueError) as error:
            raise BadState(f"{file.name!r} holds no whole training: {error!r}") from error

    def _restore(self, parts: dict[str, dict[str, Tensor]]) -> None:
        optimisation = self.optimisation
        restore_network(optimisation.averaged, parts["best"])
        self.best = _copy(optimisation.averaged)
        if not self.is_over:
            restore_network(optimisation.network, parts["network"])
            if self.training.averaging:
                restore_network(optimisation.averaged, parts["averaged"])
            restore_adam(optimisation.adam, parts["adam"])
            optimisation.steps = len(self.history) * self._steps_an_epoch


def _copy(network: nn.Module) -> dict[str, Tensor]:
    return {name: each.clone() for name, each in network.state_dict().items()}


def scale_blocks(network: nn.Module, scale: float) -> None:
    """Let residual blocks change less, or nothing, at first: a deep stack is then calm."""
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if name.endswith("layer2.weight"):
                parameter.mul_(scale)
