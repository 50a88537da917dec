"""Training of the strong networks: by self-play, and on the labels of an expert.

Self-play has two parts: TD(lambda) from random weights (Tesauro 1992), then lookahead targets, the
mean over the 21 rolls of the best reply's chances.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from ludus.core.errors import BadSpec
from ludus.learn.common.optimizer import EmaOptimizer, cosine_decay, warm_up
from ludus.learn.gammon.afterstates import Afterstates, Rows
from ludus.learn.gammon.chances_model import (
    ChancesModel,
    Predictor,
    average_replies,
    compute_equity,
    list_replies,
)
from ludus.learn.gammon.selfplay import (
    GROUP,
    Decisions,
    GameBatch,
    ReplayBoards,
    compute_returns,
    is_over,
)

WARM_UP = 0.01


@dataclass(frozen=True, slots=True)
class ChancesTrainingConfig:
    """Hyperparameters of both ways of training. Lengths of parts are in seconds."""

    hidden: tuple[int, ...] = (768, 64)
    learning_rate: float = 1.5e-3
    last_learning_rate: float = 2e-5
    ema_decay: float = 0.999
    batch: int = 16384
    """Boards of a training step."""

    equity_weight: float = 2.0
    """Weight of the squared error of the equity, beside the cross-entropy of the chances."""

    comparison_weight: float = 4.0
    """Weight of the squared error of differences between alternatives; the expert's labels only."""

    reuse: int = 4
    """Training steps in which a board of TD(lambda) is used, on average."""

    games: int = 16384
    """Games played at once, in each of two batches."""

    td_seconds: float = 100.0
    lookahead_seconds: float = 100.0
    window: int = 10
    """Moves of every game between updates by TD(lambda)."""

    decay: float = 0.7
    """Lambda at the start of TD(lambda); it falls to 0.3."""

    random_rate: float = 0.01
    opening_plies: int = 8
    lookahead_boards: int = 8192
    """Boards that look-ahead labels between training steps."""

    steps_per_round: int = 24
    """Training steps after each round of labels."""

    replay: int = 1_500_000
    seed: int = 0

    def __post_init__(self) -> None:
        if not (0 < self.last_learning_rate <= self.learning_rate < 1 and 0 <= self.decay <= 1):
            raise BadSpec("learning rates must fall, and lambda lie from 0 to 1")


@dataclass(frozen=True)
class TrainingProgress:
    """State of a training run."""

    part: str
    seconds: float
    steps: int
    games: int
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
        self._next_loss: Callable[[], torch.Tensor] = lambda: torch.zeros(())
        self._step = self.optimizer.prepare_step(lambda: self._next_loss(), "nothing")

    def predictor(self) -> Predictor:
        """Return the averaged weights as a predictor."""
        return Predictor(self.averaged, self.afterstates)

    def train_on(
        self, boards: torch.Tensor, targets: torch.Tensor, progress: float, group: int = 1
    ) -> torch.Tensor:
        """Make one step; return the loss. Boards of a group are alternatives of one decision."""
        inputs = self.afterstates.encode(boards).float()
        self._next_loss = lambda: self._compute_loss(inputs, targets, group)
        settings = self.settings
        rate = max(cosine_decay(settings.learning_rate, progress), settings.last_learning_rate)
        return self._step(warm_up(rate, progress, WARM_UP) if progress > 0 else rate / 100)

    def _compute_loss(
        self, inputs: torch.Tensor, targets: torch.Tensor, group: int
    ) -> torch.Tensor:
        logits = self.model(inputs)
        targets = targets.clamp(0, 1)
        loss = functional.binary_cross_entropy_with_logits(logits, targets)
        entropy = functional.binary_cross_entropy(targets, targets)  # so that 0 is perfect
        errors = compute_equity(torch.sigmoid(logits)) - compute_equity(targets)
        loss = loss - entropy + self.settings.equity_weight * (errors**2).mean()
        if group > 1:
            alternatives = errors.reshape(-1, group)
            differences = alternatives - alternatives.mean(dim=1, keepdim=True)
            loss = loss + self.settings.comparison_weight * (differences**2).mean()
        return loss


