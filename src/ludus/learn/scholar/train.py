"""Training loop with schedule and checkpoints, presets by size, export of the weights."""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ludus.core.errors import LudusError
from ludus.learn.common.checkpoint import (
    BadCheckpoint,
    load_checkpoint,
    optimizer_tensors,
    restore_network,
    restore_optimizer,
    save_checkpoint,
)
from ludus.learn.scholar import model
from ludus.learn.scholar.chain_training import MOVE_PARTS, ChainConfig, ChainTraining
from ludus.learn.scholar.encoding import FIRST_FLYING_EXPERT, NUM_EXPERTS
from ludus.learn.scholar.inference import RESULT_NAMES
from ludus.learn.scholar.scorer_training import ExpertBank, ScorerConfig, ScorerTraining
from ludus.learn.scholar.training_data import DataMixture
from ludus.learn.scholar.weights import CHAIN, SCORER, BadWeights, ScholarWeights, pack_weights

AnyTraining = ScorerTraining | ChainTraining


@dataclass(frozen=True)
class TrainingSchedule:
    """Duration and learning rate of the training."""

    seconds: float

    learning_rate: float = 0.002
    """Peak learning rate, between a linear warm-up and a cosine decay to zero at the end."""

    warmup: int = 300
    """Steps of the warm-up."""

    report_seconds: float = 20.0
    """Interval between progress reports."""

    checkpoint_seconds: float = 120.0
    """Interval between checkpoints."""

    def learning_rate_at(self, seconds: float, steps: int) -> float:
        """Return the learning rate after this time and number of steps."""
        rise = min(1.0, (steps + 1) / self.warmup)
        fall = 0.5 * (1 + math.cos(math.pi * min(1.0, seconds / self.seconds)))
        return self.learning_rate * rise * fall


@dataclass(frozen=True)
class TrainingProgress:
    """Progress of a training run."""

    seconds: float
    """Training time, without interruptions."""

    steps: int
    examples: int
    """Positions trained on, with repetitions."""

    loss: float
    """Mean over the experts in the latest step."""


class Trainer:
    """Training loop with a time limit and checkpoints."""

    def __init__(
        self, training: AnyTraining, schedule: TrainingSchedule, file: Path | None = None
    ) -> None:
        """Prepare the loop; `file` is the checkpoint, and the run resumes from it if it exists."""
        self.training, self.schedule, self.file = training, schedule, file
        self.seconds = 0.0
        self.history: list[dict[str, Any]] = []
        """Records noted during training."""

        if file is not None and file.exists():
            self._restore(file)

    def run(self) -> Iterator[TrainingProgress]:
        """Train until the time limit and yield the progress at intervals."""
        reported = saved = self.seconds
        while self.seconds < self.schedule.seconds:
            began = time.monotonic()
            rate = self.schedule.learning_rate_at(self.seconds, self.training.optimizer.steps)
            losses = self.training.step(rate)
            if self.training.optimizer.steps % 16 == 0:
                _synchronize(losses)  # limits the queue of pending GPU work
            self.seconds += time.monotonic() - began
            if self.seconds - reported >= self.schedule.report_seconds:
                reported = self.seconds
                yield self._progress(losses)
            if self.file is not None and self.seconds - saved >= self.schedule.checkpoint_seconds:
                saved = self.seconds
                self.save_checkpoint(self.file)

    def _progress(self, losses: torch.Tensor) -> TrainingProgress:
        loss = float(losses.mean())
        if not math.isfinite(loss):
            raise LudusError("the scholar diverged; a lower learning rate may help")
        steps = self.training.optimizer.steps
        return TrainingProgress(self.seconds, steps, steps * self.training.examples_per_step, loss)

    def log(self, record: dict[str, Any]) -> None:
        """Add a record to the history, which survives interruptions."""
        self.history.append(record)

    def save_checkpoint(self, file: Path) -> None:
        """Write a checkpoint."""
        optimizer = self.training.optimizer
        description = {
            **self._identity(),
            "seconds": self.seconds,
            "steps": optimizer.steps,
            "history": self.history,
        }
        parts = {
            "networks": optimizer.model.state_dict(),
            "averaged": optimizer.ema_model.state_dict(),
            "adam": optimizer_tensors(optimizer.adam),
        }
        save_checkpoint(file, description, parts)

    def _identity(self) -> dict[str, Any]:
        """Return what must match for a checkpoint to be resumed."""
        kind = self.training.checkpoint_kind
        return {"kind": kind, "course": asdict(self.training.config)}

    def _restore(self, file: Path) -> None:
        description, parts = load_checkpoint(file)
        identity = self._identity()
        if {key: description.get(key) for key in identity} != _to_json(identity):
            raise BadCheckpoint(f"{file.name!r} belongs to another training; name another file")
        optimizer = self.training.optimizer
        try:
            restore_network(optimizer.model, parts["networks"])
            restore_network(optimizer.ema_model, parts["averaged"])
            restore_optimizer(optimizer.adam, parts["adam"])
            self.seconds, optimizer.steps = float(description["seconds"]), int(description["steps"])
            self.history = list(description["history"])
        except (KeyError, TypeError, ValueError) as error:
            raise BadCheckpoint(f"{file.name!r} holds no whole training: {error!r}") from error


