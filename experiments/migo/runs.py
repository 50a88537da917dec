"""The runs behind all figures: courses of learners, kept as they end."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from ludus.learn.common.runs import RunConfig, RunResult, run_trainings
from ludus.reproduce import Context

BLOCK = 20
"""Runs that are kept together: a killed experiment loses no more."""


def marks_of(context: Context, course: Mapping[str, Any], runs: int, label: str) -> list[RunResult]:
    """So many runs of a course; the same number of a run means the same start boards to all."""
    found: list[RunResult] = []
    for first in range(0, runs, BLOCK):
        context.progress(first, runs, label)
        numbers = range(first, min(first + BLOCK, runs))
        courses = [course_of(course, context.seed, number) for number in numbers]
        key = f"{label} {asdict(courses[0])} and {len(courses) - 1} more"

        def compute(courses: list[RunConfig] = courses) -> list[Any]:
            return [_as_json(each) for each in run_trainings(courses, context.jobs)]

        found += [RunResult(**each) for each in context.cached(key, compute)]
    return found


def course_of(fields: Mapping[str, Any], seed: int, number: int) -> RunConfig:
    """A course as a row of a TOML file describes it, with the number of the run."""
    earlier = fields.get("after")
    return RunConfig(
        learner=fields["learner"],
        game=fields["game"],
        games=fields["games_a_run"],
        seed=100_000 * seed + number,
        draw=fields.get("draw", "uniform"),
        after=None if earlier is None else course_of(earlier, seed, number),
    )


def cumulative(marks: RunResult) -> list[int]:
    """The regret of all games up to each one."""
    return list(_sums(marks.regret))


def finals(found: list[RunResult]) -> list[int]:
    """The cumulative regret at the end of each run."""
    return [sum(each.regret) for each in found]


def _sums(numbers: list[int]) -> Iterator[int]:
    total = 0
    for number in numbers:
        total += number
        yield total


def _as_json(marks: RunResult) -> dict[str, Any]:
    """Microseconds are enough."""
    return {**asdict(marks), "seconds": [round(each, 6) for each in marks.seconds]}