class SelfplayTraining:
    """Training by self-play from random weights."""

    def __init__(self, trainer: ChancesTrainer) -> None:
        self.trainer = trainer
        self.settings = trainer.settings
        self._executor = ThreadPoolExecutor(2)
        self._batches = [
            GameBatch(
                self.settings.games,
                trainer.afterstates,
                self._executor,
                self.settings.seed * 1000 + number,
                self.settings.random_rate,
                self.settings.opening_plies,
            )
            for number in range(2)
        ]

    def run(self) -> Iterator[TrainingProgress]:
        """Train by TD(lambda), then on lookahead targets; yield progress now and then."""
        yield from self._run_td()
        yield from self._run_lookahead()

    def _play(self, predictor: Predictor, with_groups: bool = False) -> list[Decisions]:
        device = self.trainer.device
        return [batch.play(predictor, device, with_groups) for batch in self._batches]

    @property
    def num_games(self) -> int:
        return sum(batch.num_finished for batch in self._batches)

    def _run_td(self) -> Iterator[TrainingProgress]:
        settings, trainer = self.settings, self.trainer
        replay = ReplayBoards(settings.replay, trainer.device)
        began = time.monotonic()
        last_steps = self._play(trainer.predictor())
        while (seconds := time.monotonic() - began) < settings.td_seconds:
            progress = seconds / settings.td_seconds
            decay = settings.decay + (0.3 - settings.decay) * progress
            predictor = trainer.predictor()
            windows = [[decisions] for decisions in last_steps]
            for _ in range(settings.window):
                for window, decisions in zip(windows, self._play(predictor), strict=True):
                    window.append(decisions)
            last_steps = [window[-1] for window in windows]
            for window in windows:
                for boards, targets in compute_returns(window, decay):
                    replay.add(boards, targets)
            num_new = 2 * settings.games * settings.window
            for _ in range(max(1, settings.reuse * num_new // settings.batch)):
                loss = trainer.train_on(*replay.sample(settings.batch), progress=progress * 0.5)
            yield TrainingProgress(
                "td", seconds, trainer.optimizer.steps, self.num_games, float(loss)
            )

    def _run_lookahead(self) -> Iterator[TrainingProgress]:
        settings, trainer = self.settings, self.trainer
        replay = ReplayBoards(settings.replay, trainer.device)
        began = time.monotonic()
        chunks = self._draw_chunks()
        boards = next(chunks)
        listed = self._executor.submit(list_replies, boards, trainer.afterstates)
        while (seconds := time.monotonic() - began) < settings.lookahead_seconds:
            progress = seconds / settings.lookahead_seconds
            replies, offsets = listed.result()
            labelled, boards = boards, next(chunks)
            listed = self._executor.submit(list_replies, boards, trainer.afterstates)
            targets = average_replies(replies, offsets, trainer.predictor())
            replay.add(torch.from_numpy(labelled).to(trainer.device), targets)
            if replay.size < settings.batch:
                continue
            for _ in range(settings.steps_per_round):
                loss = trainer.train_on(
                    *replay.sample(settings.batch), progress=0.5 + 0.5 * progress
                )
            yield TrainingProgress(
                "lookahead", seconds, trainer.optimizer.steps, self.num_games, float(loss)
            )

    def _draw_chunks(self) -> Iterator[Rows]:
        rng = np.random.default_rng(self.settings.seed + 1)
        size = self.settings.lookahead_boards
        while True:
            boards = self._pick_boards(rng)
            for begin in range(0, len(boards) - size + 1, size):
                yield boards[begin : begin + size]

    def _pick_boards(self, rng: np.random.Generator) -> Rows:
        """Play one move in every game; return its board and one alternative of each decision."""
        found = []
        for decisions in self._play(self.trainer.predictor(), with_groups=True):
            assert decisions.groups is not None
            other = decisions.groups[:, 1 + int(rng.integers(GROUP - 1))]
            boards = torch.cat((decisions.boards, other))
            found.append(boards[~is_over(boards)])
        boards = torch.cat(found).cpu().numpy()
        return np.ascontiguousarray(boards[rng.permutation(len(boards))])

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
    trainer: ChancesTrainer,
    groups: Rows,
    labels: np.ndarray,
    seconds: float,
) -> Iterator[TrainingProgress]:
    """Train on an expert's labels of alternatives, shapes (groups, 4, 52) and (groups, 4, 5)."""
    boards = torch.from_numpy(groups).to(trainer.device)
    targets = torch.from_numpy(labels).to(trainer.device)
    count = trainer.settings.batch // GROUP
    began = time.monotonic()
    report = 0.0
    while (elapsed := time.monotonic() - began) < seconds:
        chosen = torch.randint(len(boards), (count,), device=trainer.device)
        loss = trainer.train_on(
            boards[chosen].reshape(-1, boards.shape[-1]),
            targets[chosen].reshape(-1, targets.shape[-1]).float(),
            elapsed / seconds,
            group=GROUP,
        )
        if elapsed >= report:
            report += seconds / 50
            yield TrainingProgress("labels", elapsed, trainer.optimizer.steps, 0, float(loss))
