"""The training runs behind all figures, each cached when it ends.

Start boards are sampled, or `authors`: those of the authors' run of the same number, from their
published input files; or `authors_first`: only the board number 0 of that file, for all games. The
latter is what the authors' `her.pl` does: it asks for `board(K,B)` with K unbound, which Prolog
always answers by the first board of the file.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from ludus.learn import RunConfig, RunResult, run_trainings
from ludus.reproduce import Context

BLOCK = 20
"""Runs that are kept together: a killed experiment loses no more."""


def collect_runs(
    context: Context, course: Mapping[str, Any], runs: int, label: str
) -> list[RunResult]:
    """Run a config this number of times; equal run numbers have equal start boards."""
    found: list[RunResult] = []
    for first in range(0, runs, BLOCK):
        context.progress(first, runs, label)
        numbers = range(first, min(first + BLOCK, runs))
        courses = [make_run_config(course, context.seed, number) for number in numbers]
        key = f"{label} {asdict(courses[0])} and {len(courses) - 1} more"

        def compute(courses: list[RunConfig] = courses) -> list[Any]:
            return [_run_as_json(each) for each in run_trainings(courses, context.pool)]

        found += [RunResult(**each) for each in context.cached(key, compute)]
    return found


def make_run_config(fields: Mapping[str, Any], seed: int, number: int) -> RunConfig:
    """Return the config of a training run from a row of a TOML file and the number of the run."""
    earlier = fields.get("after")
    draw = fields.get("draw", "uniform")
    starts = list_authors_boards(fields["game"], number) if draw in AUTHORS_DRAWS else ()
    return RunConfig(
        learner=fields["learner"],
        game=add_preset(fields["game"], fields.get("preset", "")),
        games=fields["games_a_run"],
        seed=100_000 * seed + number,
        draw="listed" if starts else draw,
        starts=starts[-1:] if draw == "authors_first" else starts,
        after=None if earlier is None else make_run_config(earlier, seed, number),
    )


def add_preset(game: str, preset: str) -> str:
    """The spec of a game with rules of a preset."""
    name, _, options = game.partition(":")
    rules = ",".join(filter(None, (preset, options)))
    return f"{name}:{rules}" if rules else name


AUTHORS_DRAWS = ("authors", "authors_first")


def list_authors_boards(game: str, number: int) -> tuple[str, ...]:
    """The start boards of one of the authors' runs in the order of play; runs repeat themselves."""
    facts = _read_authors_boards()[game.partition(":")[0]]
    runs = facts["runs"]
    return tuple(facts["boards"][ord(letter) - ord("a")] for letter in runs[number % len(runs)])


@lru_cache(maxsize=1)
def _read_authors_boards() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("authors_boards.toml").read_text("utf-8"))


def accumulate_regret(marks: RunResult) -> list[int]:
    """The regret of all games up to each one."""
    return list(_accumulate(marks.regret))


def get_final_regrets(found: list[RunResult]) -> list[int]:
    """The cumulative regret at the end of each run."""
    return [sum(each.regret) for each in found]


def _accumulate(numbers: list[int]) -> Iterator[int]:
    total = 0
    for number in numbers:
        total += number
        yield total


def _run_as_json(marks: RunResult) -> dict[str, Any]:
    """Return a run as JSON, with times rounded to microseconds."""
    return {**asdict(marks), "seconds": [round(each, 6) for each in marks.seconds]}
