"""Train the networks of a chain for nine men's morris (Galassi 2018).

torch is imported when a training begins: the help of the command needs none.
"""

import json
import statistics
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.core.files import write_text
from ludus.games.nine_mens_morris.batch import MoveBatch
from ludus.learn.checkpoint import TrainingState, prefix_names
from ludus.learn.config import select_device
from ludus.learn.nnmm.config import NnmmConfig
from ludus.learn.nnmm.data import compute_fingerprint, read_entries, split_entries, split_fold
from ludus.learn.nnmm.parts import ChainStep
from ludus.learn.nnmm.weights import ChainWeights, load_weights
from ludus.learn.training import Clock, Training

if TYPE_CHECKING:
    from ludus.learn.nnmm.chain_trainer import NetworkChainTrainer, StepExamples
    from ludus.learn.nnmm.network_trainer import NetworkTrainer


class Task(NamedTuple):
    """A network that is trained."""

    fold: int
    """0 without cross-validation."""

    step: ChainStep
    member: int


@dataclass(frozen=True)
class FoldAccuracies:
    """Validation accuracies of each network by fold."""

    folds: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return mean, standard deviation and values of each network."""
        return {
            part: {
                "mean": statistics.mean(accuracies),
                "deviation": statistics.stdev(accuracies) if len(accuracies) > 1 else 0.0,
                "folds": list(accuracies),
            }
            for part, accuracies in self.folds.items()
        }

    def save(self, path: Path) -> None:
        """Write the accuracies as JSON."""
        write_text(path, f"{json.dumps({'networks': self.to_dict()}, indent=1)}\n")


class NnmmTraining(Training[NnmmConfig]):
    """Train networks that choose the parts of a nine men's morris move (needs torch).

    They are trained one after another; a step is an epoch of one of them. Files of other trainings
    give networks to begin with and those that are not trained.
    """

    Config = NnmmConfig

    num_points = 10**9
    """One point for every epoch."""

    def __init__(self, config: NnmmConfig, entries: MoveBatch | None = None) -> None:
        """Prepare the training, with the config's dataset or with other entries."""
        super().__init__(config)
        self.preset = config.make_preset()
        self.device = select_device(config.device, config.threads)
        if entries is None:
            entries = read_entries(config.data, config.limit_entries)
        self.entries, self.data = entries, compute_fingerprint(entries)
        self._initial: ChainWeights | None = None
        self._fold = 0
        self.chain = self._make_chain()
        """The networks of the present fold, or of the only chain."""

        members = range(self.preset.members)
        folds = range(config.folds or 1)
        self._tasks = [
            Task(fold, step, member)
            for fold in folds
            for step in self.chain.steps
            for member in members
        ]
        self._num_finished = 0
        self._examples: StepExamples | None = None
        self._trainer: NetworkTrainer | None = None
        self._accuracies: dict[str, list[float]] = {}
        self._test: dict[str, float] | None = None
        self.title = f"nnmm, {len(self._tasks)} networks"

    def _make_chain(self) -> "NetworkChainTrainer":
        from ludus.learn.nnmm.chain_trainer import NetworkChainTrainer

        config, settings = self.config, self.preset.training
        recipe, seed = settings.expansion, settings.seed
        if config.folds:
            # Section 4.1.2 of the thesis changes the fold within an epoch, so that in the end all
            # entries have been trained on; with networks of its own for each fold (7.1) validation
            # entries are really unseen.
            split = split_fold(self.entries, config.folds, self._fold, recipe, seed)
        else:
            split = split_entries(self.entries, settings.split, recipe, seed)
        chain = NetworkChainTrainer(self.preset, split, self.device, config.part)
        if self._initial is not None:
            chain.init_from(self._initial)
        return chain

    def init_from(self, file: Path) -> None:
        self._initial = load_weights(file)
        self.chain.init_from(self._initial)
        self.data += f" {zlib.crc32(file.read_bytes()):08x}"

    def step(self, clock: Clock) -> None:
        """Train a network for an epoch; the next one where the last one is finished."""
        trainer = self._trainer
        if trainer is None or trainer.is_finished:
            trainer = self._begin_network()
        trainer.train_epoch(clock)
        if trainer.is_finished:
            assert self._examples is not None
            task = self._tasks[self._num_finished]
            self.chain.record_result(self._examples, task.member, trainer)
            self._num_finished += 1
            if self.config.folds:
                self._accuracies.setdefault(task.step.name, []).append(trainer.best_accuracy)

    def _begin_network(self) -> "NetworkTrainer":
        task = self._tasks[self._num_finished]
        if task.fold != self._fold:
            self._fold, self._examples = task.fold, None
            self.chain = self._make_chain()
        if self._examples is None or self._examples.step != task.step:
            self._examples = self.chain.encode_examples(task.step)
        self._trainer = self.chain.make_trainer(self._examples, task.member)
        return self._trainer

    @property
    def is_finished(self) -> bool:
        return self._num_finished == len(self._tasks)

    @property
    def fraction(self) -> float:
        trainer = self._trainer
        latest = 0.0 if trainer is None or trainer.is_finished else trainer.fraction
        return (self._num_finished + latest) / len(self._tasks)

    @property
    def run_name(self) -> str:
        name = "" if self._trainer is None else self._trainer.name
        return f"fold {self._fold + 1}, {name}" if self.config.folds else name

    def metrics(self) -> dict[str, float]:
        return {} if self._trainer is None else self._trainer.metrics()

    def state(self) -> TrainingState:
        chain = self.chain.state()
        facts = {
            "finished": self._num_finished,
            "fold": self._fold,
            "accuracies": self._accuracies,
            "chain": chain.facts,
        }
        arrays = prefix_names("chain", chain.arrays)
        if self._trainer is None or self._trainer.is_finished:
            return TrainingState(facts, arrays)
        trainer = self._trainer.state()
        return TrainingState(
            {**facts, "trainer": trainer.facts},
            {**arrays, **prefix_names("trainer", trainer.arrays)},
        )

    def load(self, state: TrainingState) -> None:
        facts = state.facts
        self._num_finished, self._accuracies = facts["finished"], facts["accuracies"]
        if facts["fold"] != self._fold:
            self._fold = facts["fold"]
            self.chain = self._make_chain()
        self.chain.load(TrainingState(facts["chain"], state.select("chain")))
        if "trainer" in facts:
            trainer = self._begin_network()
            trainer.load(TrainingState(facts["trainer"], state.select("trainer")))

    def export(self) -> ChainWeights | FoldAccuracies:
        if self.config.folds:
            return FoldAccuracies(self._accuracies)
        return self.chain.build_weights(self.report(), self.config.half)

    def report(self) -> dict[str, Any]:
        if self.config.folds:
            networks = FoldAccuracies(self._accuracies).to_dict()
            return {"folds": self.config.folds, "networks": networks}
        preset, chain = self.preset, self.chain
        if self._test is None and chain.is_complete:
            self._test = chain.compute_accuracy()
        return {
            "preset": self.config.preset,
            "about": preset.about,
            "order": preset.order,
            "inputs": preset.inputs,
            "members": preset.members,
            "ensemble": preset.ensemble,
            "training": preset.training.model_dump(mode="json"),
            "device": str(self.device),
            "examples": [len(part) for part in chain.split],
            "networks": [result.to_dict() for result in chain.results.values()],
            "test": self._test,
            "seconds": sum(result.seconds for result in chain.results.values()),
        }

    def describe(self, report: Mapping[str, Any]) -> str:
        if self.config.folds:
            return _format_table(
                ("network", "mean", "deviation", "folds"),
                [
                    (
                        part,
                        f"{each['mean']:.2%}",
                        f"{each['deviation']:.2%}",
                        "  ".join(f"{value:.2%}" for value in each["folds"]),
                    )
                    for part, each in report["networks"].items()
                ],
            )
        table = _format_table(
            ("network", "epochs", "best", "seconds", "validation", "test"),
            [
                (
                    f"{each['part']} {each['member'] + 1}",
                    str(each["epochs"]),
                    str(each["best_epoch"]),
                    f"{each['seconds']:.1f}",
                    f"{each['validation']:.2%}",
                    f"{each['test']:.2%}",
                )
                for each in report["networks"]
            ],
        )
        missing = ", ".join(each.name for each in self.chain.list_missing())
        if missing and self.is_finished:
            return f"{table}\nthere is no network for {missing}; --part and --init-from add them"
        if report["test"] is None:
            return table
        accuracies = "  ".join(f"{name} {value:.2%}" for name, value in report["test"].items())
        return f"{table}\nin pipeline, on the test part:  {accuracies}"


def _format_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table as text."""
    lines = [headings, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
