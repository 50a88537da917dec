"""Tuning on the whole dataset (6.2): the networks for TO, FROM and REMOVE."""

from collections.abc import Iterator, Mapping
from typing import Any

from ludus.reproduce import Conclusion, Context, Finding

from .network_training import find_best_epoch
from .stored_rows import load_rows
from .tuning import (
    Curves,
    describe,
    draw_series,
    get_best,
    is_greater,
    judge_greater,
    judge_similar,
    judge_sooner,
    run_series,
)

TO = [f"table-6.8-{number}" for number in (1, 2, 3, 4)]
FROM = [f"table-6.9-{number}" for number in (1, 2, 3)]
REMOVE = [f"table-6.10-{number}" for number in (1, 2)]


def run(context: Context) -> Iterator[Finding]:
    yield from run_series(context, draw, judge)


def judge(curves: Curves) -> Iterator[Conclusion]:
    """Judge what the text of 6.2 says about its figures."""
    yield judge_similar("6.2.1: the four TO trainings differ by less than 1 point", curves, TO)
    yield judge_greater("6.2.1: the first TO network is the best", curves, TO[:1], TO[1:])
    yield judge_more_entries(curves)
    yield judge_sooner("6.2.1: the first TO training is the longest", curves, TO[1:], TO[:1])
    yield judge_similar(
        "6.2.2: the FROM trainings reach similar results, within 1 point", curves, FROM
    )
    yield judge_greater("6.2.2: the first FROM network is the best", curves, FROM[:1], FROM[1:])
    yield judge_sooner("6.2.2: the first FROM training is the fastest", curves, FROM[:1], FROM[1:])
    yield judge_similar(
        "6.2.3: the REMOVE trainings reach almost the same, within 1 point", curves, REMOVE
    )
    yield judge_greater(
        "6.2.3: the deeper REMOVE network without dropout is better", curves, REMOVE[1:], REMOVE[:1]
    )
    yield judge_sooner(
        "6.2.3: the deeper REMOVE network is trained sooner", curves, REMOVE[1:], REMOVE[:1]
    )


def judge_more_entries(curves: Curves) -> Conclusion:
    """Compare the best TO network with the best one of 6.1, whose curves are stored as well."""
    text = "6.2.1: the best TO network is better than the best one on part of the dataset"
    found = get_best(curves, TO)
    partial = [find_best_epoch(row)[0] for row in load_rows().get("galassi-partial", {}).values()]
    if not found or not partial:
        return Conclusion(text, None, describe(found, TO))
    best = max(found.values())
    evidence = f"{best:.2f}% against {max(partial):.2f}%"
    return Conclusion(text, is_greater(best, max(partial)), evidence)


def draw(axes: Any, data: Mapping[str, Any]) -> None:
    draw_series(axes, data)
