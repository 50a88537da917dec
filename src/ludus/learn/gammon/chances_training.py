"""Training of the strong networks: by self-play, and on the labels of an expert.

Self-play has two parts: TD(lambda) from random weights (Tesauro 1992), then lookahead targets, the
mean over the 21 rolls of the best reply's chances.
"""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from ludus.core.errors import BadSpec
from ludus.core.executors import TaskExecutor
from ludus.core.spec import check_ranges
from ludus.learn.common.optimizer import EmaOptimizer, cosine_decay, warm_up
from ludus.learn.gammon.afterstates import Afterstates, NativeAfterstates, Rows
from ludus.learn.gammon.chances_model import (
    ChancesModel,
    Predictor,
    average_replies,
    compute_equity,
    is_over,
    list_layers,
    list_replies,
    set_layers,
)
from ludus.learn.gammon.selfplay import (
    GROUP,
    Decisions,
    GameBatch,
    ReplayBoards,
    compute_returns,
)

WARM_UP = 0.01
"""Part of the training in which the learning rate rises."""

REPORT_STEPS = 100

LAST_DECAY = 0.3
"""Lambda at the end of TD(lambda)."""


@dataclass(frozen=True, slots=True)
class ChancesTrainingConfig:
    """Hyperparameters of both ways of training."""

    hidden: tuple[int, ...] = (768, 64)
    """Units of the hidden layers."""

    learning_rate: float = 1.5e-3
    last_learning_rate: float = 2e-5
    ema_decay: float = 0.999

    batch: int = 16384
    """Boards of a training step."""

    equity_weight: float = 2.0
    """Weight of the squared error of the equity, beside the cross-entropy of the chances."""

    comparison_weight: float = 4.0
    """Weight of the squared error of differences between alternatives; the expert's labels only."""

    games: int = 16384
    """Games played at once, in each of two batches."""

    td_rounds: int = 350
    """Rounds of TD(lambda): `window` moves in every game, then training steps."""

    window: int = 10

    reuse: int = 4
    """Training steps in which a board of TD(lambda) is used, on average."""

    decay: float = 0.7
    """Lambda at the start of TD(lambda); it falls to 0.3."""

    lookahead_rounds: int = 1900
    """Rounds of lookahead: `lookahead_boards` new targets, then `steps_per_round` steps."""

    lookahead_boards: int = 8192
    steps_per_round: int = 24

    label_steps: int = 36_000
    """Training steps on an expert's labels."""

    random_rate: float = 0.01
    """Proportion of random moves."""

    opening_plies: int = 8
    """Half of the games begin with up to this number of random moves."""

    replay: int = 1_500_000
    """Boards with targets that are kept."""

    seed: int = 0

    def __post_init__(self) -> None:
        if any(not 1 <= units <= 10_000 for units in self.hidden) or not 1 <= len(self.hidden) <= 8:
            raise BadSpec("there are 1 to 8 hidden layers of 1 to 10000 units")
        if not (0 < self.last_learning_rate <= self.learning_rate < 1 and 0 <= self.decay <= 1):
            raise BadSpec("learning rates must fall, and lambda lie from 0 to 1")
        check_ranges(
            self,
            batch=(GROUP, 1 << 24),
            games=(1, 1 << 24),
            td_rounds=(0, 10**9),
            lookahead_rounds=(0, 10**9),
            label_steps=(0, 10**9),
            window=(1, 1000),
        )


@dataclass(frozen=True)
class TrainingProgress:
    """State of a training run after a round."""

    part: str
    """`td`, `lookahead` or `labels`."""

    done: int
    """Rounds of the part that are done."""

    rounds: int
    steps: int
    """Training steps so far."""

    games: int
    """Games played so far."""

    loss: float


