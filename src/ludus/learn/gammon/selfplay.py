"""Many games of a network with itself at once, and the targets that they give.

All games of a batch make one move at a time: the moves are listed on the CPU, and one call of the
network scores the boards after all of them.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch

from ludus.learn.gammon.afterstates import ROW, Afterstates, Rows
from ludus.learn.gammon.chances_model import (
    NUM_CHANCES,
    Predictor,
    choose_best,
    compute_equity,
    flip_chances,
    is_over,
)

START: dict[int, int] = {24: 2, 13: 5, 8: 3, 6: 5}
GROUP = 4
"""Boards of a group: alternatives of one decision."""


def make_start_row() -> Rows:
    """Return the board before the first roll, shape (52,)."""
    row = np.zeros(ROW, np.int8)
    for point, men in START.items():
        row[point] = men
        row[ROW - 1 - point] = men
    return row


@dataclass
class Decisions:
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

    groups: torch.Tensor | None
    """Alternatives: the best move and others that are close, shape (games, 4, 52)."""


class GameBatch:
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
        self._start = make_start_row()
        self._positions = np.repeat(self._start[None], num_games, axis=0)
        self._ply = np.zeros(num_games, np.int64)
        self._num_random = self._draw_opening_plies(num_games)
        self.num_finished = 0
        self._listed: Future[tuple[torch.Tensor, torch.Tensor]] = self._list_moves()

    def _draw_opening_plies(self, count: int) -> np.ndarray:
        plies = self._rng.integers(0, self._opening_plies + 1, count)
        return np.where(self._rng.random(count) < 0.5, plies, 0)

    def _list_moves(self) -> "Future[tuple[torch.Tensor, torch.Tensor]]":
        dice = self._rng.integers(1, 7, (len(self._positions), 2)).astype(np.int8)
        # The first roll of a game is no double: the higher die begins.
        doubles = (self._ply == 0) & (dice[:, 0] == dice[:, 1])
        shifts = self._rng.integers(1, 6, int(doubles.sum()))
        dice[doubles, 1] = (dice[doubles, 0] - 1 + shifts) % 6 + 1
        dice = np.sort(dice, axis=1)[:, ::-1]
        return self._executor.submit(self._afterstates.expand, self._positions, dice.copy())

    @torch.no_grad()
    def play(self, predictor: Predictor, device: torch.device, with_groups: bool) -> Decisions:
        """Play one move in every game, and begin to list the next ones."""
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
        drawn = offsets[:-1] + (torch.rand(len(counts), device=device) * counts).long()
        chosen = torch.where(is_random, drawn, best)
        groups = _draw_groups(ends, scores, offsets, best) if with_groups else None
        boards = ends[chosen]
        over = is_over(boards)
        self._advance(boards.cpu().numpy(), over.cpu().numpy())
        return Decisions(boards, chances[chosen], chances[best], over, is_random, groups)

    def _advance(self, boards: Rows, over: np.ndarray) -> None:
        self._positions = np.ascontiguousarray(boards[:, ::-1])
        self._positions[over] = self._start
        self._ply += 1
        self._ply[over] = 0
        count = int(over.sum())
        self._num_random[over] = self._draw_opening_plies(count)
        self.num_finished += count
        self._listed = self._list_moves()


def _draw_groups(
    ends: torch.Tensor, scores: torch.Tensor, offsets: torch.Tensor, best: torch.Tensor
) -> torch.Tensor:
    """Return the best move's board and three others of each decision; the better the likelier.

    Where there are fewer moves, the best one is repeated. Shape (decisions, 4, 52).
    """
    noise = -torch.log(-torch.log(torch.rand_like(scores).clamp(1e-9, 1 - 1e-7)))
    noisy = scores + 0.06 * noise
    noisy[best] = -torch.inf
    members = [best]
    for _ in range(GROUP - 1):
        found = choose_best(noisy, offsets)
        found = torch.where(torch.isinf(noisy[found]), best, found)
        members.append(found)
        noisy[found] = -torch.inf
    return ends[torch.stack(members, dim=1)]


class ReplayBoards:
    """Boards with target chances in the device's memory; the oldest are overwritten."""

    def __init__(self, capacity: int, device: torch.device) -> None:
        self.boards = torch.zeros((capacity, ROW), dtype=torch.int8, device=device)
        self.targets = torch.zeros((capacity, NUM_CHANCES), device=device)
        self.size = 0
        self._next = 0

    def add(self, boards: torch.Tensor, targets: torch.Tensor) -> None:
        count, capacity = len(boards), len(self.boards)
        places = (torch.arange(count, device=boards.device) + self._next) % capacity
        self.boards[places] = boards
        self.targets[places] = targets
        self._next = (self._next + count) % capacity
        self.size = min(self.size + count, capacity)

    def sample(self, count: int) -> tuple[torch.Tensor, torch.Tensor]:
        chosen = torch.randint(self.size, (count,), device=self.boards.device)
        return self.boards[chosen], self.targets[chosen]


def compute_returns(steps: list[Decisions], decay: float) -> Iterator[tuple[torch.Tensor, ...]]:
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
