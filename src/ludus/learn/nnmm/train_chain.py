"""Train every network of a chain, ensembles included, test them in sequence, and cross-validate."""

import dataclasses
import math
import statistics
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ludus.core.files import make_folder
from ludus.core.spec import check_choice
from ludus.games.nine_mens_morris.batch import NO_POINT, MoveBatch
from ludus.learn.nnmm.config import EnsembleKind, Preset
from ludus.learn.nnmm.encoding import append_choices
from ludus.learn.nnmm.examples import EncodedEntries, Examples, LegalMasks
from ludus.learn.nnmm.network_groups import MAX_STREAMS, train_side_by_side
from ludus.learn.nnmm.parts import PARTS, ChainStep, PartOrder, points_to_classes
from ludus.learn.nnmm.splits import Split, group_symmetric_entries, split_into_folds
from ludus.learn.nnmm.train import (
    EpochResult,
    NetworkTrainer,
    NetworkWeights,
    evaluate_network,
    predict_logits,
)
from ludus.learn.nnmm.weights import ChainWeights


def sample_member_examples(
    kind: EnsembleKind,
    examples: Examples,
    entries: MoveBatch,
    earlier: Sequence[nn.Module],
    seed: int,
) -> Examples:
    """Return the training examples of the next member of an ensemble (Galassi 2016, section 4.1.6).

    seeds: the same examples; initial weights and order differ. bagging: a bootstrap sample of the
    entries, all images of an entry together. boosting: a sample in which examples that the earlier
    members get wrong are more frequent, with the weights of SAMME (Zhu et al. 2009). In all cases
    members have equal votes: their probabilities are averaged.

    `entries` are the entries of the examples, one for each.
    """
    if kind == "bagging":
        group, number = group_symmetric_entries(entries)
        rng = np.random.default_rng((seed, len(earlier)))
        times = np.bincount(rng.integers(number, size=number), minlength=number)
        index = np.repeat(np.arange(len(entries)), times[group])
        return examples.select(torch.from_numpy(index).to(examples.targets.device))
    if kind == "boosting" and earlier:
        weights = compute_boosting_weights(examples, earlier)
        torch.manual_seed(seed + len(earlier))
        return examples.select(torch.multinomial(weights, len(weights), replacement=True))
    return examples


def compute_boosting_weights(examples: Examples, earlier: Sequence[nn.Module]) -> Tensor:
    """Return the boosting weights of the examples after some members; they add up to 1."""
    count = len(examples)
    weights = torch.full((count,), 1 / count, device=examples.targets.device)
    for network in earlier:
        scores = predict_logits(network, examples.inputs)
        is_wrong = scores.argmax(dim=1) != examples.targets
        error = weights[is_wrong].sum().clamp(1e-6, 1 - 1e-6).item()
        vote = math.log((1 - error) / error) + math.log(scores.shape[1] - 1)
        weights = weights * torch.where(is_wrong, math.exp(max(vote, 0.0)), 1.0)
        weights = weights / weights.sum()
    return weights


CHAIN_PREDICTION_BATCH = 65536


def predict_classes(
    members: Sequence[Sequence[nn.Module]],
    coded: EncodedEntries,
    order: PartOrder,
    device: torch.device,
) -> NDArray[np.int8]:
    """Predict the classes TO, FROM and REMOVE in sequence, shape (entries, 3).

    `members` has the networks of all steps for each member of the ensemble. `chain.Chain` does the
    same in numpy with more decoding rules; this runs on the device that trained the networks.
    """
    classes = np.zeros((len(coded.entries), len(PARTS)), dtype=np.int8)
    for first in range(0, len(classes), CHAIN_PREDICTION_BATCH):
        part = slice(first, first + CHAIN_PREDICTION_BATCH)
        presence: list[nn.Module] = []
        for number, step in enumerate(order.steps):
            networks = [member[number] for member in members]
            if step.predicts_presence:
                presence = networks
                continue
            rows = append_choices(
                coded.model, coded.rows[part], classes[part][:, list(step.parts_before)]
            )
            inputs = torch.from_numpy(rows).to(device)
            classes[part, step.part] = _predict_part(networks, presence, inputs).cpu().numpy()
            presence = []
    return classes


def _predict_part(
    networks: Sequence[nn.Module], presence: Sequence[nn.Module], inputs: Tensor
) -> Tensor:
    """Return the most likely class of a part, by the mean probability of the members.

    If there are presence networks for the part, they decide first whether there is one.
    """
    if not presence:
        return _mean_probability(
            [torch.softmax(predict_logits(each, inputs), dim=1) for each in networks]
        ).argmax(1)
    is_there = [torch.softmax(predict_logits(each, inputs), dim=1) for each in presence]
    points = [
        torch.softmax(predict_logits(each, inputs)[:, 1:], dim=1) * there[:, 1:]
        for each, there in zip(networks, is_there, strict=True)
    ]
    is_likely = _mean_probability(is_there).argmax(dim=1)
    return is_likely * (1 + _mean_probability(points).argmax(dim=1))


