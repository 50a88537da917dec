"""Train several networks side by side: those of one shape in one step, groups on CUDA streams."""

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from ludus.learn import Diverged, GraphedCallable, load_checkpoint, save_checkpoint
from ludus.learn.nnmm import (
    PREDICTION_BATCH,
    EpochResult,
    Examples,
    NetworkChainTrainer,
    NetworkOptimizer,
    NetworkTrainer,
    autocast,
    compute_fingerprint,
    compute_illegal_probability,
)

from .fused_residual import is_fusable
from .residual_kernels import has_kernels
from .stacked import StackedNetworks, Tensors

STEPS_AT_A_TIME = 20
"""Optimizer steps that a group launches before the next group's turn."""

MAX_STREAMS = 8
"""Groups that share a GPU at a time."""

MAX_EXAMPLES = 80_000
"""Examples in the steps of all groups at a time; with more a large GPU is not faster."""


class GroupOptimizer(NetworkOptimizer):
    """Optimizer of stacked networks that learn from the same examples, each in its own order.

    Losses, gradient norms and totals are those of each network by itself. On a CPU each network has
    its own generator and gets the dropout masks that it gets when trained alone; on a GPU one
    generator serves all of them, so that a mask is one kernel.
    """

    model: StackedNetworks
    num_stacked_dims = 1

    def __init__(self, networks: StackedNetworks, trainers: Sequence[NetworkTrainer]) -> None:
        examples, config = trainers[0].training_examples, trainers[0].config
        super().__init__(networks, examples, config)
        device = examples.targets.device
        self.generators = [torch.Generator(device) for _ in trainers]
        """For the order of examples of each network, and on a CPU for its dropout."""
        self._mask_generator = torch.Generator(device)
        weights = [each.config.penalty_weight for each in trainers]
        self._penalty_weights = torch.tensor(weights, device=device)
        self.total_loss = torch.zeros(len(trainers), device=device)
        self._chosen = torch.zeros((len(trainers), self.batch), dtype=torch.int64, device=device)
        self._step = self.prepare_step(self._compute_loss, "step", [self._mask_generator])

    def draw_orders(self, seeds: Sequence[int]) -> Tensor:
        """Seed the generators and draw the order of the examples of an epoch, (networks, examples).

        A network's order is the one that it gets when trained alone.
        """
        for generator, seed in zip(self.generators, seeds, strict=True):
            generator.manual_seed(seed)
        self._mask_generator.manual_seed(sum(seeds))
        if self.model.is_fused:
            self.model.mask_seed.fill_(sum(seeds))
        orders = [
            torch.randperm(len(self.examples), device=self.device, generator=generator)
            for generator in self.generators
        ]
        return torch.stack(orders)

    def _compute_loss(self) -> Tensor:
        networks, batch = self._chosen.shape
        chosen = self.examples.select(self._chosen.flatten())
        inputs = chosen.inputs.view(networks, batch, -1).float()
        if self.model.is_fused:
            self.model.mask_seed.add_(1)
        with autocast(self.device, self.training.precision):
            self._sample_masks(inputs)
            scores = self.model(inputs).float()
        loss = self._compute_losses(scores.flatten(0, 1), chosen)
        self.total_loss += loss.detach()
        return loss

    def _compute_losses(self, scores: Tensor, chosen: Examples) -> Tensor:
        """Return the loss of each network."""
        settings, shape = self.training, self._chosen.shape
        errors = functional.cross_entropy(
            scores, chosen.targets, reduction="none", label_smoothing=settings.label_smoothing
        )
        loss = errors.view(shape).mean(dim=1)
        if chosen.legal is not None:
            illegal = compute_illegal_probability(scores, chosen.legal)
            loss = loss + settings.legality * illegal.view(shape).mean(dim=1)
        if settings.penalty != "none":
            norms = [
                (each.abs() if settings.penalty == "L1" else each.square()).flatten(1).sum(dim=1)
                for each in self.loss.weights
            ]
            loss = loss + self._penalty_weights * torch.stack(norms).sum(dim=0)
        return loss

    @torch.no_grad()
    def _sample_masks(self, inputs: Tensor) -> None:
        masks = self.model.masks
        if self.model.dropouts and not masks:
            masks |= self.model.find_mask_shapes(inputs)
            # A CUDA graph cannot copy from the CPU, so this is done before the capture.
            self._kept = {
                layer.name: inputs.new_tensor([1 - rate for rate in layer.rates]).view(-1, 1, 1)
                for layer in self.model.dropouts
            }
        rates_of = {layer.name: layer.rates for layer in self.model.dropouts}
        for name, mask in masks.items():
            rates = rates_of[name]
            if self.device.type == "cpu":
                for part, rate, generator in zip(mask, rates, self.generators, strict=True):
                    # Without dropout no numbers are drawn, as in torch.
                    if rate:
                        part.bernoulli_(1 - rate, generator=generator).div_(1 - rate)
                    else:
                        part.fill_(1)
            elif len(set(rates)) == 1:
                mask.bernoulli_(1 - rates[0], generator=self._mask_generator).div_(1 - rates[0])
            else:
                kept = self._kept[name].to(mask.dtype)
                mask.uniform_(generator=self._mask_generator).lt_(kept).div_(kept)

    def _clip_gradients(self) -> None:
        gradients = [each.grad for each in self.model.parameters() if each.grad is not None]
        squares = [each.flatten(1).square().sum(dim=1) for each in gradients]
        norms = torch.stack(squares).sum(dim=0).sqrt()
        factors = (self.max_gradient_norm / (norms + 1e-6)).clamp(max=1.0)
        for each in gradients:
            each.mul_(factors.view(-1, *[1] * (each.dim() - 1)))


