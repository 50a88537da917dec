"""Puzzles with one good move, in a worker process.

Where games end as wins, draws and losses they are made from exact values. Where they are played for
points, the best move must be better than all others by a clear margin: by exact values in endings,
and as the best analyst sees it before.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, Literal

from ludus.core.game import CHANCE, AnyGame, Position
from ludus.games.move_entry import get_move_entry
from ludus.oracles.interface import Oracle, Result
from ludus.oracles.selection import oracle as find_oracle
from ludus.players import player
from ludus.web.errors import WorkerUnavailable
from ludus.web.evaluations import describe_tables, load_analyst
from ludus.web.schemas.catalogue import PuzzleView
from ludus.web.worker_cache import load_game


def load_oracle(game: str, rules: str) -> Oracle:
    """Return the oracle of a game; cached, so that games are solved once."""
    return _make_oracle(game, rules, describe_tables())


@lru_cache(maxsize=16)
def _make_oracle(game: str, rules: str, tables: tuple[tuple[str, int], ...]) -> Oracle:
    return find_oracle(load_game(game, rules))


GRADES = (1, 2, 3)
"""Easy, medium, hard."""

MAX_TRIES = 40_000

BATCH_SIZE = 250
"""Positions looked up at once."""

PuzzleKind = Literal["win", "hold", "best", "ending"]

VALUE_OF_KIND: dict[PuzzleKind, Result] = {"win": "win", "hold": "draw"}
"""Value of the positions used for each kind of puzzle in games without points."""

KINDS_IN_POINTS: tuple[PuzzleKind, ...] = ("best", "ending")
"""Kinds of puzzles in games for points: in a game, and in endings with exact values."""

CLEAR_MARGIN = 0.08
"""Points by which the best move must be better than all others, as an analyst estimates them."""

CANDIDATE_MARGIN = 0.1
"""The same as a network sees it at first sight, which selects the positions to analyse."""

OPENING_MOVES = 4
"""Moves at the start of a game that make no puzzles: they are the same in many games."""

CANDIDATE_SHARE = 0.3
"""Part of the candidates that are taken, so that one game does not give all puzzles of a seed."""

PLAIN_MARGINS = (0.12, 0.2)
"""Margins from which a puzzle is of medium difficulty, and easy."""

MIN_LEGAL_MOVES = 3
"""Positions with fewer moves are too easy."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position in which exactly one legal move keeps the value.

    Kind `win` requires the only winning move, `hold` the only move that does not lose.
    """

    position: Position
    kind: PuzzleKind
    solution: str
    plies: int | None
    """Plies to the end of the game, for a win."""

    num_moves: int

    margin: float | None = None
    """Points that every other move gives away at least, in games for points."""

    source: str = ""
    """What evaluates the moves; empty for exact values."""

    @property
    def grade(self) -> int:
        """Difficulty by the margin, the plies to the end, or else the number of legal moves."""
        if self.margin is not None:
            return 3 - sum(self.margin >= bound for bound in PLAIN_MARGINS)
        measure = self.plies if self.plies is not None else self.num_moves
        bounds = (5, 11) if self.plies is not None else (6, 12)
        return 1 + sum(measure > bound for bound in bounds)


TASKS: dict[PuzzleKind, str] = {
    "win": "{side} to move: only one move wins. Find it.",
    "hold": "{side} to move: only one move draws. Find it.",
    "best": "{side} to play {dice}: one move is clearly the best. Find it.",
    "ending": "{side} to play {dice}: one move is the best. Find it.",
}


def describe_task(game: AnyGame, puzzle: Puzzle) -> str:
    """Return what a person has to find."""
    side = game.sides[puzzle.position.mover].capitalize()
    dice = " and ".join(map(str, game.dice(puzzle.position) or ()))
    return TASKS[puzzle.kind].format(side=side, dice=dice)


def make_puzzle(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first puzzle of a kind and grade that the seed leads to.

    Positions come from a seeded generator, so the same seed (or day) always gives the same puzzle:
    from the endgames that every installation has and, where the whole game is solved, from fuller
    boards.
    """
    game = load_game(job["game"], job["rules"])
    find = _find_puzzles_in_points if game.is_in_points else _find_puzzles
    for puzzle in find(game, job):
        if puzzle.grade == job["grade"]:
            view = PuzzleView(
                game=job["game"],
                rules=job["rules"],
                position=str(puzzle.position),
                svg=puzzle.position.drawing().svg(has_style=False),
                kind=puzzle.kind,
                task=describe_task(game, puzzle),
                grade=puzzle.grade,
                plies=puzzle.plies,
                side=puzzle.position.mover,
                margin=puzzle.margin,
                source=puzzle.source,
            )
            return {**view.model_dump(), "solution": puzzle.solution}
    raise WorkerUnavailable(
        f"there seems to be no such puzzle in {game.id}; try another kind or grade"
    )


