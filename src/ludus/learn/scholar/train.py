"""Training of the scholar: schedule, evaluation, checkpoints, and export of the weights."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import torch

from ludus.core.errors import BadSpec
from ludus.core.files import quote_path, read_bytes
from ludus.datasets.morris.files import read_dataset
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.learn.checkpoint import TrainingState, prefix_names
from ludus.learn.config import select_device
from ludus.learn.optimizer import (
    cosine_decay,
    get_random_state,
    set_random_state,
    to_arrays,
    to_tensors,
    warm_up,
)
from ludus.learn.scholar.chain_trainer import ChainTrainer
from ludus.learn.scholar.config import ChainConfig, ScholarConfig
from ludus.learn.scholar.evaluate import (
    EvaluationSet,
    find_first_errors,
    read_evaluation_sets,
    summarize_errors,
)
from ludus.learn.scholar.examples import ExampleSource, open_example_source
from ludus.learn.scholar.exceptions import load_exceptions
from ludus.learn.scholar.scorer_trainer import DistillationTrainer, ExactTrainer, ImitationTrainer
from ludus.learn.scholar.trainer import Trainer
from ludus.learn.scholar.weights import INTEGERS, SCORER, ScholarWeights, load_weights
from ludus.learn.training import Clock, Training

WARMUP_STEPS = 300

MAX_FINAL_INCREASE = 1.05
"""Factor on its least loss beyond which an expert gets its best weights back at the end."""

SYNCHRONIZATION_STEPS = 16
"""Interval at which a GPU is waited for, which limits the queue of pending work."""


class ScholarTraining(Training[ScholarConfig]):
    """Train networks on perfect play of nine men's morris (needs torch; size full needs a GPU)."""

    Config = ScholarConfig
    num_points: ClassVar[int] = 75

    def __init__(self, config: ScholarConfig, source: ExampleSource | None = None) -> None:
        """Prepare the training; `source` replaces the solved game."""
        self.title = f"scholar {config.kind} {config.size}"
        super().__init__(config)
        self.max_steps = config.steps or math.inf
        self.max_seconds = math.inf if config.steps else 60 * config.minutes
        files = [each for each in (config.teacher, config.distil, config.mistakes) if each]
        self.data = " ".join(hashlib.sha256(read_bytes(each)).hexdigest() for each in files)
        large = _load_large_scorer(config)
        sets = read_evaluation_sets(config.evaluation_set)
        mistakes = None
        if config.mistakes is not None:  # whatever weights they belong to
            mistakes = load_exceptions(config.mistakes, None).unpack().keys
        self._device = select_device(config.device, config.threads)
        self._source = source or open_example_source(self._device.type == "cuda", config.oracle)
        if config.games and not self._source.has_start:
            raise BadSpec(
                "games against perfect play need the whole game solved, not endings alone"
            )
        self._sets = {
            name: EvaluationSet.from_positions(self._source, self._to_source(entries))
            for name, entries in sets.items()
        }
        self.trainer = self._make_trainer(large)
        """The networks and their steps."""

        if self.trainer.generator is not None:
            self.trainer.generator.is_threaded = config.ahead
            if mistakes is not None:
                mined = PositionBatch.from_keys(mistakes)
                self.trainer.generator.mined = self._to_source(mined)
        self._is_exact = not (config.ahead or config.compact)
        self._warm_since = 0
        self._losses: torch.Tensor | None = None
        self._measured: tuple[int, bool, ScholarWeights] | None = None

    def _to_source(self, positions: PositionBatch) -> PositionBatch:
        return PositionBatch(*self._source.to_columns(positions.position_columns))

    def _make_trainer(self, large: ScholarWeights | None) -> Trainer[Any]:
        config, source, device = self.config.networks(), self._source, self._device
        if isinstance(config, ChainConfig):
            return ChainTrainer(source, config, device)
        if large is not None:
            return DistillationTrainer(source, config, device, large)
        if self.config.teacher is not None:
            return ImitationTrainer(source, config, device, read_dataset(self.config.teacher))
        return ExactTrainer(source, config, device)

    def step(self, clock: Clock) -> None:
        """Train on a batch for every expert."""
        self._losses = self.trainer.step(self.find_rate(clock.seconds))
        is_due = self.trainer.optimizer.steps % SYNCHRONIZATION_STEPS == 0
        if is_due and self._losses.is_cuda:
            torch.cuda.synchronize(self._losses.device)

    def find_rate(self, seconds: float) -> float:
        """Return the learning rate of the next step, after this time: a linear warm-up, then a
        cosine decay to zero at the end."""
        steps = self.trainer.optimizer.steps
        done = steps / self.max_steps if self.config.steps else seconds / self.max_seconds
        peak = warm_up(self.config.rate, steps - self._warm_since + 1, WARMUP_STEPS)
        return cosine_decay(peak, done)

    def metrics(self) -> dict[str, float]:
        """Return the loss, and the proportion of critical positions kept in each set."""
        assert self._losses is not None
        kept = {name: each.evaluate(self.trainer)["kept"] for name, each in self._sets.items()}
        shown = {f"kept/{name}": value for name, value in kept.items() if value is not None}
        return {"loss": self.trainer.find_loss(self._losses), **shown}

    def state(self) -> TrainingState:
        """Return the state of the optimizer, and of examples and random numbers if it is exact."""
        optimizer, generator = self.trainer.optimizer, self.trainer.generator
        facts: dict[str, Any] = {
            "steps": optimizer.steps,
            "revived": self.trainer.revived,
            "restored": self.trainer.restored,
        }
        if self.config.compact:
            averaged = {
                name: each.half() for name, each in optimizer.ema_model.state_dict().items()
            }
            return TrainingState(facts, prefix_names("averaged", to_arrays(averaged)))
        arrays = prefix_names("optimizer", optimizer.state().arrays)
        if self.trainer.best_experts is not None:
            arrays |= prefix_names("best", self.trainer.best_experts.arrays())
        if self._is_exact:
            arrays |= prefix_names("random", get_random_state(self._device))
            if generator is not None:
                examples = generator.state()
                facts["examples"] = examples.facts
                arrays |= prefix_names("examples", examples.arrays)
        return TrainingState(facts, arrays)

    def load(self, state: TrainingState) -> None:
        """Go on from a state; one that is not exact goes on with new examples."""
        optimizer, generator = self.trainer.optimizer, self.trainer.generator
        steps = int(state.facts["steps"])
        self.trainer.revived = [tuple(each) for each in state.facts["revived"]]
        self.trainer.restored = [tuple(each) for each in state.facts.get("restored", ())]
        if self.config.compact:
            averaged = to_tensors(state.select("averaged"))
            for network in (optimizer.model, optimizer.ema_model):
                network.load_state_dict(averaged)
            optimizer.steps = self._warm_since = steps
        else:
            optimizer.load(TrainingState({"steps": steps}, state.select("optimizer")))
            if self.trainer.best_experts is not None:
                self.trainer.best_experts.load(
                    state.select("best/weights"), state.select("best/losses")
                )
        if not self._is_exact:
            torch.manual_seed(self.config.seed + steps)
        if generator is not None and self._is_exact:
            generator.load(TrainingState(state.facts["examples"], state.select("examples")))
        elif generator is not None:
            generator.skip(steps)
            generator.fill()
        if self._is_exact:
            set_random_state(state.select("random"), self._device)

    def prepare(self) -> None:
        if self.trainer.generator is not None:
            self.trainer.generator.fill()

    def init_from(self, file: Path) -> None:
        """Begin with the weights of a file, whose networks may have fewer blocks."""
        self.trainer.init_from(load_weights(file))

    def export(self) -> ScholarWeights:
        """Return the averaged weights, rounded, with what was measured."""
        key = self.run.steps, self.run.is_finished
        if self._measured is None or self._measured[:2] != key:
            self._measured = (*key, self._measure())
        return self._measured[2]

    def _measure(self) -> ScholarWeights:
        config, trainer = self.config, self.trainer
        if self.run.is_finished:
            trainer.restore_experts(max_increase=MAX_FINAL_INCREASE, allowance=0.0)
        facts = {
            **{name: getattr(config, name) for name in ("kind", "size", "seed", "optimizer")},
            "weight_decay": config.weight_decay,
            "teacher": "perfect play" if config.teacher is None else config.teacher.stem,
            "steps": trainer.optimizer.steps,
            "parameters": sum(each.numel() for each in trainer.optimizer.model.parameters()),
            "device": str(self._device),
            "exams": {name: each.evaluate(trainer) for name, each in self._sets.items()},
            "revived": trainer.revived,
            "restored": trainer.restored,
        }
        if config.games and self.run.is_finished:
            facts["games"] = summarize_errors(
                find_first_errors(self._source, trainer.choose, 2 * config.games, config.seed)
            )
        weights = trainer.export({})
        if self._sets:
            # The networks as they play, rounded to bytes.
            with trainer.play_with(weights):
                facts["rounded"] = {
                    name: each.evaluate(trainer)["kept"] for name, each in self._sets.items()
                }
        return replace(weights, trained=facts)

    def report(self) -> dict[str, Any]:
        """Return what was measured, and the curves."""
        history = [
            {
                "seconds": point["seconds"],
                "steps": point["steps"],
                "examples": point["steps"] * self.trainer.examples_per_step,
                "loss": point["loss"],
                "kept": {name: point.get(f"kept/{name}") for name in self._sets},
            }
            for point in self.run.history
        ]
        return {**self.export().trained, "history": history}

    def describe(self, report: Mapping[str, Any]) -> str:
        lines = [f"{report['steps']} steps in {report['seconds']:.0f} s"]
        for name, found in report["exams"].items():
            measured = {**found, "rounded": report["rounded"][name]}
            shown = ", ".join(
                f"{key} {measured[key]:.2%}"
                for key in ("kept", "rounded", "legal", "placing", "moving", "flying")
                if measured.get(key) is not None
            )
            lines.append(f"{name}: {found['critical']} critical positions; {shown or 'none kept'}")
        if not report["exams"]:
            lines.append("no evaluation set was named; --evaluation-set FILE measures the networks")
        return "\n".join(lines)

    def close(self) -> None:
        self.trainer.close()


def _load_large_scorer(config: ScholarConfig) -> ScholarWeights | None:
    """Return the scorer to learn from, if there is one."""
    if config.distil is None:
        return None
    weights = load_weights(config.distil)
    if weights.kind not in (SCORER, INTEGERS):
        shown = quote_path(config.distil)
        raise BadSpec(f"{shown} holds no scorer; distil learns from scorers alone")
    return weights