def _synchronize(losses: torch.Tensor) -> None:
    if losses.is_cuda:
        torch.cuda.synchronize(losses.device)


def _to_json(identity: dict[str, Any]) -> dict[str, Any]:
    """Convert tuples to lists, as JSON does."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(each) for key, each in value.items()}
        return [plain(each) for each in value] if isinstance(value, list | tuple) else value

    converted: dict[str, Any] = plain(identity)
    return converted


_DEFAULT_MIXTURE = DataMixture()
_LARGE_MIXTURE = DataMixture(
    drawn=1 << 17,
    free=replace(_DEFAULT_MIXTURE.free, games=1 << 17),
    wild=replace(_DEFAULT_MIXTURE.wild, games=1 << 13),
    sound=replace(_DEFAULT_MIXTURE.sound, games=1 << 15),
)
_CHAIN_MIXTURE = replace(
    _LARGE_MIXTURE, drawn=1 << 18, free=replace(_DEFAULT_MIXTURE.free, games=1 << 18)
)
"""For the chain, to which a position is one example, whatever its number of moves."""

_TINY_MIXTURE = DataMixture(
    drawn=1 << 10,
    free=replace(_DEFAULT_MIXTURE.free, games=1 << 7),
    wild=replace(_DEFAULT_MIXTURE.wild, games=1 << 7),
    sound=replace(_DEFAULT_MIXTURE.sound, games=1 << 7),
)

SCORER_PRESETS: Mapping[str, Callable[[int], ScorerConfig]] = MappingProxyType(
    {
        # The largest networks, within 16 MB in all, are for values that are hard to predict: from
        # eight men in hand to sixteen on the board.
        "full": lambda seed: ScorerConfig(
            banks=(
                ExpertBank(5, 64, 1536),
                ExpertBank(16, 120, 3072),
                ExpertBank(FIRST_FLYING_EXPERT, 88, 2048),
                ExpertBank(NUM_EXPERTS, 32, 1024),
            ),
            steps_a_round=8,
            mixture=_LARGE_MIXTURE,
            seed=seed,
        ),
        "small": lambda seed: ScorerConfig(
            banks=(ExpertBank(FIRST_FLYING_EXPERT, 24, 4096), ExpertBank(NUM_EXPERTS, 16, 2048)),
            mixture=_LARGE_MIXTURE,
            seed=seed,
        ),
        "tiny": lambda seed: ScorerConfig(
            banks=(ExpertBank(FIRST_FLYING_EXPERT, 8, 64, 1), ExpertBank(NUM_EXPERTS, 8, 32, 1)),
            shelf=1 << 12,
            rounds_ahead=4,
            mixture=_TINY_MIXTURE,
            seed=seed,
        ),
    }
)
"""Scorer config by size, as a function of the seed."""

CHAIN_PRESETS: Mapping[str, Callable[[int], ChainConfig]] = MappingProxyType(
    {
        "full": lambda seed: ChainConfig(shelf=1 << 19, mixture=_CHAIN_MIXTURE, seed=seed),
        "small": lambda seed: ChainConfig(
            channels=(24, 16, 16),
            blocks=(2, 2, 2),
            shelf=1 << 19,
            mixture=_CHAIN_MIXTURE,
            seed=seed,
        ),
        "tiny": lambda seed: ChainConfig(
            channels=(8, 8, 8),
            blocks=(1, 1, 1),
            batch=64,
            shelf=1 << 12,
            rounds_ahead=4,
            mixture=_TINY_MIXTURE,
            seed=seed,
        ),
    }
)


def export_weights(
    training: ScorerTraining | ChainTraining, facts: Mapping[str, Any]
) -> ScholarWeights:
    """Return the averaged weights by expert, with facts about the training."""
    banks = [_split_experts(bank) for bank in training.optimizer.ema_model.children()]
    if isinstance(training, ScorerTraining):
        repeats = zip(training.config.banks, training.experts, strict=True)
        scorers = (each for bank in banks for each in bank)
        return ScholarWeights(
            SCORER,
            tuple(
                pack_weights(add_ply_outputs(each, training.fit_plies(expert)))
                for expert, each in enumerate(scorers)
            ),
            facts,
            tuple(bank.repeats for bank, experts in repeats for _ in experts),
        )
    experts = (
        {
            f"{part}.{name}": values
            for part, network in zip(MOVE_PARTS, networks, strict=True)
            for name, values in network.items()
        }
        for networks in zip(*banks, strict=True)
    )
    return ScholarWeights(CHAIN, tuple(map(pack_weights, experts)), facts)


def add_ply_outputs(
    expert: Mapping[str, NDArray[Any]], rows: model.PlyRegression
) -> dict[str, NDArray[Any]]:
    """Append the outputs for the plies to the end to an expert's last layer."""
    weights, bias = (each.float().cpu().numpy() for each in rows)
    return {
        **expert,
        "last": np.concatenate([expert["last"], weights]),
        "last_bias": np.concatenate([expert["last_bias"], bias[None]], axis=1),
    }


