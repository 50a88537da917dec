"""Puzzles from exact values: a position where one move alone keeps what can be had.

`win` asks for the one move that wins, `hold` for the one that does not lose. Positions are drawn by
a seeded generator, so a seed, and with it a day, always gives the same puzzle. There are never two
solutions: one legal move keeps the value and no other does. They come from the endings that every
installation knows and, where a whole solved game is at hand, from fuller boards.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ludus.core.errors import LudusError
from ludus.core.game import AnyGame
from ludus.games.nine_mens_morris.notation import Fields
from ludus.oracle.oracle import Oracle
from ludus.web.errors import NoAnswer
from ludus.web.exact import oracle_of
from ludus.web.positions import game_of

GRADES = (1, 2, 3)
"""Easy, middling, hard."""

MAX_TRIES = 40_000

BATCH = 250
"""Positions that are looked up at once."""

FEW_MEN, MANY_MEN = 4, 7
"""Men of a side at most: in the endings that are built in, and in a whole solved game."""

VALUES = {"win": "win", "hold": "draw"}
"""What a position is worth in which a kind of puzzle is set."""

FEWEST_MOVES = 3
"""With fewer there is nothing to find."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position, what is asked, and how hard it is."""

    position: Any
    kind: str
    solution: str
    plies: int | None
    """To the end of the game, for a win."""

    num_moves: int

    @property
    def grade(self) -> int:
        """By how far one must see; where no end is in sight, by how much there is to choose."""
        measure = self.plies if self.plies is not None else self.num_moves
        bounds = (5, 11) if self.plies is not None else (6, 12)
        return 1 + sum(measure > bound for bound in bounds)


def make(job: Mapping[str, Any]) -> dict[str, Any]:
    """A puzzle of a kind and a grade, the first one that the seed leads to."""
    game, oracle = game_of(job["game"], job["rules"]), oracle_of(job["game"], job["rules"])
    positions = _positions(game, oracle, random.Random(job["seed"]))
    for _ in range(MAX_TRIES // BATCH):
        for position in _promising(oracle, list(islice(positions, BATCH)), job["kind"]):
            puzzle = examined(oracle, position, job["kind"])
            if puzzle is not None and puzzle.grade == job["grade"]:
                return {
                    "position": str(puzzle.position),
                    "kind": puzzle.kind,
                    "solution": puzzle.solution,
                    "grade": puzzle.grade,
                    "plies": puzzle.plies,
                }
    raise NoAnswer(f"there seems to be no such puzzle in {game.id}; try another kind or grade")


def _promising(oracle: Oracle, positions: list[Any], kind: str) -> list[Any]:
    """The positions that have the value asked for; many are looked up at once, which is quicker."""
    known = [position for position in positions if position.outcome() is None]
    wanted = VALUES[kind]
    values = oracle.values(known)
    return [each for each, value in zip(known, values, strict=True) if value.result == wanted]


def examined(oracle: Oracle, position: Any, kind: str) -> Puzzle | None:
    """The puzzle that a position makes, if it makes one of this kind."""
    rated = oracle.moves(position)
    best = rated[0]
    is_only = len(rated) >= FEWEST_MOVES and rated[1].value != best.value
    if best.value != VALUES[kind] or not is_only:
        return None
    return Puzzle(position, kind, str(best.move), best.depth, len(rated))


def _positions(game: AnyGame, oracle: Oracle, rng: random.Random) -> Iterator[Any]:
    if game.id == "nine_mens_morris":
        yield from _endings(game, MANY_MEN if oracle.knows(game.start()) else FEW_MEN, rng)
    else:
        yield from _on_the_way(game, rng)


def _endings(game: Any, most: int, rng: random.Random) -> Iterator[Any]:
    """Men strewn over the board as they may stand when all have been placed."""
    while True:
        counts = rng.randint(3, most), rng.randint(3, most)
        points = rng.sample(range(24), sum(counts))
        men = frozenset(points[: counts[0]]), frozenset(points[counts[0] :])
        try:
            yield game.position(Fields(men, (0, 0), rng.randint(0, 1), 1, 0))
        except LudusError:
            continue


def _on_the_way(game: AnyGame, rng: random.Random) -> Iterator[Any]:
    """Positions of random games."""
    while True:
        position = game.start()
        while position.outcome() is None:
            yield position
            position = position.play(rng.choice(position.legal_moves()))
