"""What the authors' curves say about details that the paper leaves open.

Each reading is a learner and a way to draw start boards. It is judged by the likelihood of the
published mean and deviation at a few games, as those of so many runs of ours.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from scipy import stats

from ludus.learn.common.runs import RunResult
from ludus.reproduce import Context, Finding, Measurement, PublishedRow, Remark, Table

from .claims import summary
from .runs import cumulative, finals, marks_of

DRAWS = {"uniform": "drawn anew", "shuffled": "in turn", "one": "one a run"}
LEAST = 0.3
"""Smaller deviations are taken for this one: runs that end alike would rule everything else out."""


def run(context: Context) -> Iterator[Finding]:
    for row in context.published.rows:
        readings = [(learner, draw) for learner in row["learners"] for draw in DRAWS]
        found = {each: _runs(context, row, *each) for each in readings}
        scores = {each: log_likelihood(row, marks) for each, marks in found.items()}
        order = sorted(readings, key=lambda each: -scores[each])
        best = order[0]
        note = f"{best[0]}, boards {DRAWS[best[1]]}"
        yield Measurement.mean(row.name, finals(found[best]), note, "regret")
        games = [str(point) for point, _, _ in row["curve"]]
        rows = [["published", "", None, *(_shown(mean, std) for _, mean, std in row["curve"])]]
        rows += [
            [learner, DRAWS[draw], scores[learner, draw], *_at(row, found[learner, draw])]
            for learner, draw in order
        ]
        yield Table(
            row.name,
            ("learner", "boards", "log-likelihood", *(f"after {each}" for each in games)),
            rows,
            "Mean cumulative regret and its standard deviation, the best reading first.",
        )
        gap = scores[best] - scores[order[1]]
        yield Remark(
            f"{row.name}: {note} fits best, by {gap:.1f} before {order[1][0]}, boards "
            f"{DRAWS[order[1][1]]}."
        )


def _runs(context: Context, row: PublishedRow, learner: str, draw: str) -> list[RunResult]:
    course = {**row.extra, "learner": learner, "draw": draw}
    return marks_of(context, course, int(context.setting("runs")), f"{row.name} {learner} {draw}")


def log_likelihood(row: PublishedRow, found: Sequence[RunResult]) -> float:
    """Of the published means and deviations, if runs vary as ours do."""
    runs = row["published_runs"]
    total = 0.0
    for point, mean, deviation in row["curve"]:
        ours = summary([cumulative(each)[point - 1] for each in found])
        spread = max(ours.sample_deviation, LEAST)
        # Our own mean is uncertain, too.
        error = spread * math.sqrt(1 / runs + 1 / ours.runs)
        total += float(stats.norm.logpdf(mean, ours.mean, error))
        total += float(stats.chi2.logpdf(runs * max(deviation, LEAST) ** 2 / spread**2, runs - 1))
    return total


def _at(row: PublishedRow, found: Sequence[RunResult]) -> list[Any]:
    told = []
    for point, _, _ in row["curve"]:
        ours = summary([cumulative(each)[point - 1] for each in found])
        told.append(_shown(ours.mean, ours.deviation))
    return told


def _shown(mean: float, deviation: float) -> str:
    return f"{mean:.1f} ({deviation:.1f})"
