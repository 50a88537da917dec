"""How much a player gives away against perfect play.

The regret of a move is what the best move is worth less what this one is worth, where a win is
worth 1, a draw 0 and a loss -1: so it is 0, 1 or 2. That of a game is the sum over the player's
moves. A position is critical where some legal move gives something away.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ludus.core.game import CHANCE, AnyGame
from ludus.core.record import Record
from ludus.oracle import Oracle, RatedMove, Unsolved

POINTS = {"win": 1, "draw": 0, "loss": -1}
MORRIS = "nine_mens_morris"


@dataclass(frozen=True, slots=True)
class Judged:
    """A move beside the best ones."""

    position: str
    move: str
    regret: int
    is_critical: bool
    best: tuple[str, ...]
    """The moves that keep the value, as the game writes them."""


def judge(oracle: Oracle, position: Any, move: Any) -> Judged | None:
    """What a move gives away; None where the oracle does not reach."""
    return judge_many(oracle, [position], [move])[0]


def judge_many(
    oracle: Oracle, positions: Sequence[Any], moves: Sequence[Any]
) -> list[Judged | None]:
    """What each move gives away in its position; None where the oracle does not reach."""
    try:
        rated = oracle.moves_of_many(positions)
    except Unsolved:
        if len(positions) == 1:
            return [None]
        return [judge(oracle, *each) for each in zip(positions, moves, strict=True)]
    return [_judged(*each) for each in zip(positions, moves, rated, strict=True)]


def _judged(position: Any, move: Any, rated: Sequence[RatedMove]) -> Judged:
    worth = {each.move: POINTS[each.value] for each in rated}
    most = max(worth.values())
    return Judged(
        position=str(position),
        move=str(move),
        regret=most - worth[move],
        is_critical=min(worth.values()) < most,
        best=_best(rated, most),
    )


def _best(rated: Iterable[RatedMove], most: int) -> tuple[str, ...]:
    return tuple(str(each.move) for each in rated if POINTS[each.value] == most)


def phase(game: AnyGame, position: Any, number: int) -> str:
    """The part of the game a position belongs to.

    In Morris the mover places, moves or flies. Other games have no such parts: there it is the
    number of the player's move.
    """
    if game.id != MORRIS:
        return f"move {number}"
    if position.hands[position.mover] > 0:
        return "placing"
    can_fly = game.rules.flying and len(position.men[position.mover]) <= 3
    return "flying" if can_fly else "moving"


@dataclass
class Tally:
    """Moves and what they gave away."""

    moves: int = 0
    unjudged: int = 0
    """Moves in positions beyond what is solved."""

    regret: int = 0
    critical: int = 0
    critical_kept: int = 0

    def add(self, judged: Judged | None) -> None:
        self.moves += 1
        if judged is None:
            self.unjudged += 1
            return
        self.regret += judged.regret
        self.critical += judged.is_critical
        self.critical_kept += judged.is_critical and judged.regret == 0

    @property
    def regret_per_move(self) -> float | None:
        """The mean over the moves that could be judged; None if there were none."""
        judged = self.moves - self.unjudged
        return self.regret / judged if judged else None

    @property
    def kept_share(self) -> float | None:
        """How often the value was kept where it could be lost; None if it never could."""
        return self.critical_kept / self.critical if self.critical else None


@dataclass
class Regret:
    """A player's games, judged."""

    game: AnyGame
    oracle: Oracle
    games: list[int] = field(default_factory=list)
    """The regret of each game."""

    total: Tally = field(default_factory=Tally)
    phases: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    first_errors: Counter[Judged] = field(default_factory=Counter)
    """The first move of a game that gave something away, to the number of such games."""

    @property
    def mean(self) -> float | None:
        """The mean regret of a game, as far as moves could be judged; None if none could."""
        if self.total.moves == self.total.unjudged:
            return None
        return math.fsum(self.games) / len(self.games)

    @property
    def standard_error(self) -> float | None:
        """That of the mean; None for fewer than two games."""
        number, mean = len(self.games), self.mean
        if number < 2 or mean is None:
            return None
        # Games come in as they finish; fsum gives the same sum in any order.
        variance = math.fsum((regret - mean) ** 2 for regret in self.games) / (number - 1)
        return float((variance / number) ** 0.5)

    def add(self, record: Record, side: int) -> None:
        """Judge the moves of one side of a game."""
        before, number, first = self.total.regret, 0, None
        positions = record.replay(self.game)
        for position, node in zip(positions, record.line.moves, strict=False):
            if position.mover in (CHANCE, 1 - side):
                continue
            number += 1
            move = self.game.parse_move(node.move, position)
            judged = judge(self.oracle, position, move)
            self._count(judged, position, number)
            if first is None and judged is not None and judged.regret:
                first = judged
        if first is not None:
            self.first_errors[first] += 1
        self.games.append(self.total.regret - before)

    def add_choices(self, positions: Sequence[Any], moves: Sequence[Any]) -> None:
        """Judge one move in each position, each as if it were a game of this move alone."""
        found = judge_many(self.oracle, positions, moves)
        for position, judged in zip(positions, found, strict=True):
            self._count(judged, position, 1)
            self.games.append(0 if judged is None else judged.regret)
            if judged is not None and judged.regret:
                self.first_errors[judged] += 1

    def _count(self, judged: Judged | None, position: Any, number: int) -> None:
        self.total.add(judged)
        self.phases[phase(self.game, position, number)].add(judged)
