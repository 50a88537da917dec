"""Rollouts of many positions at once on a GPU: all games make their moves in step.

The same cubeless games as those of `native/core/gammon/rollout.hpp`, with the same dice: moves are
listed on all cores of the CPU, boards are evaluated on the GPU, in half precision there, so that
now and then another of two moves of nearly the same equity is played.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ludus.core.splitmix import INCREMENT, WORD, SplitMix64
from ludus.learn.gammon.afterstates import (
    EXACT_MEN,
    HOME_POINTS,
    MEN,
    NUM_ROLLS,
    ROW,
    Afterstates,
    BearoffArrays,
    Rows,
)
from ludus.learn.gammon.model import (
    ROLL_CHANCES,
    ChancesModel,
    Predictor,
    choose_best,
    compute_equity,
    flip_chances,
    is_over,
)
from ludus.learn.gammon.network import NUM_CHANCES, ChancesNetwork

GAMES_IN_STEP = 8192
"""Games at once: each has some 480 boards before every roll."""

NUM_PARTS = 3
"""Sets of games in step at the same time: while moves of one are listed, another is evaluated."""

PAIRS = 36
Words = NDArray[np.uint64]
Results = NDArray[np.float64]


class GameDice:
    """The dice of games, those of RolloutDice in native/core/gammon/rollout.hpp."""

    def __init__(self, seed: int, games: NDArray[np.int64]) -> None:
        self._states = _random_of(seed, games)
        self._turn = 0
        blocks, in_block = np.divmod(games, PAIRS * PAIRS)
        rows, columns = np.divmod(in_block, PAIRS)
        self._first = np.empty((2, len(games)), np.int64)
        for block in np.unique(blocks):
            start = int(_random_of(~seed % WORD, np.array([block]))[0])
            random = SplitMix64(start)
            first, second, shift = (_permutation(random) for _ in range(3))
            here = blocks == block
            self._first[0, here] = first[columns[here]]
            self._first[1, here] = second[(columns[here] + shift[rows[here]]) % PAIRS]

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Go on with some of the games."""
        self._states, self._first = self._states[kept], self._first[:, kept]

    def roll(self) -> NDArray[np.int64]:
        """Return the next roll of each game as its number in `ROLLS`."""
        drawn = self._draw()
        numbers = self._first[self._turn] if self._turn < len(self._first) else drawn
        self._turn += 1
        one, other = np.divmod(numbers, 6)
        high, low = np.maximum(one, other), np.minimum(one, other)
        found: NDArray[np.int64] = high * (high + 1) // 2 + low
        return found

    def _draw(self) -> NDArray[np.int64]:
        unfair = np.uint64((2**32 - PAIRS) % PAIRS)
        products = np.zeros(len(self._states), np.uint64)
        waiting = np.ones(len(self._states), bool)
        while waiting.any():
            mixed = _mix(self._states[waiting])
            self._states[waiting] += np.uint64(INCREMENT)
            products[waiting] = (mixed >> np.uint64(32)) * np.uint64(PAIRS)
            waiting = (products & np.uint64(2**32 - 1)) < unfair
        return (products >> np.uint64(32)).astype(np.int64)


def _random_of(seed: int, numbers: NDArray[np.int64]) -> Words:
    """Return the states of the generators that native code calls random_of(seed, number)."""
    return _mix(np.uint64(seed % WORD) ^ (numbers.astype(np.uint64) * np.uint64(INCREMENT)))


def _mix(states: Words) -> Words:
    z = states + np.uint64(INCREMENT)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Words = z ^ (z >> np.uint64(31))
    return mixed


def _permutation(random: SplitMix64) -> NDArray[np.int64]:
    order = np.arange(PAIRS)
    for i in range(PAIRS - 1, 0, -1):
        j = random.below(i + 1)
        order[i], order[j] = order[j], order[i]
    return order