def _drop_ply_outputs(expert: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Remove the outputs for plies, which do not exist in training."""
    results = len(RESULT_NAMES)
    less = {"last": expert["last"][:results], "last_bias": expert["last_bias"][:, :results]}
    return {**expert, **less}


def _split_experts(bank: nn.Module) -> list[dict[str, NDArray[np.float32]]]:
    named = {name: each.detach().float().cpu().numpy() for name, each in bank.named_parameters()}
    number = len(named["first"])
    return [{name: values[expert] for name, values in named.items()} for expert in range(number)]


def load_initial_weights(training: ScorerTraining | ChainTraining, weights: ScholarWeights) -> None:
    """Initialize a training from a file's weights; raise BadWeights if the shapes differ."""
    experts = [weights.expert_weights(number) for number in range(len(weights.experts))]
    banks: list[list[dict[str, NDArray[Any]]]]
    if isinstance(training, ScorerTraining):
        if weights.kind != SCORER:
            raise BadWeights(f"these networks are a {weights.kind}, not a {SCORER}")
        banks = [
            [_drop_ply_outputs(experts[number]) for number in bank] for bank in training.experts
        ]
    else:
        banks = [[_part_weights(expert, part) for expert in experts] for part in MOVE_PARTS]
    for networks in (training.optimizer.model, training.optimizer.ema_model):
        for bank, network in zip(banks, networks.children(), strict=True):
            _fill_parameters(network, bank)


def _part_weights(expert: Mapping[str, NDArray[Any]], part: str) -> dict[str, NDArray[Any]]:
    prefix = f"{part}."
    return {
        name.removeprefix(prefix): values
        for name, values in expert.items()
        if name.startswith(prefix)
    }


def _fill_parameters(network: nn.Module, experts: list[dict[str, NDArray[Any]]]) -> None:
    for name, parameter in network.named_parameters():
        if any(name not in expert for expert in experts):
            raise BadWeights(f"these networks have no {name}")
        values = np.stack([expert[name] for expert in experts])
        if values.shape != tuple(parameter.shape):
            raise BadWeights(f"these networks are of another size: {name} is {values.shape}")
        with torch.no_grad():
            parameter.copy_(torch.as_tensor(values))
