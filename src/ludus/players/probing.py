"""Alpha-beta search that asks an oracle wherever it has an answer."""

import time
from dataclasses import dataclass
from typing import Any

from ludus.core.limit import Limit
from ludus.oracle.oracle import Oracle, Value, value_of_end
from ludus.players.evaluation import Evaluation

WIN = 1_000_000
"""The score of a game that is won where it stands; each ply before it costs one."""

DECIDED = WIN - 10_000
"""Scores beyond this are wins that the search has proved, or losses on the other side."""

INFINITE = 2 * WIN

MAX_DEPTH = 64

NODES_A_LOOK = 64
"""How many positions are visited between two looks at the clock."""


class OutOfBudget(Exception):
    """There is nothing left to spend on this move."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search to some depth came to."""

    depth: int
    """Plies that were searched in full."""

    scores: dict[Any, int]
    """Move to score. Exact for the best moves; for the others, no more than this."""

    @property
    def best(self) -> int:
        return max(self.scores.values())

    @property
    def moves(self) -> list[Any]:
        """The moves with the highest score."""
        return [move for move, score in self.scores.items() if score == self.best]


@dataclass(frozen=True, slots=True)
class Remembered:
    """What is known of a position from an earlier visit."""

    depth: int
    score: int
    is_at_least: bool
    is_at_most: bool
    move: Any


class ProbingSearch:
    """Iterative deepening within a budget. A budget of nodes alone makes it deterministic."""

    def __init__(self, oracle: Oracle, evaluate: Evaluation, limit: Limit) -> None:
        self.oracle = oracle
        self.evaluate = evaluate
        self.limit = limit
        self.nodes = 0
        self._began = time.perf_counter()
        self._memory: dict[Any, Remembered] = {}

    def run(self, position: Any) -> Found | None:
        """The deepest search that was finished, or None if there was no time for any."""
        found = None
        order = position.legal_moves()
        try:
            for depth in range(1, min(self.limit.depth or MAX_DEPTH, MAX_DEPTH) + 1):
                scores = self._root(position, order, depth)
                found = Found(depth, {move: scores[move] for move in position.legal_moves()})
                order = sorted(order, key=lambda move: -scores[move])
                if abs(found.best) >= DECIDED:
                    break
        except OutOfBudget:
            pass
        return found

    def _root(self, position: Any, order: list[Any], depth: int) -> dict[Any, int]:
        scores: dict[Any, int] = {}
        best = -INFINITE
        for move in order:
            # One less than the best, so that a move that is just as good is told from a worse one.
            scores[move] = -self._score(position.play(move), depth - 1, 1, -INFINITE, 1 - best)
            best = max(best, scores[move])
        return scores

    def _score(self, position: Any, depth: int, ply: int, alpha: int, beta: int) -> int:
        """What the mover can reach, exact between alpha and beta and a bound outside."""
        self._spend()
        value = value_of_end(position) or self.oracle.recall(position)
        if value is not None:
            return score_of(value, ply)
        if depth == 0:
            return self.evaluate(position)
        known = self._memory.get(position)
        if known is not None and known.depth >= depth:
            score = _seen_from(known.score, -ply)
            if (known.is_at_least and score >= beta) or (known.is_at_most and score <= alpha):
                return score
            if known.is_at_least and known.is_at_most:
                return score
        best, best_move, lowest = -INFINITE, None, alpha
        for move in self._ordered(position, known):
            score = -self._score(position.play(move), depth - 1, ply + 1, -beta, -lowest)
            if score > best:
                best, best_move = score, move
            lowest = max(lowest, best)
            if best >= beta:
                break
        self._memory[position] = Remembered(
            depth, _seen_from(best, ply), best > alpha, best < beta, best_move
        )
        return best

    def _ordered(self, position: Any, known: Remembered | None) -> list[Any]:
        """Legal moves, what was best before first, then those that take a man."""
        moves: list[Any] = position.legal_moves()
        best = None if known is None else known.move
        return sorted(moves, key=lambda move: (move != best, not _takes(move)))

    def _spend(self) -> None:
        self.nodes += 1
        if self.limit.nodes is not None and self.nodes > self.limit.nodes:
            raise OutOfBudget
        is_time_to_look = self.limit.time is not None and self.nodes % NODES_A_LOOK == 0
        if is_time_to_look and time.perf_counter() - self._began >= (self.limit.time or 0):
            raise OutOfBudget


def score_of(value: Value, ply: int = 0) -> int:
    """A score for an exact value, found so many plies after the position that is searched."""
    if value.result == "draw":
        return 0
    distance = ply + (value.depth or 0)
    return WIN - distance if value.result == "win" else distance - WIN


def plies_to_end(score: int) -> int | None:
    """How far off the end is that a score promises; None if it promises nothing."""
    return WIN - abs(score) if abs(score) >= DECIDED else None


def _seen_from(score: int, ply: int) -> int:
    """A score with its distance to the end counted from a position so many plies on."""
    if abs(score) < DECIDED:
        return score
    return score + ply if score > 0 else score - ply


def _takes(move: Any) -> bool:
    return getattr(move, "take", None) is not None or getattr(move, "is_capture", False)
