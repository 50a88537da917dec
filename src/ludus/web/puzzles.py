"""Puzzles from exact values: a position where one move alone keeps what can be had.

`win` asks for the one move that wins, `hold` for the one that does not lose. Positions are drawn by
a seeded generator, so a seed, and with it a day, always gives the same puzzle. There are never two
solutions: at every turn of the solver one legal move keeps the value and no other does, as long as
the opponent resists in the way the oracle finds hardest.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ludus.core.errors import LudusError
from ludus.core.game import CHANCE, AnyGame
from ludus.games.nine_mens_morris.notation import Fields
from ludus.oracle.oracle import Oracle, RatedMove, Unsolved
from ludus.web.errors import NoAnswer
from ludus.web.exact import oracle_of
from ludus.web.jobs import game_of

GRADES = (1, 2, 3)
"""Easy, middling, hard."""

MAX_TRIES = 20_000

MAX_LINE = 15
"""Plies along which a solution must stay the only one."""

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
    for number, position in enumerate(_positions(game, random.Random(job["seed"]))):
        if number >= MAX_TRIES:
            break
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


def examined(oracle: Oracle, position: Any, kind: str) -> Puzzle | None:
    """The puzzle that a position makes, if it makes one of this kind."""
    if position.outcome() is not None or position.mover == CHANCE:
        return None
    try:
        rated = oracle.moves(position)
    except Unsolved:
        return None
    best = rated[0]
    wanted = "win" if kind == "win" else "draw"
    if best.value != wanted or len(rated) < FEWEST_MOVES or not _is_only(rated):
        return None
    if kind == "win" and not _stays_only(oracle, position):
        return None
    depth = best.depth if kind == "win" else None
    return Puzzle(position, kind, str(best.move), depth, len(rated))


def _is_only(rated: list[RatedMove]) -> bool:
    return len(rated) == 1 or rated[1].value != rated[0].value


def _stays_only(oracle: Oracle, position: Any) -> bool:
    """Whether one move alone wins at every turn of the solver, against the longest resistance."""
    for ply in range(MAX_LINE):
        rated = oracle.moves(position)
        if ply % 2 == 0 and not _is_only(rated) and not _ends(position, rated[0]):
            return False
        position = position.play(rated[0].move)
        if position.outcome() is not None:
            return True
    return False


def _ends(position: Any, rated: RatedMove) -> bool:
    """The last blow may be dealt in more ways than one."""
    return rated.depth == 1


def _positions(game: AnyGame, rng: random.Random) -> Iterator[Any]:
    if game.id == "nine_mens_morris":
        yield from _endings(game, rng)
    else:
        yield from _on_the_way(game, rng)


def _endings(game: Any, rng: random.Random) -> Iterator[Any]:
    """Men strewn over the board as they may stand near the end of a game."""
    while True:
        counts = rng.randint(3, 4), rng.randint(3, 4)
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
