"""The training of all networks of a chain: every member of every step, into one weights file."""

import dataclasses
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from ludus.core.errors import LudusError, UnknownName, quoted
from ludus.core.spec import suggestion
from ludus.datasets.morris.entries import PARTS, Entries
from ludus.learn.nnmm.ensemble import sample
from ludus.learn.nnmm.examples import Coded, Examples
from ludus.learn.nnmm.judging import judge
from ludus.learn.nnmm.parts import Order, Step
from ludus.learn.nnmm.pipeline import chosen
from ludus.learn.nnmm.presets import Preset
from ludus.learn.nnmm.splits import Split
from ludus.learn.nnmm.training import Epoch, NetworkTraining, Weights
from ludus.learn.nnmm.weights import ChainWeights


@dataclass(frozen=True)
class Result:
    """One trained network and how good it is by itself, with the true earlier choices."""

    part: str
    member: int
    epochs: int
    best_epoch: int
    seconds: float
    validation: float
    """Accuracies as shares."""

    test: float | None
    """None where nothing was held out."""

    network: nn.Module = field(repr=False)
    weights: Weights = field(repr=False)

    def facts(self) -> dict[str, Any]:
        """What is told about it."""
        told = dataclasses.fields(self)[:-2]
        return {each.name: getattr(self, each.name) for each in told}


class ChainTraining:
    """Trains the networks one after another; each goes on where an earlier run stopped."""

    def __init__(
        self,
        preset: Preset,
        split: Split,
        device: torch.device,
        folder: Path | None = None,
        parts: Sequence[str] = (),
    ) -> None:
        """`folder` is where states are kept; `parts` names some of the networks, none for all."""
        self.preset, self.split, self.device, self.folder = preset, split, device, folder
        names = [step.name for step in preset.steps]
        for name in parts:
            if name not in names:
                raise UnknownName(f"there is no network {quoted(name)}{suggestion(name, names)}")
        self.wanted = [step for step in preset.steps if not parts or step.name in parts]
        self.results: dict[tuple[str, int], Result] = {}
        self.order = Order.parse(preset.order)
        self._data = fingerprint(split)

    @property
    def num_networks(self) -> int:
        return len(self.wanted) * self.preset.members

    def run(self) -> Iterator[tuple[NetworkTraining, Epoch]]:
        """Train, and tell after every epoch of every network."""
        if self.folder is not None:
            _make(self.folder)
        wants_legal = any(self.preset.training_of(step).legality for step in self.wanted)
        legal_for = self.order if wants_legal else None
        training = Coded.of(self.split.training, self.preset.model, legal_for)
        self.coded_test = Coded.of(self.split.test, self.preset.model)
        validation = Coded.of(self.split.validation, self.preset.model)
        for step in self.wanted:
            learned, judged, tested = (
                coded.examples(step, self.order.has_presence, self.device)
                for coded in (training, validation, self.coded_test)
            )
            entries = self._entries(step)
            for member in range(self.preset.members):
                yield from self._network(step, member, learned, judged, tested, entries)

    def _entries(self, step: Step) -> Entries:
        """The entries that the training examples of a step come from."""
        entries = self.split.training
        if self.order.has_presence and not step.asks_presence and step.name != "TO":
            return entries[entries.classes[:, step.part] != 0]
        return entries

    def _network(
        self,
        step: Step,
        member: int,
        learned: Examples,
        judged: Examples,
        tested: Examples,
        entries: Entries,
    ) -> Iterator[tuple[NetworkTraining, Epoch]]:
        preset, settings = self.preset, self.preset.training_of(step)
        earlier = [self.results[step.name, each].network for each in range(member)]
        network = NetworkTraining(
            preset.design_of(step),
            settings,
            sample(preset.ensemble, learned, entries, earlier, settings.seed),
            judged,
            name=f"{step.name} {member + 1}/{preset.members}",
            file=self._file(step, member),
            data=f"{self._data} {preset.inputs} {preset.order} {preset.ensemble}",
        )
        for epoch in network.epochs():
            yield network, epoch
        best = network.best_network()
        self.results[step.name, member] = Result(
            step.name,
            member,
            len(network.history),
            network.best_epoch,
            network.history[-1].seconds,
            network.best_accuracy,
            judge(best, tested).accuracy if len(tested) else None,
            best,
            network.weights,
        )

    def _file(self, step: Step, member: int) -> Path | None:
        number = self.preset.steps.index(step)
        return None if self.folder is None else self.folder / f"{number}-{member}.safetensors"

    @property
    def is_whole(self) -> bool:
        """Whether all networks of the chain are there."""
        return len(self.results) == len(self.preset.steps) * self.preset.members

    def accuracy(self) -> dict[str, float]:
        """In pipeline on the test part: of the three parts, and of the whole move."""
        members = self._by_member()
        networks = [[result.network for result in member] for member in members]
        found = chosen(networks, self.coded_test, self.order, self.device)
        is_right = found == self.split.test.classes
        shares = {part: float(is_right[:, number].mean()) for number, part in enumerate(PARTS)}
        return {**shares, "move": float(is_right.all(axis=1).mean())}

    def chain(self, trained: dict[str, Any]) -> ChainWeights:
        """All networks, with facts about their training."""
        return ChainWeights(
            self.order,
            self.preset.model,
            tuple(self.preset.design_of(step).as_dict() for step in self.preset.steps),
            tuple(tuple(result.weights for result in member) for member in self._by_member()),
            trained,
        )

    def _by_member(self) -> list[list[Result]]:
        steps, members = self.preset.steps, range(self.preset.members)
        return [[self.results[step.name, member] for step in steps] for member in members]


def fingerprint(split: Split) -> str:
    """A number that tells one set of data from another."""
    check = 0
    for part in split:
        for column in part.columns():
            check = zlib.crc32(np.ascontiguousarray(column).tobytes(), check)
    return f"{check:08x}"


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LudusError(f"cannot make {quoted(str(folder), 200)}: {reason}") from error
