"""Two tests of equal difficulty around learned rules, in a worker process.

Michie's ultra-strong criterion (1988) asks whether a learner can teach its hypothesis to a person,
whose performance then exceeds that of studying the examples alone. A person is tested, reads the
rules that MIGO has learned, and is tested again on other positions of the same kinds.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ludus.core.game import AnyGame
from ludus.learn.migo.explain import explain_program
from ludus.learn.migo.games import StateGraph, format_game_spec
from ludus.learn.migo.inference import Reasoner, Strategy
from ludus.learn.migo.player import make_rule_pictures
from ludus.learn.migo.program import load_shipped_program
from ludus.oracles.interface import Oracle
from ludus.web.drawing import draw_picture
from ludus.web.errors import WorkerUnavailable
from ludus.web.puzzles import VALUE_OF_KIND, Puzzle, describe_task, load_oracle, try_puzzle
from ludus.web.schemas.catalogue import RulesTestTaskView, RulesTestView
from ludus.web.worker_cache import load_game

MAX_POSITIONS = 3_000
"""Positions that are searched for tasks."""

NUM_KINDS = 3
"""Kinds of tasks in a test: those with the longest wins, and draws."""

TASKS_PER_KIND = 2

TaskKind = tuple[str, int]
"""Kind of puzzle, and the plies to the end of a win (0 for a draw)."""


@dataclass
class _TaskPool:
    """Tasks of one kind, no two of them symmetric to each other."""

    puzzles: list[Puzzle] = field(default_factory=list)
    images: set[str] = field(default_factory=set)


def make_rules_test(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rules of a game, an example of each kind of task, and the tasks of both tests."""
    game, oracle = load_game(job["game"], job["rules"]), load_oracle(job["game"], job["rules"])
    program = load_shipped_program(format_game_spec(game), "improved").program
    source = random.Random(job["seed"])
    pools = _collect_tasks(game, oracle, source)
    needed = 2 * TASKS_PER_KIND + 1
    kinds = [kind for kind, pool in pools.items() if len(pool.puzzles) >= needed]
    kinds = sorted(kinds, key=lambda kind: (kind[0] == "win", -kind[1]))[:NUM_KINDS]
    if not kinds:
        raise WorkerUnavailable(f"there are too few positions for a test of {game.id}")
    chosen = {kind: source.sample(pools[kind].puzzles, needed) for kind in kinds}
    strategy = Strategy(Reasoner(StateGraph()), program)
    before = [each[1 : TASKS_PER_KIND + 1] for each in chosen.values()]
    after = [each[TASKS_PER_KIND + 1 :] for each in chosen.values()]
    view = RulesTestView(
        game=game.id,
        title=game.title,
        rules=job["rules"],
        sentences=explain_program(program),
        clauses=[str(clause) for clause in program.clauses],
        examples=[
            draw_picture(each[0].position, picture)
            for each in chosen.values()
            for picture in make_rule_pictures(strategy, game, each[0].position)[:1]
        ],
        before=_list_tasks(game, source, before),
        after=_list_tasks(game, source, after),
    )
    return view.model_dump()


def _collect_tasks(
    game: AnyGame, oracle: Oracle, source: random.Random
) -> dict[TaskKind, _TaskPool]:
    """Return tasks by their kind, from positions of random games."""
    pools: dict[TaskKind, _TaskPool] = defaultdict(_TaskPool)
    positions = game.puzzle_positions(source, oracle.has_value(game.start()))
    for position in islice(positions, MAX_POSITIONS):
        if position.outcome() is not None:
            continue
        for puzzle in _find_puzzles(game, oracle, position):
            pool = pools[puzzle.kind, puzzle.plies if puzzle.kind == "win" and puzzle.plies else 0]
            image = min(str(game.transform(position, each)) for each in game.symmetries())
            if image not in pool.images:
                pool.images.add(image)
                pool.puzzles.append(puzzle)
    return pools


def _find_puzzles(game: AnyGame, oracle: Oracle, position: Any) -> Iterator[Puzzle]:
    for kind in VALUE_OF_KIND:
        puzzle = try_puzzle(game, oracle, position, kind)
        if puzzle is not None:
            yield puzzle


def _list_tasks(
    game: AnyGame, source: random.Random, groups: list[list[Puzzle]]
) -> list[RulesTestTaskView]:
    """Return the tasks of one test in random order."""
    tasks = [
        RulesTestTaskView(position=str(puzzle.position), task=describe_task(game, puzzle))
        for group in groups
        for puzzle in group
    ]
    source.shuffle(tasks)
    return tasks
