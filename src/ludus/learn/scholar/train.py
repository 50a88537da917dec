"""Training loop with schedule and checkpoints, presets by size, export of the weights."""

import math
import time
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ludus.core.errors import LudusError
from ludus.learn.common.checkpoint import restore_network, resume_checkpoint, save_checkpoint
from ludus.learn.common.optimizer import cosine_decay, warm_up
from ludus.learn.common.weights import BadWeights
from ludus.learn.equivariant.model import EquivariantNetwork
from ludus.learn.scholar import model
from ludus.learn.scholar.chain_training import ChainConfig, ChainTraining
from ludus.learn.scholar.inference import MOVE_PARTS, NUM_RESULTS, select_part_weights
from ludus.learn.scholar.model import KERNEL_BASES
from ludus.learn.scholar.scorer_training import (
    ExpertBank,
    ImitationTraining,
    ScorerConfig,
    ScorerTraining,
)
from ludus.learn.scholar.training_data import DataMixture
from ludus.learn.scholar.weights import CHAIN, SCORER, ScholarWeights, pack_weights

AnyTraining = ScorerTraining | ChainTraining

AVERAGED = "half"
"""Name of the averaged weights in a compact checkpoint."""


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
        peak = warm_up(self.learning_rate, steps + 1, self.warmup)
        return cosine_decay(peak, seconds / self.seconds)


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
        self,
        training: AnyTraining,
        schedule: TrainingSchedule,
        file: Path | None = None,
        is_compact: bool = False,
    ) -> None:
        """Prepare the loop; `file` is the checkpoint, and the run resumes from it if it exists.

        A compact checkpoint holds the averaged weights alone, in half precision: an eighth of the
        size. The optimizer then warms up again when the run is resumed.
        """
        self.training, self.schedule, self.file = training, schedule, file
        self.is_compact = is_compact
        self.seconds = 0.0
        self.warm_since = 0
        """Step at which the optimizer began, or began again."""

        self.history: list[dict[str, Any]] = []
        """Records noted during training."""

        if file is not None and file.exists():
            self._restore(file)

    def run(self, seconds: float = math.inf) -> Iterator[TrainingProgress]:
        """Train until the time limit and yield the progress at intervals.

        `seconds` limits this session; the schedule goes on in the next one.
        """
        reported = saved = self.seconds
        end = min(self.schedule.seconds, self.seconds + seconds)
        try:
            while self.seconds < end:
                began = time.monotonic()
                steps = self.training.optimizer.steps - self.warm_since
                rate = self.schedule.learning_rate_at(self.seconds, steps)
                losses = self.training.step(rate)
                if self.training.optimizer.steps % 16 == 0:
                    _synchronize(losses)  # limits the queue of pending GPU work
                self.seconds += time.monotonic() - began
                if self.seconds - reported >= self.schedule.report_seconds:
                    reported = self.seconds
                    yield self._progress(losses)
                is_due = self.seconds - saved >= self.schedule.checkpoint_seconds
                if self.file is not None and is_due:
                    saved = self.seconds
                    self.save_checkpoint(self.file)
        finally:
            if not isinstance(self.training, ImitationTraining):
                self.training.generator.close()

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
        parts = optimizer.state_parts("networks")
        if self.is_compact:
            averaged = parts["averaged"]
            parts = {AVERAGED: {name: each.half() for name, each in averaged.items()}}
        save_checkpoint(file, description, parts)

    def _identity(self) -> dict[str, Any]:
        """Return what must match for a checkpoint to be resumed."""
        config = asdict(self.training.config)
        config["shelf"] = config.pop("buffer_size")  # its key in existing checkpoints
        identity = {"kind": self.training.checkpoint_kind, "course": config}
        basis = KERNEL_BASES[config["optimizer"]]
        # Existing checkpoints do not name these.
        for name, value in (("optimizer", "adam"), ("weight_decay", 0.0)):
            if config[name] == value:
                del config[name]
        return identity if basis == "group" else {**identity, "kernel basis": basis}

    def _restore(self, file: Path) -> None:
        optimizer = self.training.optimizer
        with resume_checkpoint(file, self._identity()) as (description, parts):
            if AVERAGED in parts:
                for network in (optimizer.model, optimizer.ema_model):
                    restore_network(network, parts[AVERAGED])
                self.warm_since = int(description["steps"])
            else:
                optimizer.restore(parts, "networks")
            self.seconds, optimizer.steps = float(description["seconds"]), int(description["steps"])
            self.history = list(description["history"])
        torch.manual_seed(self.training.config.seed + optimizer.steps)
        if not isinstance(self.training, ImitationTraining):
            self.training.generator.skip(optimizer.steps)


