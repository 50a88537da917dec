"""Self-play: many games of a network with itself at once, and the targets that they give.

All games of a batch make one move at a time: the moves are listed on the CPU, and one call of the
network scores the boards after all of them. The targets are those of TD(lambda) (Tesauro 1992),
then lookahead targets, the mean over the 21 rolls of the best reply's chances.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray

from ludus.core.executors import TaskExecutor
from ludus.games.backgammon import Backgammon
from ludus.games.backgammon.batch import position_to_row
from ludus.learn.checkpoint import TrainingState, prefix_names
from ludus.learn.gammon.afterstates import ROW, Afterstates, NativeAfterstates, Rows
from ludus.learn.gammon.config import GROUP, SelfplayConfig
from ludus.learn.gammon.model import (
    ChancesModel,
    Predictor,
    average_replies,
    choose_best,
    compute_equity,
    flip_chances,
    is_over,
    list_replies,
)
from ludus.learn.gammon.network import NUM_CHANCES, FloatArray, Layers
from ludus.learn.gammon.trainer import ChancesTrainer
from ludus.learn.optimizer import to_arrays, to_tensors

LAST_DECAY = 0.3
"""Lambda at the end of TD(lambda)."""

PIECE = 256
"""Boards of one task. It does not depend on the number of workers, and neither do the targets."""

Listed = tuple[torch.Tensor, torch.Tensor]
"""Boards after moves, and the offsets of each position's boards."""