def _find_puzzles(game: AnyGame, job: Mapping[str, Any]) -> Iterator[Puzzle]:
    """Yield puzzles of one kind from exact values."""
    oracle = load_oracle(job["game"], job["rules"])
    positions = game.puzzle_positions(random.Random(job["seed"]), oracle.has_value(game.start()))
    for _ in range(MAX_TRIES // BATCH_SIZE):
        for position in _with_value(oracle, list(islice(positions, BATCH_SIZE)), job["kind"]):
            puzzle = try_puzzle(game, oracle, position, job["kind"])
            if puzzle is not None:
                yield puzzle


MAX_ANALYSED = 200
"""Positions of games for points that are analysed for one puzzle."""


def _find_puzzles_in_points(game: AnyGame, job: Mapping[str, Any]) -> Iterator[Puzzle]:
    """Yield puzzles of one kind in which one move is clearly the best."""
    source, kind = random.Random(job["seed"]), job["kind"]
    if kind not in KINDS_IN_POINTS:
        return
    analyst = load_analyst(job["game"], job["rules"])
    is_ending = kind == "ending"
    positions = game.puzzle_positions(source, False) if is_ending else _play_on(game, source)
    for position in islice(positions, MAX_ANALYSED):
        analysis = analyst.analyse(position).to_json()
        best, *others = analysis["moves"]
        is_exact = all(each["certainty"] == "exact" for each in analysis["moves"])
        if len(others) + 1 < MIN_LEGAL_MOVES or is_ending > is_exact:
            continue
        margin = min(each["cost"] for each in others)
        if all(each["mark"] for each in others) and (is_exact or margin >= CLEAR_MARGIN):
            by = "" if is_exact else analysis["source"]
            yield Puzzle(position, kind, best["move"], None, len(others) + 1, margin, by)


def _play_on(game: AnyGame, source: random.Random) -> Iterator[Any]:
    """Yield positions of games of a network in which it sees one move far above the others."""
    network = player(game.luck_analyst, game)
    while True:
        position, num_moves = game.start(), 0
        while position.outcome() is None:
            if position.mover == CHANCE:
                rolls, weights = zip(*game.chances(position), strict=True)
                position = position.play(source.choices(rolls, weights)[0])
                continue
            choice = network.choose(position)
            best, second, *_ = (*sorted(choice.scores.values(), reverse=True), 0.0, 0.0)
            num_moves += 1
            is_clear = best - second >= CANDIDATE_MARGIN and len(choice.scores) >= MIN_LEGAL_MOVES
            # The first side plays from the near side of the board.
            is_candidate = is_clear and position.mover == 0 and num_moves > OPENING_MOVES
            if is_candidate and source.random() < CANDIDATE_SHARE:
                yield position
            position = position.play(choice.move)


NUM_SEARCHED = 1_000
"""Positions among which the kinds of puzzles of a game are looked for."""


@lru_cache(maxsize=16)
def _find_puzzle_kinds(game: str, rules: str) -> tuple[tuple[PuzzleKind, int], ...]:
    named = load_game(game, rules)
    if named.is_in_points:
        return tuple((kind, grade) for kind in KINDS_IN_POINTS for grade in GRADES)
    oracle = load_oracle(game, rules)
    positions = named.puzzle_positions(random.Random(0), oracle.has_value(named.start()))
    found: set[tuple[PuzzleKind, int]] = set()
    searched = list(islice(positions, NUM_SEARCHED))
    for kind in VALUE_OF_KIND:
        for position in _with_value(oracle, searched, kind):
            puzzle = try_puzzle(named, oracle, position, kind)
            if puzzle is not None:
                found.add((kind, puzzle.grade))
            if len(found & {(kind, grade) for grade in GRADES}) == len(GRADES):
                break
    return tuple(sorted(found, key=lambda each: (list(VALUE_OF_KIND).index(each[0]), each[1])))


def list_puzzle_kinds(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return the kinds and grades of puzzles that a game has."""
    found = _find_puzzle_kinds(job["game"], job["rules"])
    return {"puzzles": [{"kind": kind, "grade": grade} for kind, grade in found]}


def _with_value(oracle: Oracle, positions: Sequence[Position], kind: PuzzleKind) -> list[Position]:
    """Return the positions with the value for this kind of puzzle, by a batched lookup."""
    known = [position for position in positions if position.outcome() is None]
    wanted = VALUE_OF_KIND[kind]
    values = oracle.values(known)
    return [
        position for position, value in zip(known, values, strict=True) if value.result == wanted
    ]


def try_puzzle(
    game: AnyGame, oracle: Oracle, position: Position, kind: PuzzleKind
) -> Puzzle | None:
    """Return the puzzle of this kind that a position makes, or None.

    Moves that differ only in the man they take are one: a mill that wins may take any man.
    """
    rated = oracle.rate_moves(position)
    best, find_paths = rated[0], get_move_entry(game).paths
    ways = {find_paths(each.move) for each in rated}
    right = {find_paths(each.move) for each in rated if each.value == best.value}
    if best.value != VALUE_OF_KIND[kind] or len(ways) < MIN_LEGAL_MOVES or len(right) > 1:
        return None
    return Puzzle(position, kind, str(best.move), best.depth, len(ways))