class NetworkGroup:
    """Unfinished networks of one shape and schedule that take every step together."""

    def __init__(self, trainers: Sequence[NetworkTrainer]) -> None:
        self.trainers = list(trainers)
        self.num_epochs = len(trainers[0].history)
        """Finished epochs, the same number for all of them."""
        optimizers = [each.optimizer for each in trainers]
        first = optimizers[0]
        is_fused = (
            is_fusable(first.model)
            and trainers[0].config.precision == "bfloat16"
            and has_kernels(first.device)
        )
        networks = StackedNetworks([each.model for each in optimizers], is_fused)
        self._optimizer = GroupOptimizer(networks, trainers)
        if self._optimizer.has_ema:
            averaged = StackedNetworks([each.ema_model for each in optimizers])
            self._optimizer.ema_model.load_state_dict(averaged.state_dict())
        self._optimizer.steps = optimizers[0].steps
        _stack_adam(self._optimizer, optimizers)
        self._evaluate = GraphedCallable(self._validate, self._optimizer.device)

    def run_epoch(self, errors: list[Diverged]) -> Iterator[bool]:
        """Run an epoch and record it for every network; add what diverged to the errors.

        Yields after some steps, True if nothing can be launched until the GPU has finished.
        """
        began = time.monotonic()
        orders = self._optimizer.draw_orders(
            [each.derive_seed(f"epoch {self.num_epochs}") for each in self.trainers]
        )
        rates = self.trainers[0].learning_rates(self.num_epochs)
        for number, _ in enumerate(self._optimizer.iterate_epoch(orders, rates), 1):
            if number % STEPS_AT_A_TIME == 0:
                yield False
        validated = self._optimizer.evaluated_network()
        validated.eval()
        result = self._evaluate()
        if self._optimizer.device.type == "cuda":
            event = torch.cuda.Event()  # type: ignore[no-untyped-call]
            event.record()
            while not event.query():  # type: ignore[no-untyped-call]
                yield True
        losses, accuracies = result.tolist()
        totals = self._optimizer.total_loss.tolist()
        seconds = time.monotonic() - began
        self.num_epochs += 1
        for number, trainer in enumerate(self.trainers):
            before = trainer.history[-1].seconds if trainer.history else 0.0
            epoch = EpochResult(
                self.num_epochs,
                totals[number] / len(rates),
                losses[number],
                accuracies[number],
                rates[-1],
                before + seconds,
            )
            try:
                trainer.record_epoch(epoch, partial(_select, validated, number))
            except Diverged as error:
                errors.append(error)

    @torch.no_grad()
    def _validate(self) -> Tensor:
        """Return the mean loss and the accuracy of each network on validation, (2, networks)."""
        validated = self._optimizer.ema_model
        validation, precision = self.trainers[0].validation, self._optimizer.training.precision
        networks = len(self.trainers)
        loss = torch.zeros(networks, device=self._optimizer.device)
        right = torch.zeros(networks, device=self._optimizer.device)
        for first in range(0, len(validation), PREDICTION_BATCH):
            inputs = validation.inputs[first : first + PREDICTION_BATCH].float()
            targets = validation.targets[first : first + PREDICTION_BATCH]
            with autocast(self._optimizer.device, precision):
                scores = validated(inputs.expand(networks, -1, -1)).float()
            errors = functional.cross_entropy(
                scores.transpose(1, 2), targets.expand(networks, -1), reduction="none"
            )
            loss += errors.sum(dim=1)
            right += (scores.argmax(dim=2) == targets).sum(dim=1)
        return torch.stack([loss, right]) / len(validation)

    def store_state(self) -> None:
        """Copy weights, averages and Adam's state back to the trainers of the single networks."""
        group = self._optimizer
        for number, trainer in enumerate(self.trainers):
            single = trainer.optimizer
            single.model.load_state_dict(group.model.select_state(number))
            if single.has_ema:
                single.ema_model.load_state_dict(_select(group.ema_model, number))
            single.steps = group.steps
            for stacked, parameter in zip(
                group.model.parameters(), single.model.parameters(), strict=True
            ):
                single.adam.state[parameter] = {
                    name: each.clone() if name == "step" else each[number].clone()
                    for name, each in group.adam.state[stacked].items()
                }


