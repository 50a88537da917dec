"""Rollouts in plain Python: the reference of native/core/gammon/rollout.hpp."""

from dataclasses import replace

import numpy as np

from ludus.core.splitmix import WORD, SplitMix64
from ludus.games.backgammon.batch import position_to_row, row_to_position
from ludus.games.backgammon.board import ROLLS
from ludus.games.backgammon.cube import Chances, CubeModel

WEIGHTS = [(1 if roll.is_double else 2) / 36 for roll in ROLLS]


def random_of(seed, number):
    return SplitMix64(SplitMix64(seed % WORD ^ (number * 0x9E3779B97F4A7C15 % WORD)).next())


def permutation(random):
    order = list(range(36))
    for i in range(35, 0, -1):
        j = random.below(i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def draw_dice(seed, game):
    """Yield the rolls of a game as numbers from 0 to 35."""
    order = random_of(~seed, game // 1296)
    first, second, shift = permutation(order), permutation(order), permutation(order)
    column, row = game % 36, game // 36 % 36
    random = random_of(seed, game)
    drawn = [random.below(36), random.below(36)]
    assert len(drawn) == 2
    yield first[column]
    yield second[(column + shift[row]) % 36]
    while True:
        yield random.below(36)


class PlainRollout:
    """Plays games of a position before a roll with a compiled network's chances."""

    def __init__(self, network, position, seed, horizon=0, is_luck_removed=True):
        self.network = network
        self.position = replace(position, stakes=None)
        self.stakes = position.stakes
        self.seed, self.horizon, self.is_luck_removed = seed, horizon, is_luck_removed

    def play(self, game, may_double):
        """Return five chances and the value of a game for side 0, which is on roll."""
        dice, here, luck = draw_dice(self.seed, game), self.position, np.zeros(6)
        stakes, turn = self.stakes, 0
        while True:
            side = turn % 2
            high, low = sorted(divmod(next(dice), 6), reverse=True)
            rolled = next(n for n, roll in enumerate(ROLLS) if roll == (high + 1, low + 1))
            found = self.list_moves(here)
            mean = self.average(found)
            model = stakes and CubeModel(mean, stakes, side)
            can_double = stakes is not None and stakes.may_double(side) and (turn or may_double)
            if turn and turn == self.horizon:
                value = mean.equity
                if stakes:
                    value = model.evaluate(stakes.value, stakes.owner)
                    if can_double:
                        taken = model.evaluate(2 * stakes.value, 1 - side)
                        value = max(value, min(taken, model.value_of(stakes.value, 1)))
                return self.seen(side, mean, value) - luck
            if can_double:
                cube = model.decide()
                if cube.is_double and not cube.is_take:
                    return self.seen(side, mean, model.value_of(stakes.value, 1)) - luck
                if cube.is_double:
                    stakes = stakes.turn_cube(1 - side)
            best = [max(each, key=lambda move: self.value(move, stakes, side)) for each in found]
            if self.is_luck_removed:
                values = np.array(
                    [self.seen(side, c, self.value((r, c), stakes, side)) for r, c in best]
                )
                luck += values[rolled] - np.average(values, axis=0, weights=WEIGHTS)
            row, chances = best[rolled]
            if not (row[1:26] > 0).any():
                return self.seen(side, chances, self.value(best[rolled], stakes, side)) - luck
            here, turn = row_to_position(row[::-1], None), turn + 1

    def list_moves(self, here):
        """Return the boards after the moves of each roll, with the chances after them."""
        rows = np.repeat(position_to_row(here)[None], len(ROLLS), axis=0)
        offsets, numbers, chances, _ = self.network.rank(rows, np.array(ROLLS, np.int8), 0)
        found = []
        for number, roll in enumerate(ROLLS):
            legal = row_to_position(rows[number], tuple(roll)).legal_moves()
            span = range(offsets[number], offsets[number + 1])
            ends = {i: self.apply(rows[number], roll, legal[numbers[i]]) for i in span}
            found.append([(ends[i], Chances(*chances[i].tolist())) for i in span])
        return found

    @staticmethod
    def apply(row, roll, move):
        after = row_to_position(row, tuple(roll)).play(move)
        return position_to_row(replace(after, turn=0))

    @staticmethod
    def average(found):
        best = [max((c for _, c in each), key=lambda chances: chances.equity) for each in found]
        return Chances(*np.average(best, axis=0, weights=WEIGHTS).tolist())

    def value(self, move, stakes, side):
        """Return the value of a board to the side that has just moved."""
        row, chances = move
        if stakes is None:
            return chances.equity
        if not (row[1:26] > 0).any():
            level = 1 + (chances.win_gammon > 0) + (chances.win_backgammon > 0)
            return CubeModel(chances, stakes, side).value_of(stakes.compute_points(level), 1)
        other = CubeModel(chances.flip(), stakes, 1 - side)
        value = other.evaluate(stakes.value, stakes.owner)
        if stakes.may_double(1 - side):
            taken = other.evaluate(2 * stakes.value, side)
            value = max(value, min(taken, other.value_of(stakes.value, 1)))
        return 1 - value if stakes.rules.match else -value

    def seen(self, side, chances, value):
        if side == 0:
            return np.array([*chances, value])
        flipped = 1 - value if self.stakes and self.stakes.rules.match else -value
        return np.array([*chances.flip(), flipped])
