"""The runs behind all figures: courses of learners, kept as they end."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
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
            return [_run_as_json(each) for each in run_trainings(courses, context.jobs)]

        found += [RunResult(**each) for each in context.cached(key, compute)]
    return found


def make_run_config(fields: Mapping[str, Any], seed: int, number: int) -> RunConfig:
    """A course as a row of a TOML file describes it, with the number of the run."""
    earlier = fields.get("after")
    return RunConfig(
        learner=fields["learner"],
        game=fields["game"],
        games=fields["games_a_run"],
        seed=100_000 * seed + number,
        draw=fields.get("draw", "uniform"),
        after=None if earlier is None else make_run_config(earlier, seed, number),
    )


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
    """Microseconds are enough."""
    return {**asdict(marks), "seconds": [round(each, 6) for each in marks.seconds]}
