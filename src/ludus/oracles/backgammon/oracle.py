"""Exact equities of backgammon from tables, in points a game.

The value of a position before a roll is that of the side whose turn it is, and is in the tables;
after a roll it is that of the best move. Bearing off is solved with the cube, too, for money; such
equities are in points of the present cube.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ludus.core.game import CHANCE
from ludus.games.backgammon.batch import NUM_PLACES, generate_afterstates, position_to_row
from ludus.games.backgammon.cube import CubeEquities, score_actions
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.rules import Rules
from ludus.games.backgammon.stakes import Stakes
from ludus.oracles.backgammon.tables import (
    CENTRED_CUBE,
    CHANCE_NAMES,
    NO_CUBE,
    OWN_CUBE,
    THEIR_CUBE,
    EquityTables,
    Floats,
    Sides,
)
from ludus.oracles.interface import Oracle, Unsolved, Value, Verdict, WrongRules, rank_moves

SPECS = {"standard": "backgammon", "hyper": "backgammon:hypergammon"}


class BackgammonOracle(Oracle):
    """Oracle of hypergammon, or of bearing off in backgammon."""

    def __init__(self, rules: Rules, tables: EquityTables | None) -> None:
        """Serve values from `tables`, which must be of these rules; None if there are none."""
        self.rules = rules
        self.tables = tables

    @property
    def coverage(self) -> str:
        if self.tables is None:
            return "nowhere"
        extent = self.tables.extent
        if extent.kind == "hypergammon":
            return "from the first roll on"
        return f"where both sides bear off their last {extent.men} men"

    @property
    def has_depth(self) -> bool:
        return False

    def has_value(self, position: Any) -> bool:
        self._check(position)
        if position.stakes is not None and position.stakes.rules.match:
            return False
        if position.outcome() is not None:
            return True
        return not np.isnan(self._successor_values(position)).any()

    def cube_equities(self, position: Any) -> CubeEquities | None:
        """Return what doubling and not doubling is worth to the side on turn, before its roll.

        None where it is unknown, and at the score of a match.
        """
        stakes = position.stakes
        if stakes is None or stakes.rules.match or position.dice is not None or position.opening:
            return None
        own, other = _split_row(position_to_row(position)[None])
        no_double = self._look_up(own, other, _find_cube(stakes, position.turn))[0]
        double_take = 2 * self._look_up(own, other, THEIR_CUBE)[0]
        if np.isnan([no_double, double_take]).any():
            return None
        return CubeEquities(float(no_double), float(double_take), has_beavers=stakes.rules.beavers)

    def value_if_known(self, position: Any) -> Value | None:
        return self.value(position) if self.has_value(position) else None

    def values(self, positions: Sequence[Any]) -> list[Value]:
        return [verdict.value for verdict in self.verdicts(positions)]

    def verdicts(self, positions: Sequence[Any]) -> list[Verdict]:
        return [self._verdict(position) for position in positions]

    def chances(self, position: Any) -> dict[str, float] | None:
        """Return the chances of the side whose turn it is, with the best move after a roll.

        None where no chances are stored, where the game is over, and before an opening roll.
        """
        if self.tables is None or position.outcome() is not None or position.opening:
            return None
        if position.dice is None:
            own, other = _split_row(position_to_row(position)[None])
        else:
            ends = generate_afterstates(position)
            best = int(np.argmin(self._look_up(*_split_ends(ends))))
            own, other = _split_ends(ends[best : best + 1])
        extent = self.tables.extent
        if extent.kind == "bearoff":  # every win is a single game
            win = (1 + float(self._look_up(own, other)[0])) / 2
            win = win if position.dice is None else 1 - win
            return None if np.isnan(win) else dict.fromkeys(CHANCE_NAMES, 0.0) | {"win": win}
        found = self.tables.chances(extent.rank(own), extent.rank(other))
        if found is None:
            return None
        win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = found[0].tolist()
        if position.dice is not None:  # they are those of the other side
            win, win_gammon, lose_gammon = 1 - win, lose_gammon, win_gammon
            win_backgammon, lose_backgammon = lose_backgammon, win_backgammon
        values = (win, win_gammon, win_backgammon, lose_gammon, lose_backgammon)
        return dict(zip(CHANCE_NAMES, values, strict=True))

    def _verdict(self, position: Position) -> Verdict:
        self._check(position)
        stakes = position.stakes
        if stakes is not None and stakes.rules.match:
            raise Unsolved("exact values of backgammon are without the score of a match")
        outcome = position.outcome()
        if outcome is not None:
            sign = 1 if outcome.winner == position.turn else -1
            points = outcome.points / (1 if stakes is None else stakes.value)
            return Verdict(Value("equity", equity=sign * points), ())
        if position.phase != "play":
            return self._verdict_on_actions(position)
        after = self._successor_values(position)
        if np.isnan(after).any():
            raise self._unsolved(position)
        if position.mover == CHANCE:
            return Verdict(Value("equity", equity=float(after.mean())), ())
        moves = position.legal_moves()
        values = [Value("equity", equity=equity) for equity in after.tolist()]
        best = Value("equity", equity=-min(after.tolist()))
        return Verdict(best, rank_moves(moves, values))

    def _verdict_on_actions(self, position: Position) -> Verdict:
        """Return the verdict where a side decides about the cube or a resignation."""
        equities = self.cube_equities(position)
        if equities is None:
            raise self._unsolved(position)
        scores = score_actions(position, equities)
        moves = list(scores)
        values = [Value("equity", equity=-score) for score in scores.values()]  # the other side's
        return Verdict(Value("equity", equity=max(scores.values())), rank_moves(moves, values))

    def _successor_values(self, position: Position) -> Floats:
        """Return what the value follows from, NaN where it is unknown.

        After a roll it is the other side's equity after each move; before an opening roll that of
        side 0 after each roll; before any other roll the mover's own equity alone.
        """
        stakes = position.stakes
        if position.dice is not None:
            sides = _split_ends(generate_afterstates(position))
            if stakes is None:
                return self._look_up(*sides)
            waiting = 1 - position.turn
            found = self._look_up(*sides, _find_cube(stakes, waiting))
            if stakes.may_double(waiting):
                found = np.maximum(found, np.minimum(2 * self._look_up(*sides, THEIR_CUBE), 1))
            return found
        if position.opening:
            rolled = [position.play(roll) for roll in position.legal_moves()]
            signs = [1 if after.turn == position.turn else -1 for after in rolled]
            best = [-self._successor_values(after).min() for after in rolled]
            return np.array(signs, dtype=np.float32) * np.array(best, dtype=np.float32)
        cube = NO_CUBE if stakes is None else _find_cube(stakes, position.turn)
        return self._look_up(*_split_row(position_to_row(position)[None]), cube)

    def _look_up(self, own: Sides, other: Sides, cube: int = NO_CUBE) -> Floats:
        """Return the equities of the side to move, NaN where they are unknown."""
        found = np.full(len(own), np.nan, dtype=np.float32)
        if self.tables is not None:
            extent = self.tables.extent
            known = extent.contains(own) & extent.contains(other)
            if known.any():
                ranks = extent.rank(own[known]), extent.rank(other[known])
                found[known] = self.tables.equities(*ranks, cube)
        return found

    def _check(self, position: Any) -> None:
        if not isinstance(position, Position):
            raise WrongRules("the tables hold backgammon and no other game")
        men = int(position_to_row(position)[:NUM_PLACES].sum())
        if men != self.rules.men:
            raise WrongRules(f"{position} has {men} men a side, not {self.rules.men}")

    def _unsolved(self, position: Position) -> Unsolved:
        spec = SPECS[self.rules.layout]
        if self.tables is None:
            return Unsolved(f"{spec} is not solved here; `ludus solve {spec} --out DIR` solves it")
        return Unsolved(
            f"{position} is not solved: backgammon is solved {self.coverage}; "
            "`ludus solve backgammon --max-men N --out DIR` solves up to 14"
        )


def _find_cube(stakes: Stakes, side: int) -> int:
    """Return where the cube is, seen by a side."""
    if not stakes.has_cube:
        return NO_CUBE
    if stakes.owner is None:
        return CENTRED_CUBE
    return OWN_CUBE if stakes.owner == side else THEIR_CUBE


def _split_row(rows: Any) -> tuple[Sides, Sides]:
    """Return both sides' men, each as its own side counts, the mover first."""
    return rows[:, :NUM_PLACES], rows[:, NUM_PLACES:][:, ::-1]


def _split_ends(rows: Any) -> tuple[Sides, Sides]:
    """Do the same for boards after a move, when the other side is to move."""
    own, other = _split_row(rows)
    return other, own