def _select(networks: torch.nn.Module, number: int) -> Tensors:
    assert isinstance(networks, StackedNetworks)
    return networks.select_state(number)


def _stack_adam(group: NetworkOptimizer, singles: Sequence[NetworkOptimizer]) -> None:
    """Set the state of the group's Adam to that of the single networks, if they have any."""
    columns = zip(*(each.model.parameters() for each in singles), strict=True)
    for stacked, parameters in zip(group.model.parameters(), columns, strict=True):
        states = [
            single.adam.state[parameter]
            for single, parameter in zip(singles, parameters, strict=True)
            if parameter in single.adam.state
        ]
        if states:
            group.adam.state[stacked] = {
                name: states[0][name].clone()
                if name == "step"
                else torch.stack([state[name] for state in states])
                for name in states[0]
            }


def is_stackable(trainer: NetworkTrainer) -> bool:
    """Return whether a network can be trained in a group: not a symmetric one, no time limit."""
    return trainer.design.architecture != "symmetric" and not trainer.config.seconds


class Group(NamedTuple):
    """Networks that can take their next steps together."""

    trainers: list[NetworkTrainer]

    until: int
    """The epoch that further networks of the same kind have reached already, or 0."""

    @property
    def num_examples(self) -> int:
        """Examples in a step of all networks."""
        return len(self.trainers) * self.trainers[0].optimizer.batch


def find_groups(trainers: Sequence[NetworkTrainer]) -> list[Group]:
    """Group networks that can take their next steps together, in the order of their first ones.

    They have one shape and schedule and the same examples; dropout rates, penalty weights and seeds
    may differ. Of networks that have come to different epochs only those behind are listed.
    """
    kinds: dict[str, list[NetworkTrainer]] = {}
    for trainer in trainers:
        if trainer.is_finished:
            continue
        kind: dict[str, Any] = {
            "design": trainer.design.replace(dropout=0.0, input_dropout=0.0),
            "training": trainer.config.replace(penalty_weight=0.0, seed=0),
            "examples": (id(trainer.training_examples), id(trainer.validation)),
            "alone": 0 if is_stackable(trainer) else id(trainer),
        }
        kinds.setdefault(str(kind), []).append(trainer)
    found = []
    for members in kinds.values():
        epochs = sorted({len(each.history) for each in members})
        behind = [each for each in members if len(each.history) == epochs[0]]
        found.append(Group(behind, epochs[1] if len(epochs) > 1 else 0))
    return found


MAX_WRITING_FRACTION = 0.05
"""Maximum proportion of time for writing checkpoints, except at the end of training."""


class Checkpoint:
    """The state of a trainer in a file; it is resumed if there is one."""

    def __init__(self, trainer: NetworkTrainer, file: Path, data: str) -> None:
        """`data` identifies the examples; a state of other examples is rejected."""
        self.trainer, self._file = trainer, file
        self._identity = {
            "name": trainer.name,
            "design": trainer.design.model_dump(mode="json"),
            "training": trainer.config.model_dump(mode="json"),
            "data": data,
        }
        self._written, self._writing = time.monotonic(), 0.0
        if file.exists():
            trainer.load(load_checkpoint(file, self._identity))

    @property
    def is_due(self) -> bool:
        """Whether it can be written without taking too much of the time."""
        elapsed = time.monotonic() - self._written
        return self.trainer.is_finished or elapsed >= self._writing / MAX_WRITING_FRACTION

    def write(self) -> None:
        """Write the state."""
        began = time.monotonic()
        save_checkpoint(self._file, self._identity, self.trainer.state())
        self._written = time.monotonic()
        self._writing = self._written - began