class ChancesTrainer:
    """A model in training with the average of its weights, which plays and labels."""

    def __init__(
        self, settings: ChancesTrainingConfig, afterstates: Afterstates, device: torch.device
    ) -> None:
        torch.manual_seed(settings.seed)
        self.settings, self.afterstates, self.device = settings, afterstates, device
        sizes = afterstates.num_inputs, settings.hidden
        self.model = ChancesModel(*sizes).to(device)
        self.averaged = ChancesModel(*sizes).to(device)
        adam = torch.optim.Adam(self.model.parameters(), fused=device.type == "cuda")
        self.optimizer = EmaOptimizer(
            self.model, self.averaged, adam, settings.ema_decay, has_ema_warmup=True
        )
        self._batch = torch.empty(0), torch.empty(0)
        self._group = 1
        self._step = self.optimizer.prepare_step(self._compute_loss, "nothing")

    def predictor(self) -> Predictor:
        """Return the averaged weights as a predictor."""
        return Predictor(self.averaged, self.afterstates)

    def train_on(
        self, boards: torch.Tensor, targets: torch.Tensor, progress: float, group: int = 1
    ) -> torch.Tensor:
        """Make one step; return the loss. Boards of a group are alternatives of one decision."""
        self._batch = self.afterstates.encode(boards).float(), targets.clamp(0, 1)
        self._group = group
        settings = self.settings
        rate = max(cosine_decay(settings.learning_rate, progress), settings.last_learning_rate)
        return self._step(warm_up(rate, max(progress, WARM_UP / 100), WARM_UP))

    def _compute_loss(self) -> torch.Tensor:
        inputs, targets = self._batch
        logits = self.model(inputs)
        loss = functional.binary_cross_entropy_with_logits(logits, targets)
        entropy = functional.binary_cross_entropy(targets, targets)  # so that 0 is perfect
        errors = compute_equity(torch.sigmoid(logits)) - compute_equity(targets)
        loss = loss - entropy + self.settings.equity_weight * (errors**2).mean()
        if self._group > 1:
            alternatives = errors.reshape(-1, self._group)
            differences = alternatives - alternatives.mean(dim=1, keepdim=True)
            loss = loss + self.settings.comparison_weight * (differences**2).mean()
        return loss


PIECE = 256
"""Boards of one task. It does not depend on the number of workers, and neither do the targets."""


@dataclass(frozen=True, slots=True)
class LookaheadTask:
    """The task of computing the lookahead targets of boards, on one core."""

    layers: tuple[tuple[NDArray[np.float32], NDArray[np.float32]], ...]

    def __call__(self, boards: Rows) -> NDArray[np.float32]:
        torch.set_num_threads(1)
        sizes = [len(biases) for _, biases in self.layers]
        model = ChancesModel(len(self.layers[0][0]), tuple(sizes[:-1]))
        set_layers(model, self.layers)
        afterstates = NativeAfterstates(1)
        replies, offsets = list_replies(boards, afterstates)
        targets = average_replies(replies, offsets, Predictor(model, afterstates))
        found: NDArray[np.float32] = targets.numpy()
        return found


