"""Regret of a player's moves against perfect play.

The regret of a move is the utility of the best move minus that of this move, where a win has
utility 1, a draw 0 and a loss -1: so it is 0, 1 or 2. The regret of a game is the sum over the
player's moves. A position is critical if some legal move has positive regret.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ludus.arena.jobs import GameConditions, Job, JobKey, StartPositions, is_second_to_begin
from ludus.core.game import CHANCE, AnyGame
from ludus.core.record import Record
from ludus.games import game as named_game
from ludus.oracle import Oracle, RatedMove, Unsolved

UTILITIES = {"win": 1, "draw": 0, "loss": -1}
MORRIS_ID = "nine_mens_morris"


@dataclass(frozen=True, slots=True)
class EvaluatedMove:
    """A move with its regret and the best moves."""

    position: str
    move: str
    regret: int
    is_critical: bool
    best: tuple[str, ...]
    """The moves that keep the value, in the game's notation."""


def evaluate_move(oracle: Oracle, position: Any, move: Any) -> EvaluatedMove | None:
    """Return the regret of a move; None where the oracle has no value."""
    return evaluate_moves(oracle, [position], [move])[0]


def evaluate_moves(
    oracle: Oracle, positions: Sequence[Any], moves: Sequence[Any]
) -> list[EvaluatedMove | None]:
    """Return the regret of one move per position; None where the oracle has no value."""
    try:
        rated = oracle.rate_many(positions)
    except Unsolved:
        if len(positions) == 1:
            return [None]
        return [evaluate_move(oracle, *each) for each in zip(positions, moves, strict=True)]
    return [_evaluate_rated_moves(*each) for each in zip(positions, moves, rated, strict=True)]


def _evaluate_rated_moves(position: Any, move: Any, rated: Sequence[RatedMove]) -> EvaluatedMove:
    utilities = {each.move: UTILITIES[each.value] for each in rated}
    most = max(utilities.values())
    return EvaluatedMove(
        position=str(position),
        move=str(move),
        regret=most - utilities[move],
        is_critical=min(utilities.values()) < most,
        best=_list_best_moves(rated, most),
    )


def _list_best_moves(rated: Iterable[RatedMove], most: int) -> tuple[str, ...]:
    return tuple(str(each.move) for each in rated if UTILITIES[each.value] == most)


def get_phase(game: AnyGame, position: Any, number: int) -> str:
    """Return the phase of the game a position belongs to.

    In Morris the mover places, moves or flies. In other games it is the number of the player's
    move.
    """
    if game.id != MORRIS_ID:
        return f"move {number}"
    if position.hands[position.mover] > 0:
        return "placing"
    can_fly = game.rules.flying and len(position.men[position.mover]) <= 3
    return "flying" if can_fly else "moving"


@dataclass
class RegretTally:
    """Counts of moves and their regret."""

    moves: int = 0
    num_unevaluated: int = 0
    """Moves in positions that are not solved."""

    regret: int = 0
    critical: int = 0
    critical_kept: int = 0

    def add(self, evaluated: EvaluatedMove | None) -> None:
        self.moves += 1
        if evaluated is None:
            self.num_unevaluated += 1
            return
        self.regret += evaluated.regret
        self.critical += evaluated.is_critical
        self.critical_kept += evaluated.is_critical and evaluated.regret == 0

    @property
    def regret_per_move(self) -> float | None:
        """Mean regret over the evaluated moves; None if there are none."""
        num_evaluated = self.moves - self.num_unevaluated
        return self.regret / num_evaluated if num_evaluated else None

    @property
    def critical_kept_rate(self) -> float | None:
        """Proportion of critical positions in which the value was kept; None if there are none."""
        return self.critical_kept / self.critical if self.critical else None