def _mean_probability(probabilities: Sequence[Tensor]) -> Tensor:
    return torch.stack(list(probabilities)).mean(dim=0)


@dataclass(frozen=True)
class TrainedNetwork:
    """One trained network and its accuracy by itself, given the true earlier choices."""

    part: str
    member: int
    epochs: int
    best_epoch: int
    seconds: float
    validation: float
    """Accuracies are proportions."""

    test: float | None
    """None if there is no test part."""

    network: nn.Module = field(repr=False)
    weights: NetworkWeights = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields but the network and its weights."""
        shown = dataclasses.fields(self)[:-2]
        return {each.name: getattr(self, each.name) for each in shown}


class StepExamples(NamedTuple):
    """Training data of the networks of one step."""

    step: ChainStep
    entries: MoveBatch
    """The entries of `training`."""

    training: Examples
    validation: Examples
    test: Examples | None


class ChainTrainer:
    """Trainer of all networks of a chain, one after another; each resumes from its checkpoint."""

    def __init__(
        self,
        preset: Preset,
        split: Split,
        device: torch.device,
        folder: Path | None = None,
        parts: Sequence[str] = (),
        legal_masks: Mapping[str, LegalMasks] | None = None,
    ) -> None:
        """`folder` holds the checkpoints; `parts` selects networks by name, none for all.

        `legal_masks` are those of the training entries by step, if they are known already: without
        compiled modules it takes long to compute them.
        """
        self.preset, self.split, self.device, self.folder = preset, split, device, folder
        self._legal_masks = legal_masks
        names = [step.name for step in preset.steps]
        for name in parts:
            check_choice("there is no network", name, names)
        self.steps = [step for step in preset.steps if not parts or step.name in parts]
        self.results: dict[tuple[str, int], TrainedNetwork] = {}
        self.order = PartOrder.parse(preset.order)
        self._data = compute_fingerprint(split)

    @property
    def num_networks(self) -> int:
        return len(self.steps) * self.preset.members

    def run(self) -> Iterator[tuple[NetworkTrainer, EpochResult]]:
        """Train all networks, and yield the result of every epoch."""
        for data in self.encode_examples():
            for member in range(self.preset.members):
                network = self.make_trainer(data, member)
                for epoch in network.epochs():
                    yield network, epoch
                self.record_result(data, member, network)

    def encode_examples(self) -> Iterator[StepExamples]:
        """Yield the training data of each step."""
        wants_legal = any(self.preset.training_for(step).legality for step in self.steps)
        legal_for = self.order if wants_legal and self._legal_masks is None else None
        training = EncodedEntries.encode(self.split.training, self.preset.model, legal_for)
        if wants_legal and self._legal_masks is not None:
            training = dataclasses.replace(training, legal=dict(self._legal_masks))
        self.coded_test = EncodedEntries.encode(self.split.test, self.preset.model)
        validation = EncodedEntries.encode(self.split.validation, self.preset.model)
        for step in self.steps:
            yield StepExamples(
                step,
                self._entries(step),
                self._examples(training, step),
                self._examples(validation, step),
                self._examples(self.coded_test, step) if len(self.split.test) else None,
            )

    def _examples(self, coded: EncodedEntries, step: ChainStep) -> Examples:
        return coded.build_examples(step, self.order.has_presence, self.device)

    def _entries(self, step: ChainStep) -> MoveBatch:
        """Return the entries of the training examples of a step."""
        entries = self.split.training
        if self.order.has_presence and not step.predicts_presence and step.name != "TO":
            return entries[entries.points[:, step.part] != NO_POINT]
        return entries

    def make_trainer(self, data: StepExamples, member: int) -> NetworkTrainer:
        """Prepare the training of a member, of which the earlier ones are trained, or resume it."""
        preset, step = self.preset, data.step
        if self.folder is not None:
            make_folder(self.folder)
        settings = preset.training_for(step)
        earlier = [self.results[step.name, each].network for each in range(member)]
        return NetworkTrainer(
            preset.design_for(step),
            settings,
            sample_member_examples(
                preset.ensemble, data.training, data.entries, earlier, settings.seed
            ),
            data.validation,
            name=f"{step.name} {member + 1}/{preset.members}",
            file=self._file(step, member),
            data=f"{self._data} {preset.inputs} {preset.order} {preset.ensemble}",
        )

    def record_result(self, data: StepExamples, member: int, network: NetworkTrainer) -> None:
        """Test a trained network and keep it."""
        best = network.best_network()
        self.results[data.step.name, member] = TrainedNetwork(
            data.step.name,
            member,
            len(network.history),
            network.best_epoch,
            network.history[-1].seconds,
            network.best_accuracy,
            None if data.test is None else evaluate_network(best, data.test).accuracy,
            best,
            network.weights,
        )

    def _file(self, step: ChainStep, member: int) -> Path | None:
        number = self.preset.steps.index(step)
        return None if self.folder is None else self.folder / f"{number}-{member}.safetensors"

    @property
    def is_complete(self) -> bool:
        """Whether all networks of the chain are trained."""
        return len(self.results) == len(self.preset.steps) * self.preset.members

    def predict_test(self) -> NDArray[np.int8]:
        """Predict the classes of the test part in sequence, shape (entries, 3)."""
        members = self._by_member()
        networks = [[result.network for result in member] for member in members]
        return predict_classes(networks, self.coded_test, self.order, self.device)

    def compute_accuracy(self) -> dict[str, float]:
        """Return the accuracy in sequence on the test part, by part and of the whole move."""
        found = self.predict_test()
        is_right = found == points_to_classes(self.split.test.points)
        accuracies = {part: float(is_right[:, number].mean()) for number, part in enumerate(PARTS)}
        return {**accuracies, "move": float(is_right.all(axis=1).mean())}

    def build_weights(self, trained: dict[str, Any]) -> ChainWeights:
        """Return the weights of all networks, with facts about their training."""
        return ChainWeights(
            self.order,
            self.preset.model,
            tuple(self.preset.design_for(step).as_dict() for step in self.preset.steps),
            tuple(tuple(result.weights for result in member) for member in self._by_member()),
            trained,
        )

    def _by_member(self) -> list[list[TrainedNetwork]]:
        steps, members = self.preset.steps, range(self.preset.members)
        return [[self.results[step.name, member] for step in steps] for member in members]


def train_chains(
    chains: Sequence[ChainTrainer], end: float = math.inf, max_streams: int = MAX_STREAMS
) -> Iterator[tuple[NetworkTrainer, EpochResult]]:
    """Train chains that differ in their seed only, side by side; yield the result of every epoch.

    They must have the same split and device. The networks of all steps train at the same time,
    members of an ensemble one after another. After the time `end`, by `time.monotonic`, no epoch
    begins, and chains may be incomplete.
    """
    first = chains[0]
    steps = list(first.encode_examples())
    for chain in chains:
        chain.coded_test = first.coded_test
    for member in range(first.preset.members):
        runs = [
            (chain, data, chain.make_trainer(data, member)) for data in steps for chain in chains
        ]
        yield from train_side_by_side([trainer for _, _, trainer in runs], end, max_streams)
        if not all(trainer.is_finished for _, _, trainer in runs):
            return
        for chain, data, trainer in runs:
            chain.record_result(data, member, trainer)


def compute_fingerprint(split: Split) -> str:
    """Return a checksum of the data."""
    check = 0
    for part in split:
        for column in part.columns:
            check = zlib.crc32(np.ascontiguousarray(column).tobytes(), check)
    return f"{check:08x}"


class CrossValidation:
    """k-fold cross-validation (Galassi 2016, section 7.1) of a chain, or of some of its networks.

    Section 4.1.2 of the thesis changes the fold within an epoch, so that in the end all entries
    have been trained on. Here each fold has its own networks, so validation entries are really
    unseen.
    """

    def __init__(
        self,
        preset: Preset,
        entries: MoveBatch,
        number: int,
        device: torch.device,
        parts: Sequence[str] = (),
    ) -> None:
        settings = preset.training
        self._runs = (
            ChainTrainer(preset, split, device, None, parts)
            for split in split_into_folds(entries, number, settings.expansion, settings.seed)
        )
        wanted = len(parts) or len(preset.steps)
        self.num_networks = number * wanted * preset.members
        self._found: dict[str, list[float]] = {}

    def run(self) -> Iterator[tuple[NetworkTrainer, EpochResult]]:
        """Train all networks, and yield the result of every epoch."""
        for run in self._runs:
            yield from run.run()
            for result in run.results.values():
                self._found.setdefault(result.part, []).append(result.validation)

    def accuracies(self) -> dict[str, dict[str, Any]]:
        """Return the validation accuracy of each network: mean, deviation and values by fold."""
        return {
            part: {
                "mean": statistics.mean(accuracies),
                "deviation": statistics.stdev(accuracies) if len(accuracies) > 1 else 0.0,
                "folds": accuracies,
            }
            for part, accuracies in self._found.items()
        }
