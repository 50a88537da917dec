"""Moves by a strong network: chances of positions and moves, and choices by equity."""

from collections.abc import Sequence

import numpy as np

from ludus.core.player import Choice
from ludus.games.backgammon.batch import position_to_row
from ludus.games.backgammon.board import ROLLS, Move
from ludus.games.backgammon.cube import Chances, RankedChances
from ludus.games.backgammon.position import Action, Position
from ludus.learn.gammon.network import ChancesNetwork, FloatArray, compute_equities


class ChancesPolicy:
    """Moves by a strong network and lookahead of 0, 1 or 2 plies."""

    def __init__(self, network: ChancesNetwork, ply: int) -> None:
        self.network, self.ply = network, ply
        self._native = network.to_native()

    def estimate_chances(self, positions: Sequence[Position]) -> list[Chances]:
        """Return the chances before a roll: the mean over all rolls, each played best."""
        if not positions:
            return []
        rows = np.array([position_to_row(each) for each in positions], np.int8).reshape(-1, 52)
        rolls = np.array(ROLLS, np.int8)
        offsets, _, chances, _ = self._native.rank(
            rows.repeat(len(ROLLS), axis=0), np.tile(rolls, (len(positions), 1)), 0
        )
        best = np.asarray(chances)[np.asarray(offsets)[:-1]].reshape(len(positions), len(ROLLS), 5)
        weights = np.array([1 if roll.is_double else 2 for roll in ROLLS]) / 36
        means = (best * weights[:, None]).sum(axis=1)
        return [Chances(*row) for row in means.tolist()]

    def rank_chances(
        self, positions: Sequence[Position], plies: int, max_moves: int | None = None
    ) -> list[list[RankedChances]]:
        """Return the best moves, best first by cubeless equity, with chances after them."""
        rows = np.array([position_to_row(each) for each in positions], np.int8).reshape(-1, 52)
        rolls = np.array([each.dice for each in positions], np.int8).reshape(-1, 2)
        offsets, numbers, chances, depths = self._native.rank(rows, rolls, plies)
        found = []
        for position, begin, end in zip(positions, offsets[:-1], offsets[1:], strict=True):
            legal = [move for move in position.legal_moves() if isinstance(move, Move)]
            part = slice(begin, end if max_moves is None else min(end, begin + max_moves))
            rated = zip(
                numbers[part].tolist(), chances[part].tolist(), depths[part].tolist(), strict=True
            )
            found.append([RankedChances(legal[n], Chances(*row), depth) for n, row, depth in rated])
        return found

    def choose(self, positions: Sequence[Position]) -> list[Choice]:
        """Return one choice per position; scores are cubeless equities."""
        rows = np.array([position_to_row(each) for each in positions], np.int8).reshape(-1, 52)
        rolls = np.array([each.dice for each in positions], np.int8).reshape(-1, 2)
        offsets, numbers, chances, depths = self._native.rank(rows, rolls, self.ply)
        choices = []
        for position, begin, end in zip(positions, offsets[:-1], offsets[1:], strict=True):
            legal = position.legal_moves()
            moves = [legal[number] for number in numbers[begin:end].tolist()]
            choices.append(self._make_choice(moves, chances[begin:end], depths[begin:end].tolist()))
        return choices

    def _make_choice(self, moves: list[Action], chances: FloatArray, depths: list[int]) -> Choice:
        equities = compute_equities(chances).tolist()
        if len(moves) == 1:
            return Choice(moves[0], "has no choice", {moves[0]: equities[0]})
        # A move that the filter left out is never scored above one that was looked at more deeply.
        deepest = sum(depth == depths[0] for depth in depths)
        worst = min(equities[:deepest])
        equities[deepest:] = [min(equity, worst) for equity in equities[deepest:]]
        win, win_gammon, _, lose_gammon, _ = chances[0].tolist()
        comment = (
            f"expects {equities[0]:+.3f} points without the cube, wins {win:.1%}, gammons won "
            f"{win_gammon:.1%}, lost {lose_gammon:.1%}; the next best {moves[1]} {equities[1]:+.3f}"
        )
        return Choice(moves[0], comment, dict(zip(moves, equities, strict=True)))