@dataclass
class PlayedMoves:
    """One move of every game of a batch."""

    boards: torch.Tensor
    """The boards after the moves played, shape (games, 52)."""

    chances: torch.Tensor
    """Their chances by the network, shape (games, 5)."""

    best_chances: torch.Tensor
    """The chances of the moves that the network prefers."""

    is_over: torch.Tensor
    """Whether the move ended the game."""

    is_random: torch.Tensor
    """Whether the move was drawn at random."""

    groups: torch.Tensor | None = None
    """Alternatives: the best move and others that are close, shape (games, 4, 52)."""

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return all but the alternatives as arrays by name."""
        tensors = {name: each for name, each in vars(self).items() if name != "groups"}
        return to_arrays(tensors)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], device: torch.device) -> Self:
        """Return what `to_arrays` was called on, without alternatives."""
        return cls(**{name: each.to(device) for name, each in to_tensors(arrays).items()})


class SelfplayGames:
    """Games that are played move by move; a finished game is followed by a new one."""

    def __init__(
        self,
        num_games: int,
        afterstates: Afterstates,
        executor: ThreadPoolExecutor,
        seed: Sequence[int],
        random_rate: float,
        opening_plies: int,
    ) -> None:
        """Begin `num_games` games.

        `random_rate` is the proportion of random moves. Half of the games begin with up to
        `opening_plies` random moves, too.
        """
        self._afterstates, self._executor = afterstates, executor
        self._rng = np.random.default_rng(seed)
        self._random_rate, self._opening_plies = random_rate, opening_plies
        self._start = position_to_row(Backgammon().start())
        self._positions = np.repeat(self._start[None], num_games, axis=0)
        self._ply = np.zeros(num_games, np.int64)
        self._num_random = self._draw_opening_plies(num_games)
        self.num_finished = 0
        self._dice = np.empty((0, 2), np.int8)
        self._listed = self._roll_dice()

    def _draw_opening_plies(self, count: int) -> np.ndarray:
        plies = self._rng.integers(0, self._opening_plies + 1, count)
        return np.where(self._rng.random(count) < 0.5, plies, 0)

    def _roll_dice(self) -> "Future[Listed]":
        """Roll in every game, and begin to list the moves."""
        dice = self._rng.integers(1, 7, (len(self._positions), 2)).astype(np.int8)
        # The first roll of a game is no double: the higher die begins.
        doubles = (self._ply == 0) & (dice[:, 0] == dice[:, 1])
        shifts = self._rng.integers(1, 6, int(doubles.sum()))
        dice[doubles, 1] = (dice[doubles, 0] - 1 + shifts) % 6 + 1
        self._dice = np.sort(dice, axis=1)[:, ::-1].copy()
        return self._list_moves()

    def _list_moves(self) -> "Future[Listed]":
        return self._executor.submit(self._afterstates.expand, self._positions, self._dice)

    @torch.no_grad()
    def play(
        self, predictor: Predictor, generator: torch.Generator, with_groups: bool = False
    ) -> PlayedMoves:
        """Play one move in every game, and begin to list the next ones."""
        device = generator.device
        listed, offsets = self._listed.result()
        ends, offsets = listed.to(device, non_blocking=True), offsets.to(device)
        chances = predictor.predict(ends)
        scores = compute_equity(chances)
        best = choose_best(scores, offsets)
        strays = (self._rng.random(len(self._ply)) < self._random_rate) | (
            self._ply < self._num_random
        )
        is_random = torch.from_numpy(strays).to(device)
        counts = offsets[1:] - offsets[:-1]
        drawn = offsets[:-1] + (_draw(len(counts), generator) * counts).long()
        chosen = torch.where(is_random, drawn, best)
        groups = _choose_groups(ends, scores, offsets, best, generator) if with_groups else None
        boards = ends[chosen]
        over = is_over(boards)
        self._advance(boards.cpu().numpy(), over.cpu().numpy())
        return PlayedMoves(boards, chances[chosen], chances[best], over, is_random, groups)

    def _advance(self, boards: Rows, over: np.ndarray) -> None:
        self._positions = np.ascontiguousarray(boards[:, ::-1])
        self._positions[over] = self._start
        self._ply += 1
        self._ply[over] = 0
        count = int(over.sum())
        self._num_random[over] = self._draw_opening_plies(count)
        self.num_finished += count
        self._listed = self._roll_dice()

    def state(self) -> TrainingState:
        """Return the positions with their rolls, and the state of the random numbers."""
        facts = {"random": self._rng.bit_generator.state, "num_finished": self.num_finished}
        arrays: dict[str, NDArray[Any]] = {
            "positions": self._positions,
            "dice": self._dice,
            "ply": self._ply,
            "num_random": self._num_random,
        }
        return TrainingState(facts, arrays)

    def load(self, state: TrainingState) -> None:
        """Restore what `state` returned."""
        self._rng.bit_generator.state = state.facts["random"]
        self.num_finished = int(state.facts["num_finished"])
        self._positions, self._dice = state.arrays["positions"], state.arrays["dice"]
        # Copied, because both are changed in place.
        self._ply, self._num_random = (state.arrays[name].copy() for name in ("ply", "num_random"))
        self._listed = self._list_moves()


def _draw(count: int, generator: torch.Generator) -> torch.Tensor:
    return torch.rand(count, generator=generator, device=generator.device)


def _choose_groups(
    ends: torch.Tensor,
    scores: torch.Tensor,
    offsets: torch.Tensor,
    best: torch.Tensor,
    generator: torch.Generator,
) -> torch.Tensor:
    """Return the best move's board and three others of each decision; the better the likelier.

    Where there are fewer moves, the best one is repeated. Shape (decisions, 4, 52).
    """
    noise = -torch.log(-torch.log(_draw(len(scores), generator).clamp(1e-9, 1 - 1e-7)))
    noisy = scores + 0.06 * noise
    noisy[best] = -torch.inf
    members = [best]
    for _ in range(GROUP - 1):
        found = choose_best(noisy, offsets)
        found = torch.where(torch.isinf(noisy[found]), best, found)
        members.append(found)
        noisy[found] = -torch.inf
    return ends[torch.stack(members, dim=1)]


def draw_groups(
    batches: Sequence[SelfplayGames],
    predictor: Predictor,
    generator: torch.Generator,
    count: int,
    step: int = 1,
) -> Rows:
    """Play on, and return alternatives of every `step`-th decision, shape (count, 4, 52)."""
    found: list[Rows] = []
    while sum(map(len, found)) < count:
        for batch in batches:
            groups = batch.play(predictor, generator, with_groups=True).groups
            assert groups is not None
            over = is_over(groups.flatten(0, 1)).reshape(-1, GROUP)
            found.append(groups[~over.any(dim=1)][::step].cpu().numpy())
    return np.concatenate(found)[:count]


class ReplayBoards:
    """Boards with target chances in the device's memory; the oldest are overwritten."""

    def __init__(self, capacity: int, device: torch.device) -> None:
        self.boards = torch.zeros((capacity, ROW), dtype=torch.int8, device=device)
        self.targets = torch.zeros((capacity, NUM_CHANCES), device=device)
        self.size = self._next = 0

    def clear(self) -> None:
        """Forget all boards."""
        self.size = self._next = 0

    def add(self, boards: torch.Tensor, targets: torch.Tensor) -> None:
        count, capacity = len(boards), len(self.boards)
        places = (torch.arange(count, device=boards.device) + self._next) % capacity
        self.boards[places] = boards
        self.targets[places] = targets
        self._next = (self._next + count) % capacity
        self.size = min(self.size + count, capacity)

    def sample(self, count: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        chosen = torch.randint(self.size, (count,), generator=generator, device=self.boards.device)
        return self.boards[chosen], self.targets[chosen]

    def state(self) -> TrainingState:
        """Return the boards and targets, and where the next ones are put."""
        kept = {"boards": self.boards[: self.size], "targets": self.targets[: self.size]}
        return TrainingState({"next": self._next}, to_arrays(kept))

    def load(self, state: TrainingState) -> None:
        """Restore what `state` returned."""
        kept = to_tensors(state.arrays)
        self.size, self._next = len(kept["boards"]), int(state.facts["next"])
        self.boards[: self.size], self.targets[: self.size] = kept["boards"], kept["targets"]


def compute_returns(steps: list[PlayedMoves], decay: float) -> Iterator[tuple[torch.Tensor, ...]]:
    """Yield boards and TD(lambda) targets of all moves but the last of each game.

    A random move does not count for what comes before it: the preferred move's chances do.
    """
    later = steps[-1].chances
    for before, after in zip(steps[-2::-1], steps[:0:-1], strict=True):
        mixed = (1 - decay) * after.chances + decay * later
        target = torch.where(after.is_over[:, None], after.chances, mixed)
        target = torch.where(after.is_random[:, None], after.best_chances, target)
        later = flip_chances(target)
        keep = ~before.is_over
        yield before.boards[keep], later[keep]


@dataclass(frozen=True, slots=True)
class LookaheadTask:
    """The task of computing the lookahead targets of boards, on one core."""

    layers: Layers

    def __call__(self, boards: Rows) -> FloatArray:
        torch.set_num_threads(1)
        model = ChancesModel.from_layers(self.layers)
        afterstates = NativeAfterstates(1)
        replies, offsets = list_replies(boards, afterstates)
        targets = average_replies(replies, offsets, Predictor(model, afterstates))
        found: FloatArray = targets.numpy()
        return found


class Selfplay:
    """Training by self-play, round by round."""

    def __init__(self, config: SelfplayConfig, trainer: ChancesTrainer) -> None:
        self.config, self.trainer = config, trainer
        self.td_rounds = self.lookahead_rounds = 0
        """Rounds that are done."""
        self._threads = ThreadPoolExecutor(2)
        self.batches = [
            SelfplayGames(
                config.games,
                trainer.afterstates,
                self._threads,
                (config.seed, number, 0, 0),
                config.random_rate,
                config.opening_plies,
            )
            for number in range(2)
        ]
        self._replay = ReplayBoards(config.replay, trainer.device)
        self._last_moves: list[PlayedMoves] = []
        self._rng = np.random.default_rng((config.seed, 0))
        """Draws the boards that are looked at."""
        self._rest = np.empty((0, ROW), np.int8)
        """Drawn boards that are looked at later."""
        self._pending: tuple[Rows, Future[Listed]] | None = None
        """The next boards, whose replies are being listed."""

    @property
    def num_games(self) -> int:
        """Number of games that are over."""
        return sum(batch.num_finished for batch in self.batches)

    def _play(self, predictor: Predictor, with_groups: bool = False) -> list[PlayedMoves]:
        generator = self.trainer.generator
        return [batch.play(predictor, generator, with_groups) for batch in self.batches]

    def run_td_round(self) -> torch.Tensor:
        """Play some moves in every game and train on their TD(lambda) targets; return the loss."""
        config, trainer = self.config, self.trainer
        progress = self.td_rounds / config.td_rounds
        decay = config.decay + (LAST_DECAY - config.decay) * progress
        predictor = trainer.predictor()
        windows = [[moves] for moves in self._last_moves or self._play(predictor)]
        for _ in range(config.window):
            for window, moves in zip(windows, self._play(predictor), strict=True):
                window.append(moves)
        self._last_moves = [window[-1] for window in windows]
        for window in windows:
            for boards, targets in compute_returns(window, decay):
                self._replay.add(boards, targets)
        num_steps = max(1, config.reuse * 2 * config.games * config.window // config.batch)
        loss = self._train(num_steps, progress / 2)
        self.td_rounds += 1
        return loss

    def run_lookahead_round(self, executor: TaskExecutor | None = None) -> torch.Tensor:
        """Look at new boards and train on their targets; return the loss.

        With an executor its workers compute the targets.
        """
        config = self.config
        if self.lookahead_rounds == 0:
            self._last_moves = []
            self._replay.clear()
        self._replay.add(*(self._label_here() if executor is None else self._label_by(executor)))
        progress = self.lookahead_rounds / config.lookahead_rounds
        loss = self._train(config.steps_per_round, (1 + progress) / 2)
        self.lookahead_rounds += 1
        return loss

    def _train(self, num_steps: int, progress: float) -> torch.Tensor:
        for _ in range(num_steps):
            batch = self._replay.sample(self.config.batch, self.trainer.generator)
            loss = self.trainer.train_on(*batch, progress=progress)
        return loss

    def _label_here(self) -> Listed:
        """Return boards with their lookahead targets; replies are listed a round ahead."""
        boards, listed = self._pending or self._begin_listing(self._draw_boards())
        replies, offsets = listed.result()
        self._pending = self._begin_listing(self._draw_boards())
        targets = average_replies(replies, offsets, self.trainer.predictor())
        return torch.from_numpy(boards).to(self.trainer.device), targets

    def _begin_listing(self, boards: Rows) -> "tuple[Rows, Future[Listed]]":
        return boards, self._threads.submit(list_replies, boards, self.trainer.afterstates)

    def _label_by(self, executor: TaskExecutor) -> Listed:
        """Return boards with lookahead targets that workers compute, a piece at a time."""
        boards = self._draw_boards()
        pieces = [boards[first : first + PIECE] for first in range(0, len(boards), PIECE)]
        task = LookaheadTask(self.trainer.averaged.list_layers())
        targets = np.concatenate(list(executor.map(task, pieces)))
        device = self.trainer.device
        return torch.from_numpy(boards).to(device), torch.from_numpy(targets).to(device)

    def _draw_boards(self) -> Rows:
        """Return boards to look at, from games that are played on."""
        size = self.config.lookahead_boards
        while len(self._rest) < size:
            self._rest = np.concatenate((self._rest, self._pick_boards()))
        boards, self._rest = self._rest[:size], self._rest[size:]
        return boards

    def _pick_boards(self) -> Rows:
        """Play one move in every game; return its board and one alternative of each decision."""
        found = []
        for moves in self._play(self.trainer.predictor(), with_groups=True):
            assert moves.groups is not None
            other = moves.groups[:, 1 + int(self._rng.integers(GROUP - 1))]
            boards = torch.cat((moves.boards, other))
            found.append(boards[~is_over(boards)])
        rows = torch.cat(found).cpu().numpy()
        return np.ascontiguousarray(rows[self._rng.permutation(len(rows))])

    def _parts(self) -> list[tuple[str, SelfplayGames | ReplayBoards]]:
        first, second = self.batches
        return [("games0", first), ("games1", second), ("replay", self._replay)]

    def state(self) -> TrainingState:
        """Return all that the next round depends on, beside the trainer's state."""
        facts: dict[str, Any] = {
            "td_rounds": self.td_rounds,
            "lookahead_rounds": self.lookahead_rounds,
            "random": self._rng.bit_generator.state,
        }
        arrays: dict[str, NDArray[Any]] = {"rest": self._rest}
        if self._pending is not None:
            arrays["pending"] = self._pending[0]
        for number, moves in enumerate(self._last_moves):
            arrays |= prefix_names(f"moves{number}", moves.to_arrays())
        for name, part in self._parts():
            found = part.state()
            facts[name] = found.facts
            arrays |= prefix_names(name, found.arrays)
        return TrainingState(facts, arrays)

    def load(self, state: TrainingState) -> None:
        """Restore what `state` returned."""
        facts = state.facts
        self.td_rounds, self.lookahead_rounds = facts["td_rounds"], facts["lookahead_rounds"]
        self._rng.bit_generator.state = facts["random"]
        self._rest = state.arrays["rest"]
        device = self.trainer.device
        moves = [state.select(f"moves{number}") for number in range(len(self.batches))]
        self._last_moves = [PlayedMoves.from_arrays(each, device) for each in moves if each]
        for name, part in self._parts():
            part.load(TrainingState(facts[name], state.select(name)))
        if "pending" in state.arrays:
            self._pending = self._begin_listing(state.arrays["pending"])
