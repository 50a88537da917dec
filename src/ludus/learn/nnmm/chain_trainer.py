"""Train every network of a chain, ensembles included, and test them in sequence."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ludus.core.errors import BadSpec
from ludus.core.spec import check_choice
from ludus.games.nine_mens_morris.batch import NO_POINT, MoveBatch
from ludus.learn.checkpoint import TrainingState
from ludus.learn.nnmm.config import EnsembleKind, Preset
from ludus.learn.nnmm.data import (
    EncodedEntries,
    Examples,
    LegalMasks,
    Split,
    group_symmetric_entries,
)
from ludus.learn.nnmm.encoding import append_choices
from ludus.learn.nnmm.network import build_network
from ludus.learn.nnmm.network_trainer import (
    EpochResult,
    NetworkTrainer,
    evaluate_network,
    export_weights,
    predict_logits,
)
from ludus.learn.nnmm.parts import PARTS, ChainStep, PartOrder, points_to_classes
from ludus.learn.nnmm.weights import ChainWeights, Tensors
from ludus.learn.optimizer import to_arrays, to_tensors


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

    def to_dict(self) -> dict[str, Any]:
        """Return all fields but the network."""
        return {name: each for name, each in vars(self).items() if name != "network"}

    @property
    def weights(self) -> Tensors:
        """The weights, as files have them."""
        return export_weights(self.network.state_dict())


class StepExamples(NamedTuple):
    """Training data of the networks of one step."""

    step: ChainStep
    entries: MoveBatch
    """The entries of `training`."""

    training: Examples
    validation: Examples
    test: Examples | None


class NetworkChainTrainer:
    """Trainers of all networks of a chain, or of some parts, and their results."""

    def __init__(
        self,
        preset: Preset,
        split: Split,
        device: torch.device,
        parts: Sequence[str] = (),
        legal_masks: Mapping[str, LegalMasks] | None = None,
    ) -> None:
        """`parts` selects networks by name, none for all.

        `legal_masks` are those of the training entries by step, if they are known already: without
        compiled modules it takes long to compute them.
        """
        self.preset, self.split, self.device = preset, split, device
        self._legal_masks = legal_masks
        names = [step.name for step in preset.steps]
        for name in parts:
            check_choice("there is no network", name, names)
        self.steps = [step for step in preset.steps if not parts or step.name in parts]
        self.results: dict[tuple[str, int], TrainedNetwork] = {}
        self.order = PartOrder.parse(preset.order)
        self._initial: ChainWeights | None = None

    def init_from(self, weights: ChainWeights) -> None:
        """Begin with existing networks; those that are not trained are taken over."""
        preset, members = self.preset, len(weights.members)
        if (str(weights.order), weights.model.name) != (preset.order, preset.inputs):
            raise BadSpec(
                f"the weights have the order {weights.order} and the inputs {weights.model.name}, "
                f"not {preset.order} and {preset.inputs}"
            )
        if members != preset.members:
            raise BadSpec(f"the weights have {members} members, not {preset.members}")
        self._initial = weights

    def _find_initial(self, step: ChainStep, member: int) -> Tensors | None:
        """Return the existing weights of a network, None if there are none."""
        if self._initial is None:
            return None
        return self._initial.members[member][self.preset.steps.index(step)] or None

    def epochs(self) -> Iterator[tuple[NetworkTrainer, EpochResult]]:
        """Train all networks, and yield the result of every epoch."""
        for step in self.steps:
            data = self.encode_examples(step)
            for member in range(self.preset.members):
                trainer = self.make_trainer(data, member)
                for epoch in trainer.epochs():
                    yield trainer, epoch
                self.record_result(data, member, trainer)

    def encode_examples(self, step: ChainStep) -> StepExamples:
        """Return the training data of a step."""
        training, validation = self._coded
        test = self.coded_test
        return StepExamples(
            step,
            self._entries(step),
            self._examples(training, step),
            self._examples(validation, step),
            self._examples(test, step) if len(self.split.test) else None,
        )

    @cached_property
    def coded_test(self) -> EncodedEntries:
        """The test part in the input model; chains with the same split may share it."""
        return EncodedEntries.encode(self.split.test, self.preset.model)

    @cached_property
    def _coded(self) -> tuple[EncodedEntries, EncodedEntries]:
        """Training and validation part in the input model."""
        wants_legal = any(self.preset.training_for(step).legality for step in self.steps)
        legal_for = self.order if wants_legal and self._legal_masks is None else None
        training = EncodedEntries.encode(self.split.training, self.preset.model, legal_for)
        if wants_legal and self._legal_masks is not None:
            training = replace(training, legal=dict(self._legal_masks))
        return training, EncodedEntries.encode(self.split.validation, self.preset.model)

    def _examples(self, coded: EncodedEntries, step: ChainStep) -> Examples:
        return coded.build_examples(step, self.order.has_presence, self.device)

    def _entries(self, step: ChainStep) -> MoveBatch:
        """Return the entries of the training examples of a step."""
        entries = self.split.training
        if self.order.has_presence and not step.predicts_presence and step.name != "TO":
            return entries[entries.points[:, step.part] != NO_POINT]
        return entries

    def make_trainer(self, data: StepExamples, member: int) -> NetworkTrainer:
        """Prepare the training of a member, of which the earlier ones are trained."""
        preset, step = self.preset, data.step
        settings = preset.training_for(step)
        earlier = [self.results[step.name, each].network for each in range(member)]
        return NetworkTrainer(
            preset.design_for(step),
            settings,
            sample_member_examples(
                preset.ensemble, data.training, data.entries, earlier, settings.seed
            ),
            data.validation,
            f"{step.name} {member + 1}/{preset.members}",
            self._find_initial(step, member),
        )

    def record_result(self, data: StepExamples, member: int, trainer: NetworkTrainer) -> None:
        """Test a trained network and keep it."""
        best = trainer.best_network()
        self.results[data.step.name, member] = TrainedNetwork(
            data.step.name,
            member,
            len(trainer.history),
            trainer.best_epoch,
            trainer.history[-1].seconds,
            trainer.best_accuracy,
            None if data.test is None else evaluate_network(best, data.test).accuracy,
            best,
        )

    def state(self) -> TrainingState:
        """Return all results."""
        results = list(self.results.values())
        arrays = {
            f"{number}/{name}": array
            for number, result in enumerate(results)
            for name, array in to_arrays(result.network.state_dict()).items()
        }
        return TrainingState({"results": [each.to_dict() for each in results]}, arrays)

    def load(self, state: TrainingState) -> None:
        """Take over the results of the same training."""
        for number, facts in enumerate(state.facts["results"]):
            step = next(each for each in self.steps if each.name == facts["part"])
            columns = self.preset.model.columns(len(step.parts_before))
            network = build_network(self.preset.design_for(step), columns, torch.Generator())
            network.load_state_dict(to_tensors(state.select(str(number))))
            self.results[step.name, facts["member"]] = TrainedNetwork(
                **facts, network=network.to(self.device).eval()
            )

    @property
    def is_complete(self) -> bool:
        """Whether all networks of the chain are trained."""
        return len(self.results) == len(self.preset.steps) * self.preset.members

    def list_missing(self) -> list[ChainStep]:
        """Return the steps whose networks are neither trained nor taken over."""
        last = self.preset.members - 1
        return [step for step in self.preset.steps if not self._find_weights(step, last)]

    def predict_test(self) -> NDArray[np.int8]:
        """Predict the classes of the test part in sequence, shape (entries, 3)."""
        members = [
            [self.results[step.name, member].network for step in self.preset.steps]
            for member in range(self.preset.members)
        ]
        return predict_classes(members, self.coded_test, self.order, self.device)

    def compute_accuracy(self) -> dict[str, float]:
        """Return the accuracy in sequence on the test part, by part and of the whole move."""
        found = self.predict_test()
        is_right = found == points_to_classes(self.split.test.points)
        accuracies = {part: float(is_right[:, number].mean()) for number, part in enumerate(PARTS)}
        return {**accuracies, "move": float(is_right.all(axis=1).mean())}

    def build_weights(self, trained: dict[str, Any], is_half: bool = False) -> ChainWeights:
        """Return the weights of all networks, with facts about their training.

        A network that is neither trained nor taken over is left empty.
        """
        members = [
            [self._find_weights(step, member) for step in self.preset.steps]
            for member in range(self.preset.members)
        ]
        return ChainWeights(
            self.order,
            self.preset.model,
            tuple(map(self._find_design, self.preset.steps)),
            tuple(map(tuple, members)),
            trained,
            is_half,
        )

    def _find_design(self, step: ChainStep) -> Mapping[str, Any]:
        if step in self.steps:
            return self.preset.design_for(step).model_dump(mode="json")
        number = self.preset.steps.index(step)
        return {} if self._initial is None else self._initial.designs[number]

    def _find_weights(self, step: ChainStep, member: int) -> Tensors:
        if (step.name, member) in self.results:
            return self.results[step.name, member].weights
        return self._find_initial(step, member) or {}


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

    `members` has the networks of all steps for each member of the ensemble. `NetworkChain`
    does the same in numpy with more decoding rules; this runs on the device that trained them.
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