class BearoffTables:
    """Chances of bearing off on a device: exact for few men a side, else of two separate races."""

    def __init__(self, arrays: BearoffArrays, device: torch.device) -> None:
        all_off, first_off = (
            torch.from_numpy(each.astype(np.float32)) for each in (arrays.all_off, arrays.first_off)
        )
        self._all, self._first = all_off.to(device), first_off.to(device)
        self._exact = torch.from_numpy(np.ascontiguousarray(arrays.exact)).to(device)
        # binomial(k - 1 + men, k) by point and men, as MenIndex in native/core/backgammon/men.hpp
        rows = [[1] * (MEN + 1)]
        for _ in range(HOME_POINTS):
            rows.append([sum(rows[-1][: men + 1]) for men in range(MEN + 1)])
        ranks = [[0, *row[:-1]] for row in rows[1:]]
        self._ranks = torch.tensor(ranks, device=device)

    def apply(self, boards: torch.Tensor, chances: torch.Tensor) -> torch.Tensor:
        """Return the chances of boards after moves, with those of bearing off put in."""
        outside = boards[:, HOME_POINTS + 1 : 26].any(1) | boards[:, 26 : 51 - HOME_POINTS].any(1)
        found = torch.nonzero(~outside & ~is_over(boards))[:, 0]
        if len(found) > 0:
            chances[found] = self._look_up(boards[found]).to(chances.dtype)
        return chances

    def _look_up(self, boards: torch.Tensor) -> torch.Tensor:
        own = self._rank(boards[:, 1 : HOME_POINTS + 1])
        other = self._rank(boards.flip(1)[:, 1 : HOME_POINTS + 1])
        own_all, other_all = self._all[own], self._all[other]
        others_left = 1 - other_all.cumsum(1)
        others_first_left = 1 - self._first[other].cumsum(1)
        first_left = 1 - self._first[own].cumsum(1) + self._first[own]
        win = (own_all * others_left).sum(1)
        zero = torch.zeros_like(win)
        win_gammon = (own_all * others_first_left).sum(1)
        lose_gammon = (other_all * first_left).sum(1)
        races = torch.stack((win, win_gammon, zero, lose_gammon, zero), 1).clamp(0, 1)
        few = self.is_exact(boards)
        known = (1 - self._exact[other[few], own[few]]) / 2
        races[few] = torch.nn.functional.pad(known[:, None], (0, NUM_CHANCES - 1))
        return races

    def _rank(self, men: torch.Tensor) -> torch.Tensor:
        """Return the number of the men on points 1 to 6, shape (boards, 6)."""
        behind = men.flip(1).long().cumsum(1)
        return self._ranks.gather(1, behind.T).sum(0)

    @staticmethod
    def is_exact(boards: torch.Tensor) -> torch.Tensor:
        """Return whether the equity of a board is exactly known; nobody is outside his home."""
        own, other = boards[:, 0], boards[:, ROW - 1]
        outside = boards[:, HOME_POINTS + 1 : 26].any(1) | boards[:, 26 : 51 - HOME_POINTS].any(1)
        return ~outside & (own >= MEN - EXACT_MEN) & (other >= MEN - EXACT_MEN)