class GroupRun:
    """A group on its CUDA stream, or a single network that cannot be stacked."""

    def __init__(self, group: Group, checkpoints: Sequence[Checkpoint]) -> None:
        self.trainers = trainers = group.trainers
        members = set(map(id, trainers))
        self._checkpoints = [each for each in checkpoints if id(each.trainer) in members]
        self.num_examples = group.num_examples
        self.is_blocked = False
        self.errors: list[Diverged] = []
        self._until = group.until
        self._stream: torch.cuda.Stream | None = None
        device = trainers[0].training_examples.targets.device
        if device.type == "cuda":
            self._stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
            self._stream.wait_stream(torch.cuda.current_stream(device))
        with self._context():
            self._group = NetworkGroup(trainers) if is_stackable(trainers[0]) else None
        self._epoch: Iterator[bool] | None = None

    def _context(self) -> AbstractContextManager[object]:
        return nullcontext() if self._stream is None else torch.cuda.stream(self._stream)

    def advance(self) -> bool:
        """Launch some steps; return whether an epoch ended."""
        with self._context():
            if self._epoch is None:
                self._epoch = self._run_epoch()
            try:
                self.is_blocked = next(self._epoch)
            except StopIteration:
                self._epoch = None
                self.is_blocked = False
                return True
        return False

    def _run_epoch(self) -> Iterator[bool]:
        if self._group is not None:
            yield from self._group.run_epoch(self.errors)
            return
        try:
            next(self.trainers[0].epochs())
        except Diverged as error:
            self.errors.append(error)

    def save(self, is_last: bool) -> bool:
        """Write checkpoints if they are due, and return whether the run ends here.

        It ends if it is told to, if a network is finished, or if others can join.
        """
        ends = (
            is_last
            or bool(self.errors)
            or any(each.is_finished for each in self.trainers)
            or len(self.trainers[0].history) == self._until
        )
        if ends or any(each.is_due for each in self._checkpoints):
            with self._context():
                if self._group is not None:
                    self._group.store_state()
                for each in self._checkpoints:
                    if is_last or each.is_due:
                        each.write()
            if ends and self._stream is not None:
                self._stream.synchronize()
        return ends


def train_side_by_side(
    trainers: Sequence[NetworkTrainer],
    end: float = float("inf"),
    max_streams: int = MAX_STREAMS,
    checkpoints: Sequence[Checkpoint] = (),
) -> Iterator[tuple[NetworkTrainer, EpochResult]]:
    """Train networks to their ends, and yield the result of every epoch of each.

    Groups of one shape are trained in one step. On a GPU several groups run at a time, each on its
    own stream; groups begin in the order of their first networks. After the time `end`, by
    `time.monotonic`, no epoch begins; checkpoints are written and training can be resumed. A
    network that diverges leaves its group; the error is raised when the others have ended.
    """
    errors: list[Diverged] = []
    left = list(trainers)
    running: list[GroupRun] = []
    is_changed = True
    while True:
        if is_changed and time.monotonic() < end:
            busy = {id(trainer) for run in running for trainer in run.trainers}
            for group in find_groups([each for each in left if id(each) not in busy]):
                room = MAX_EXAMPLES - sum(run.num_examples for run in running)
                fits = len(running) < max_streams and group.num_examples <= room
                if fits or not running:
                    running.append(GroupRun(group, checkpoints))
        is_changed = False
        if not running:
            break
        for run in list(running):
            if not run.advance():
                continue
            yield from [(trainer, trainer.history[-1]) for trainer in run.trainers]
            if run.save(is_last=time.monotonic() >= end):
                running.remove(run)
                is_changed = True
                errors += run.errors
                left = [each for each in left if _is_finite(each)]
        if all(run.is_blocked for run in running):
            time.sleep(0.0002)
    if errors:
        raise errors[0]


def _is_finite(trainer: NetworkTrainer) -> bool:
    return not trainer.history or math.isfinite(trainer.history[-1].loss)


def train_chains(
    chains: Sequence[NetworkChainTrainer],
    folders: Sequence[Path],
    end: float = math.inf,
    max_streams: int = MAX_STREAMS,
) -> Iterator[tuple[NetworkTrainer, EpochResult]]:
    """Train chains that differ in their seed only, side by side; yield the result of every epoch.

    They must have the same split and device. The networks of all steps train at the same time,
    members of an ensemble one after another. After the time `end`, by `time.monotonic`, no epoch
    begins, and chains may be incomplete. The folders, one for each chain, hold the checkpoints.
    """
    first, preset = chains[0], chains[0].preset
    steps = [first.encode_examples(step) for step in first.steps]
    data_sum = compute_fingerprint(first.split.training)
    for chain, folder in zip(chains, folders, strict=True):
        chain.coded_test = first.coded_test
        folder.mkdir(parents=True, exist_ok=True)
    for member in range(preset.members):
        runs = [
            (
                chain,
                data,
                Checkpoint(
                    chain.make_trainer(data, member),
                    folder / f"{number}-{member}.safetensors",
                    f"{data_sum} {preset.inputs} {preset.order} {preset.ensemble}",
                ),
            )
            for number, data in enumerate(steps)
            for chain, folder in zip(chains, folders, strict=True)
        ]
        checkpoints = [checkpoint for _, _, checkpoint in runs]
        trainers = [each.trainer for each in checkpoints]
        yield from train_side_by_side(trainers, end, max_streams, checkpoints)
        if not all(trainer.is_finished for trainer in trainers):
            return
        for chain, data, checkpoint in runs:
            chain.record_result(data, member, checkpoint.trainer)