def _synchronize(losses: torch.Tensor) -> None:
    if losses.is_cuda:
        torch.cuda.synchronize(losses.device)


def load_scorer_preset(size: str, seed: int) -> ScorerConfig:
    """Load a preset of presets.toml for the scorer."""
    fields = _load_preset("scorer", size)
    banks = tuple(ExpertBank(**bank) for bank in fields.pop("banks"))
    return ScorerConfig(banks=banks, seed=seed, **fields)


def load_chain_preset(size: str, seed: int) -> ChainConfig:
    """Load a preset of presets.toml for the chain."""
    fields = _load_preset("chain", size)
    # Lists of numbers by part: channels and blocks.
    tuples = {name: tuple(each) for name, each in fields.items() if isinstance(each, list)}
    return ChainConfig(seed=seed, **{**fields, **tuples})


def _load_preset(way: str, size: str) -> dict[str, Any]:
    tables = tomllib.loads(Path(__file__).with_name("presets.toml").read_text(encoding="utf-8"))
    fields, mixture = tables[way][size], DataMixture()
    changes = {
        name: replace(getattr(mixture, name), **value) if isinstance(value, dict) else value
        for name, value in tables["mixture"][fields["mixture"]].items()
    }
    return {**fields, "mixture": replace(mixture, **changes)}


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
    return {
        **expert,
        "last": expert["last"][:NUM_RESULTS],
        "last_bias": expert["last_bias"][:, :NUM_RESULTS],
    }


def _split_experts(bank: nn.Module) -> list[dict[str, NDArray[np.float32]]]:
    assert isinstance(bank, EquivariantNetwork)
    named = {
        name: each.float().cpu().numpy() for name, each in bank.parameters_by_element().items()
    }
    number = len(named["first"])
    return [{name: values[expert] for name, values in named.items()} for expert in range(number)]


def load_initial_weights(training: ScorerTraining | ChainTraining, weights: ScholarWeights) -> None:
    """Initialize a training from a file's weights; raise BadWeights if the shapes differ.

    A scorer may have more blocks than the file. Those are added behind the others; their output is
    0 at first, so that the networks begin with the same predictions.
    """
    experts = [weights.expert_weights(number) for number in range(len(weights.experts))]
    banks: list[list[dict[str, NDArray[Any]]]]
    if isinstance(training, ScorerTraining):
        if weights.kind != SCORER:
            raise BadWeights(f"these networks are a {weights.kind}, not a {SCORER}")
        banks = [
            [_drop_ply_outputs(experts[number]) for number in bank] for bank in training.experts
        ]
    else:
        parts = range(len(MOVE_PARTS))
        banks = [[select_part_weights(expert, part) for expert in experts] for part in parts]
    optimizer = training.optimizer
    for bank, network in zip(banks, optimizer.model.children(), strict=True):
        _fill_parameters(network, bank)
    optimizer.ema_model.load_state_dict(optimizer.model.state_dict())


def _fill_parameters(network: nn.Module, experts: list[dict[str, NDArray[Any]]]) -> None:
    assert isinstance(network, EquivariantNetwork)
    parameters = dict(network.named_parameters())
    for name in experts[0]:
        if name not in parameters:
            raise BadWeights(f"these networks are larger: they have {name}")
    for name, parameter in parameters.items():
        if any(name not in expert for expert in experts):
            if name.startswith("blocks."):
                continue
            raise BadWeights(f"these networks have no {name}")
        values = np.stack([expert[name] for expert in experts])
        if values.shape != tuple(parameter.shape):
            raise BadWeights(f"these networks are of another size: {name} is {values.shape}")
        network.load_by_element(name, torch.as_tensor(values).to(parameter.device))