class LockstepRollouts:
    """Rolls out positions before a roll without the cube, all games in step."""

    def __init__(
        self, network: ChancesNetwork, afterstates: Afterstates, device: torch.device
    ) -> None:
        model = ChancesModel.from_layers(network.layers).to(device)
        self._predictor = Predictor(model, afterstates)
        self._afterstates = afterstates
        self._tables = BearoffTables(afterstates.solve_bearoff(), device)
        self._device = device
        self._weights = torch.tensor(ROLL_CHANCES, dtype=torch.float64, device=device)

    def roll_out(
        self,
        positions: Rows,
        games: int,
        seed: int = 0,
        first: int = 0,
        horizon: int = 0,
        on_progress: Callable[[int], Any] | None = None,
    ) -> Results:
        """Return five chances and the equity of each game, shape (positions, games, 6).

        They are those of the side on roll; positions have 15 men a side and are not finished.
        """
        numbers = np.tile(np.arange(first, first + games), len(positions))
        rows = np.repeat(positions, games, axis=0)
        chances = np.empty((len(rows), NUM_CHANCES))
        begins = range(0, len(rows), GAMES_IN_STEP)
        parts = [slice(begin, begin + GAMES_IN_STEP) for begin in begins]

        def play(part: slice) -> Results:
            with self._open_stream():
                return self._play(rows[part], GameDice(seed, numbers[part]), horizon)

        with ThreadPoolExecutor(NUM_PARTS) as pool:
            for part, played in zip(parts, pool.map(play, parts), strict=True):
                chances[part] = played
                if on_progress is not None:
                    on_progress(min(part.stop, len(rows)))
        equities = compute_equity(torch.from_numpy(chances)).numpy()
        return np.column_stack([chances, equities]).reshape(len(positions), games, NUM_CHANCES + 1)

    def _open_stream(self) -> AbstractContextManager[Any]:
        """Let a thread's work on a GPU run beside that of others, after what was begun before."""
        if self._device.type != "cuda":
            return nullcontext()
        torch.cuda.synchronize(self._device)
        stream = torch.cuda.Stream(self._device)  # type: ignore[no-untyped-call]
        return torch.cuda.stream(stream)

    @torch.no_grad()
    def _play(self, rows: Rows, dice: GameDice, horizon: int) -> Results:
        """Play one game from each row to its end or to the horizon."""
        found = np.empty((len(rows), NUM_CHANCES))
        games = np.arange(len(rows))
        luck = torch.zeros((len(rows), NUM_CHANCES), dtype=torch.float64, device=self._device)
        turned = torch.from_numpy(np.ascontiguousarray(rows[:, ::-1])).to(self._device)
        known = self._tables.apply(turned, torch.zeros_like(luck))
        ended = self._tables.is_exact(turned)
        results = flip_chances(known)
        turn = 0
        while True:
            over = ended.cpu().numpy()
            found[games[over]] = (results - luck)[ended].cpu().numpy()
            games, rows, luck = games[~over], rows[~over], luck[~ended]
            dice.keep(~over)
            if len(games) == 0:
                return found
            boards, offsets = self._afterstates.expand(np.ascontiguousarray(rows), None)
            of_rolls, best = self._find_best(boards, offsets)
            mean = (of_rolls * self._weights[None, :, None]).sum(1)
            rolls = torch.from_numpy(dice.roll()).to(self._device)
            if turn > 0 and turn == horizon:
                results, ended = self._seen(mean, turn), torch.ones_like(rolls, dtype=torch.bool)
                continue
            each = torch.arange(len(rolls), device=self._device)
            results = self._seen(of_rolls[each, rolls], turn)
            luck += results - self._seen(mean, turn)
            chosen = boards[best[each, rolls].cpu()]
            ends = chosen.to(self._device)
            ended = is_over(ends) | self._tables.is_exact(ends)
            rows = chosen.numpy()[:, ::-1]
            turn += 1

    def _find_best(
        self, boards: torch.Tensor, offsets: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the chances after the best move of each roll, and the numbers of these boards."""
        boards = boards.to(self._device, non_blocking=True)
        chances = self._tables.apply(boards, self._predictor.predict(boards))
        best = choose_best(compute_equity(chances), offsets.to(self._device))
        of_rolls = chances[best].double().reshape(-1, NUM_ROLLS, NUM_CHANCES)
        return of_rolls, best.reshape(-1, NUM_ROLLS)

    @staticmethod
    def _seen(chances: torch.Tensor, turn: int) -> torch.Tensor:
        """Return the chances of the side that is on roll at the start."""
        return chances if turn % 2 == 0 else flip_chances(chances)
