"""Exact values of positions and lines, and puzzles made from them, in a worker process."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from ludus.core.errors import LudusError
from ludus.core.game import CHANCE, Position
from ludus.oracle.oracle import Oracle, Unsolved
from ludus.oracle.selection import oracle_for
from ludus.web.errors import WorkerUnavailable
from ludus.web.worker_cache import load_game, load_position


@lru_cache(maxsize=16)
def load_oracle(game: str, rules: str) -> Oracle:
    """Return the oracle of a game; cached, so that games are solved once."""
    return oracle_for(load_game(game, rules))


def compute_values(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return the verdict on a position and its moves, or on each position of the line."""
    try:
        oracle = load_oracle(job["game"], job["rules"])
    except LudusError as error:
        return {"known": False, "why": str(error), "line": []}
    if job["line"]:
        return {"known": True, "why": "", "line": _line_values(oracle, job)}
    position = load_position(job)
    if position.outcome() is not None or position.mover == CHANCE:
        return {"known": False, "why": "there is no move to choose here", "line": []}
    try:
        verdict = oracle.verdict(position)
    except Unsolved as error:
        return {"known": False, "why": str(error), "line": []}
    return {"known": True, "why": f"solved {oracle.coverage}", "line": [], **verdict.to_json()}


def _line_values(oracle: Oracle, job: Mapping[str, Any]) -> list[dict[str, Any] | None]:
    """Return the value of each position from the start; None where it is unknown."""
    values: list[dict[str, Any] | None] = []
    for size in range(len(job["moves"]) + 1):
        position = load_position({**job, "moves": job["moves"][:size]})
        is_known = position.mover != CHANCE and oracle.has_value(position)
        values.append(oracle.value(position).to_json() if is_known else None)
    return values


GRADES = (1, 2, 3)
"""Easy, medium, hard."""

MAX_TRIES = 40_000

BATCH_SIZE = 250
"""Positions looked up at once."""

VALUE_OF_KIND = {"win": "win", "hold": "draw"}
"""Value of the positions used for each kind of puzzle."""

MIN_LEGAL_MOVES = 3
"""Positions with fewer moves are too easy."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position in which exactly one legal move keeps the value.

    Kind `win` requires the only winning move, `hold` the only move that does not lose.
    """

    position: Position
    kind: str
    solution: str
    plies: int | None
    """Plies to the end of the game, for a win."""

    num_moves: int

    @property
    def grade(self) -> int:
        """Difficulty by the plies to the end or, if unknown, by the number of legal moves."""
        measure = self.plies if self.plies is not None else self.num_moves
        bounds = (5, 11) if self.plies is not None else (6, 12)
        return 1 + sum(measure > bound for bound in bounds)


def make_puzzle(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first puzzle of a kind and grade that the seed leads to.

    Positions come from a seeded generator, so the same seed (or day) always gives the same puzzle:
    from the endgames that every installation has and, where the whole game is solved, from fuller
    boards.
    """
    game, oracle = load_game(job["game"], job["rules"]), load_oracle(job["game"], job["rules"])
    positions = game.puzzle_positions(random.Random(job["seed"]), oracle.has_value(game.start()))
    for _ in range(MAX_TRIES // BATCH_SIZE):
        for position in _with_value(oracle, list(islice(positions, BATCH_SIZE)), job["kind"]):
            puzzle = try_puzzle(oracle, position, job["kind"])
            if puzzle is not None and puzzle.grade == job["grade"]:
                return {
                    "position": str(puzzle.position),
                    "kind": puzzle.kind,
                    "solution": puzzle.solution,
                    "grade": puzzle.grade,
                    "plies": puzzle.plies,
                }
    raise WorkerUnavailable(
        f"there seems to be no such puzzle in {game.id}; try another kind or grade"
    )


def _with_value(oracle: Oracle, positions: list[Position], kind: str) -> list[Position]:
    """Return the positions with the value for this kind of puzzle, by a batched lookup."""
    known = [position for position in positions if position.outcome() is None]
    wanted = VALUE_OF_KIND[kind]
    values = oracle.values(known)
    return [
        position for position, value in zip(known, values, strict=True) if value.result == wanted
    ]


def try_puzzle(oracle: Oracle, position: Position, kind: str) -> Puzzle | None:
    """Return the puzzle of this kind that a position makes, or None."""
    rated = oracle.rate_moves(position)
    best = rated[0]
    is_only = len(rated) >= MIN_LEGAL_MOVES and rated[1].value != best.value
    if best.value != VALUE_OF_KIND[kind] or not is_only:
        return None
    return Puzzle(position, kind, str(best.move), best.depth, len(rated))