class SelfplayTraining:
    """Training by self-play from random weights."""

    def __init__(
        self,
        trainer: ChancesTrainer,
        done: Mapping[str, int] | None = None,
        executor: TaskExecutor | None = None,
    ) -> None:
        """Start training, or resume it after the `done` rounds of each part."""
        self.trainer, self.settings = trainer, trainer.settings
        self._workers = executor
        self.done = {"td": 0, "lookahead": 0, **(done or {})}
        self._executor = ThreadPoolExecutor(2)
        self._batches = [
            GameBatch(
                self.settings.games,
                trainer.afterstates,
                self._executor,
                (self.settings.seed, number, *self.done.values()),
                self.settings.random_rate,
                self.settings.opening_plies,
            )
            for number in range(2)
        ]

    def run(self) -> Iterator[TrainingProgress]:
        """Train by TD(lambda), then on lookahead targets; yield progress after every round."""
        yield from self._run_td()
        yield from self._run_lookahead()

    @property
    def num_games(self) -> int:
        return sum(batch.num_finished for batch in self._batches)

    def _play(self, predictor: Predictor, with_groups: bool = False) -> list[Decisions]:
        device = self.trainer.device
        return [batch.play(predictor, device, with_groups) for batch in self._batches]

    def _finish_round(self, part: str, rounds: int, loss: torch.Tensor) -> TrainingProgress:
        self.done[part] += 1
        steps = self.trainer.optimizer.steps
        return TrainingProgress(part, self.done[part], rounds, steps, self.num_games, float(loss))

    def _run_td(self) -> Iterator[TrainingProgress]:
        settings, trainer = self.settings, self.trainer
        if self.done["td"] >= settings.td_rounds:
            return
        replay = ReplayBoards(settings.replay, trainer.device)
        last_steps = self._play(trainer.predictor())
        num_steps = max(1, settings.reuse * 2 * settings.games * settings.window // settings.batch)
        while self.done["td"] < settings.td_rounds:
            progress = self.done["td"] / settings.td_rounds
            decay = settings.decay + (LAST_DECAY - settings.decay) * progress
            predictor = trainer.predictor()
            windows = [[decisions] for decisions in last_steps]
            for _ in range(settings.window):
                for window, decisions in zip(windows, self._play(predictor), strict=True):
                    window.append(decisions)
            last_steps = [window[-1] for window in windows]
            for window in windows:
                for boards, targets in compute_returns(window, decay):
                    replay.add(boards, targets)
            for _ in range(num_steps):
                loss = trainer.train_on(*replay.sample(settings.batch), progress=progress / 2)
            yield self._finish_round("td", settings.td_rounds, loss)

    def _run_lookahead(self) -> Iterator[TrainingProgress]:
        settings, trainer = self.settings, self.trainer
        if self.done["lookahead"] >= settings.lookahead_rounds:
            return
        replay = ReplayBoards(settings.replay, trainer.device)
        labelled = self._label_here() if self._workers is None else self._label_by(self._workers)
        while self.done["lookahead"] < settings.lookahead_rounds:
            progress = self.done["lookahead"] / settings.lookahead_rounds
            replay.add(*next(labelled))
            for _ in range(settings.steps_per_round):
                loss = trainer.train_on(*replay.sample(settings.batch), progress=(1 + progress) / 2)
            yield self._finish_round("lookahead", settings.lookahead_rounds, loss)

    def _label_here(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """Yield boards with their lookahead targets; replies are listed one chunk ahead."""
        trainer, chunks = self.trainer, self._draw_chunks()
        boards = next(chunks)
        listed = self._executor.submit(list_replies, boards, trainer.afterstates)
        while True:
            replies, offsets = listed.result()
            labelled, boards = boards, next(chunks)
            listed = self._executor.submit(list_replies, boards, trainer.afterstates)
            targets = average_replies(replies, offsets, trainer.predictor())
            yield torch.from_numpy(labelled).to(trainer.device), targets

    def _label_by(self, executor: TaskExecutor) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """Yield boards with lookahead targets that workers compute, a piece at a time."""
        device = self.trainer.device
        for boards in self._draw_chunks():
            pieces = [boards[first : first + PIECE] for first in range(0, len(boards), PIECE)]
            task = LookaheadTask(tuple(list_layers(self.trainer.averaged)))
            targets = np.concatenate(list(executor.map(task, pieces)))
            yield torch.from_numpy(boards).to(device), torch.from_numpy(targets).to(device)

    def _draw_chunks(self) -> Iterator[Rows]:
        """Yield boards to label, from games that are played on."""
        rng = np.random.default_rng((self.settings.seed, self.done["lookahead"]))
        size = self.settings.lookahead_boards
        rest = np.empty((0, 52), np.int8)
        while True:
            while len(rest) < size:
                rest = np.concatenate((rest, self._pick_boards(rng)))
            yield rest[:size]
            rest = rest[size:]

    def _pick_boards(self, rng: np.random.Generator) -> Rows:
        """Play one move in every game; return its board and one alternative of each decision."""
        found = []
        for decisions in self._play(self.trainer.predictor(), with_groups=True):
            assert decisions.groups is not None
            other = decisions.groups[:, 1 + int(rng.integers(GROUP - 1))]
            boards = torch.cat((decisions.boards, other))
            found.append(boards[~is_over(boards)])
        rows = torch.cat(found).cpu().numpy()
        return np.ascontiguousarray(rows[rng.permutation(len(rows))])

    def draw_groups(self, num_groups: int) -> Rows:
        """Play on, and return alternatives of decisions, shape (groups, 4, 52)."""
        predictor = self.trainer.predictor()
        found: list[Rows] = []
        while sum(map(len, found)) < num_groups:
            for decisions in self._play(predictor, with_groups=True):
                groups = decisions.groups
                assert groups is not None
                over = is_over(groups.reshape(-1, groups.shape[-1])).reshape(-1, GROUP)
                found.append(groups[~over.any(dim=1)].cpu().numpy())
        return np.concatenate(found)[:num_groups]


def train_on_labels(
    trainer: ChancesTrainer, groups: Rows, labels: NDArray[np.float32], done: int = 0
) -> Iterator[TrainingProgress]:
    """Train on an expert's labels of alternatives, shapes (groups, 4, 52) and (groups, 4, 5).

    `done` steps were made before; yields progress after every hundred steps.
    """
    settings = trainer.settings
    boards = torch.from_numpy(groups).to(trainer.device)
    targets = torch.from_numpy(labels).to(trainer.device)
    count = settings.batch // GROUP
    for number in range(done, settings.label_steps):
        chosen = torch.randint(len(boards), (count,), device=trainer.device)
        loss = trainer.train_on(
            boards[chosen].flatten(0, 1),
            targets[chosen].flatten(0, 1),
            number / settings.label_steps,
            group=GROUP,
        )
        if (number + 1) % REPORT_STEPS == 0 or number + 1 == settings.label_steps:
            steps = trainer.optimizer.steps
            yield TrainingProgress(
                "labels", number + 1, settings.label_steps, steps, 0, float(loss)
            )