@dataclass
class RegretStatistics:
    """Regret statistics of a player's games."""

    game: AnyGame
    oracle: Oracle
    games: list[int] = field(default_factory=list)
    """Regret of each game."""

    total: RegretTally = field(default_factory=RegretTally)
    phases: dict[str, RegretTally] = field(default_factory=lambda: defaultdict(RegretTally))
    first_errors: Counter[EvaluatedMove] = field(default_factory=Counter)
    """The first move with positive regret in a game, to the number of such games."""

    @property
    def mean(self) -> float | None:
        """Mean regret of a game over the evaluated moves; None if no move was evaluated."""
        if self.total.moves == self.total.num_unevaluated:
            return None
        return math.fsum(self.games) / len(self.games)

    @property
    def standard_error(self) -> float | None:
        """Standard error of the mean; None for fewer than two games."""
        number, mean = len(self.games), self.mean
        if number < 2 or mean is None:
            return None
        # Games are added in order of completion; fsum gives the same sum in any order.
        variance = math.fsum((regret - mean) ** 2 for regret in self.games) / (number - 1)
        return float((variance / number) ** 0.5)

    def add(self, record: Record, side: int) -> None:
        """Evaluate the moves of one side of a game."""
        before, number, first = self.total.regret, 0, None
        positions = record.replay(self.game)
        for position, node in zip(positions, record.line.moves, strict=False):
            if position.mover in (CHANCE, 1 - side):
                continue
            number += 1
            move = self.game.parse_move(node.move, position)
            evaluated = evaluate_move(self.oracle, position, move)
            self._count(evaluated, position, number)
            if first is None and evaluated is not None and evaluated.regret:
                first = evaluated
        if first is not None:
            self.first_errors[first] += 1
        self.games.append(self.total.regret - before)

    def add_moves(self, positions: Sequence[Any], moves: Sequence[Any]) -> None:
        """Evaluate one move in each position, each as a game of one move."""
        found = evaluate_moves(self.oracle, positions, moves)
        for position, evaluated in zip(positions, found, strict=True):
            self._count(evaluated, position, 1)
            self.games.append(0 if evaluated is None else evaluated.regret)
            if evaluated is not None and evaluated.regret:
                self.first_errors[evaluated] += 1

    def _count(self, evaluated: EvaluatedMove | None, position: Any, number: int) -> None:
        self.total.add(evaluated)
        self.phases[get_phase(self.game, position, number)].add(evaluated)


@dataclass(frozen=True, slots=True)
class RegretSchedule:
    """The games of a player against an opponent in which its regret is measured."""

    conditions: GameConditions
    player: str
    opponent: str
    games: int
    seed: int = 0
    starts: StartPositions = StartPositions()  # noqa: RUF009 - frozen
    is_alternating: bool = True
    """Whether the player has both sides in turn, or always the one that begins."""

    def schedule(self) -> Iterator[Job]:
        game = named_game(self.conditions.game, self.conditions.rules)
        for number in range(self.games):
            is_swapped = self.is_alternating and number % 2 == 1
            opening = number // 2 if self.is_alternating else number
            start = self.starts.get_position(game, self.seed, opening)
            is_swapped ^= is_second_to_begin(game, start)
            key = JobKey(f"regret {self.seed}", self.player, self.opponent, number)
            yield Job(key, self.conditions, is_swapped, start)


Policy = Callable[[Any], Mapping[Any, float]]
"""Returns the probability of each move in a position."""


def get_uniform_policy(position: Any) -> dict[Any, float]:
    """Return the policy of the player `random`."""
    moves = position.legal_moves()
    return dict.fromkeys(moves, 1 / len(moves))


def compute_expected_regret(oracle: Oracle, policy: Policy, starts: Iterable[Any]) -> float:
    """Return the exact expected regret of a game from these positions, with the player to move.

    The opponent always plays the oracle's first move: the best value, then the quickest win or the
    slowest loss, then the first in the order of legal moves.
    """
    known: dict[Any, float] = {}
    found = [_compute_expected(oracle, policy, start, known) for start in starts]
    return sum(found) / len(found)


def _compute_expected(
    oracle: Oracle, policy: Policy, position: Any, known: dict[Any, float]
) -> float:
    if position.outcome() is not None:
        return 0.0
    if position not in known:
        utilities = {each.move: UTILITIES[each.value] for each in oracle.rate_moves(position)}
        most = max(utilities.values())
        total = 0.0
        for move, probability in policy(position).items():
            after = position.play(move)
            if after.outcome() is None:
                after = after.play(oracle.rate_moves(after)[0].move)
            rest = _compute_expected(oracle, policy, after, known)
            total += probability * (most - utilities[move] + rest)
        known[position] = total
    return known[position]
