"""Evidence of the authors' curves about details that the paper leaves open.

Each reading is a learner and a way to draw start boards. It is judged by the likelihood of the
published mean and deviation at a few games, as those of the same number of our runs.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from ludus.learn import RunResult
from ludus.reproduce import (
    Context,
    Finding,
    Measurement,
    PublishedRow,
    Remark,
    Table,
    require_package,
)

from .runs import accumulate_regret, collect_runs, get_final_regrets
from .significance_tests import summarize

DRAWS = {
    "uniform": "drawn anew",
    "shuffled": "in turn",
    "one": "one a run",
    "authors": "those of the authors' files",
    "authors_first": "the first of each of the authors' files",
}
LEAST = 0.3
"""Smaller deviations are taken for this one: runs that end alike would rule everything else out."""


def run(context: Context) -> Iterator[Finding]:
    for row in context.published.rows:
        readings = [(learner, draw) for learner in row["learners"] for draw in DRAWS]
        found = {each: _collect_runs(context, row, *each) for each in readings}
        scores = {each: compute_log_likelihood(row, marks) for each, marks in found.items()}
        order = sorted(readings, key=lambda each: -scores[each])
        best = order[0]
        note = f"{best[0]}, boards {DRAWS[best[1]]}"
        yield Measurement.mean(row.name, get_final_regrets(found[best]), note, "regret")
        games = [str(point) for point, _, _ in row["curve"]]
        rows: list[list[Any]] = [
            ["published", "", None, *(_format_mean(mean, std) for _, mean, std in row["curve"])]
        ]
        rows += [
            [learner, DRAWS[draw], scores[learner, draw], *_make_row(row, found[learner, draw])]
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


def _collect_runs(context: Context, row: PublishedRow, learner: str, draw: str) -> list[RunResult]:
    course = {**row.extra, "learner": learner, "draw": draw}
    return collect_runs(
        context, course, int(context.setting("runs")), f"{row.name} {learner} {draw}"
    )


def compute_log_likelihood(row: PublishedRow, found: Sequence[RunResult]) -> float:
    """Return the log-likelihood of the published means and deviations, if runs vary as ours do."""
    stats = require_package("scipy.stats", "the likelihood of curves")
    runs = row["published_runs"]
    total = 0.0
    for point, mean, deviation in row["curve"]:
        ours = summarize([accumulate_regret(each)[point - 1] for each in found])
        spread = max(ours.sample_deviation, LEAST)
        # Our own mean is uncertain, too.
        error = spread * math.sqrt(1 / runs + 1 / ours.runs)
        total += float(stats.norm.logpdf(mean, ours.mean, error))
        total += float(stats.chi2.logpdf(runs * max(deviation, LEAST) ** 2 / spread**2, runs - 1))
    return total


def _make_row(row: PublishedRow, found: Sequence[RunResult]) -> list[Any]:
    cells = []
    for point, _, _ in row["curve"]:
        ours = summarize([accumulate_regret(each)[point - 1] for each in found])
        cells.append(_format_mean(ours.mean, ours.deviation))
    return cells


def _format_mean(mean: float, deviation: float) -> str:
    return f"{mean:.1f} ({deviation:.1f})"
