"""Alpha-beta search in Python with oracle lookups and the static evaluation of the game."""

import time
from dataclasses import dataclass

from ludus.core.game import AnyGame, Move, Position
from ludus.core.player import Limit
from ludus.oracles.interface import Oracle, Value, evaluate_end

WIN_SCORE = 1_000_000
"""The score of a game that is already won; each ply before the end subtracts one."""

DECIDED_SCORE = WIN_SCORE - 10_000
"""Scores of at least this magnitude are proven wins or losses."""

INFINITE_SCORE = 2 * WIN_SCORE

MAX_DEPTH = 64

NODES_PER_CLOCK_CHECK = 64
"""Number of positions visited between two checks of the clock."""


class OutOfBudget(Exception):
    """The limit for this move is reached."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search to a fixed depth."""

    depth: int
    """Plies that were searched completely."""

    scores: dict[Move, int]
    """Move to score: exact for the best moves, an upper bound for the others."""

    @property
    def best(self) -> int:
        return max(self.scores.values())

    @property
    def moves(self) -> list[Move]:
        """The moves with the highest score."""
        return [move for move, score in self.scores.items() if score == self.best]


@dataclass(frozen=True, slots=True)
class TableEntry:
    """Transposition table entry: the bound and best move from an earlier visit."""

    depth: int
    score: int
    is_lower_bound: bool
    is_upper_bound: bool
    move: Move


class AlphaBetaSearch:
    """Iterative deepening within a limit; deterministic if there is no time limit."""

    def __init__(self, game: AnyGame, oracle: Oracle, limit: Limit) -> None:
        self.game = game
        self.oracle = oracle
        self.limit = limit
        self.nodes = 0
        self._began = time.perf_counter()
        self._table: dict[Position, TableEntry] = {}

    def run(self, position: Position) -> SearchResult | None:
        """Return the result of the deepest completed search, or None if none was completed."""
        found = None
        order = position.legal_moves()
        try:
            for depth in range(1, min(self.limit.depth or MAX_DEPTH, MAX_DEPTH) + 1):
                scores = self._search_root(position, order, depth)
                found = SearchResult(depth, {move: scores[move] for move in position.legal_moves()})
                order = sorted(order, key=lambda move: -scores[move])
                if abs(found.best) >= DECIDED_SCORE:
                    break
        except OutOfBudget:
            pass
        return found

    def _search_root(self, position: Position, order: list[Move], depth: int) -> dict[Move, int]:
        scores: dict[Move, int] = {}
        best = -INFINITE_SCORE
        for move in order:
            # The bound is one below the best, to distinguish equally good moves from worse ones.
            scores[move] = -self._search(
                position.play(move), depth - 1, 1, -INFINITE_SCORE, 1 - best
            )
            best = max(best, scores[move])
        return scores

    def _search(self, position: Position, depth: int, ply: int, alpha: int, beta: int) -> int:
        """Return the mover's score: exact between alpha and beta, a bound outside."""
        self._count_node()
        value = evaluate_end(position) or self.oracle.value_if_known(position)
        if value is not None:
            return value_to_score(value, ply)
        if depth == 0:
            return self.game.evaluate(position)
        known = self._table.get(position)
        if known is not None and known.depth >= depth:
            score = _shift_score(known.score, -ply)
            if (known.is_lower_bound and score >= beta) or (
                known.is_upper_bound and score <= alpha
            ):
                return score
            if known.is_lower_bound and known.is_upper_bound:
                return score
        best, best_move, lowest = -INFINITE_SCORE, None, alpha
        for move in self._order_moves(position, known):
            score = -self._search(position.play(move), depth - 1, ply + 1, -beta, -lowest)
            if score > best:
                best, best_move = score, move
            lowest = max(lowest, best)
            if best >= beta:
                break
        self._table[position] = TableEntry(
            depth, _shift_score(best, ply), best > alpha, best < beta, best_move
        )
        return best

    def _order_moves(self, position: Position, known: TableEntry | None) -> list[Move]:
        """Return the legal moves: the earlier best move first, then captures."""
        moves: list[Move] = position.legal_moves()
        best = None if known is None else known.move
        return sorted(moves, key=lambda move: (move != best, not self.game.is_capture(move)))

    def _count_node(self) -> None:
        self.nodes += 1
        if self.limit.nodes is not None and self.nodes > self.limit.nodes:
            raise OutOfBudget
        is_clock_due = self.limit.time is not None and self.nodes % NODES_PER_CLOCK_CHECK == 0
        if is_clock_due and time.perf_counter() - self._began >= (self.limit.time or 0):
            raise OutOfBudget


def value_to_score(value: Value, ply: int = 0) -> int:
    """Return the score at the root of an exact value found at this ply."""
    if value.result == "draw":
        return 0
    distance = ply + (value.depth or 0)
    return WIN_SCORE - distance if value.result == "win" else distance - WIN_SCORE


def score_to_plies(score: int) -> int | None:
    """Return the plies to the end of a proven win or loss; None for other scores."""
    return WIN_SCORE - abs(score) if abs(score) >= DECIDED_SCORE else None


def _shift_score(score: int, ply: int) -> int:
    """Return a score with its distance to the end counted from a position `ply` plies later."""
    if abs(score) < DECIDED_SCORE:
        return score
    return score + ply if score > 0 else score - ply
