"""Tuning on part of the dataset (6.1): dropout, width, depth, and the three architectures."""

from collections.abc import Iterator, Mapping
from typing import Any

from ludus.reproduce import Conclusion, Context, Finding

from .network_training import find_best_epoch
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

INPUT_DROPOUT = [f"table-6.1-dropout-{percent}" for percent in (0, 10, 20, 50)]
NARROW, WIDE = "table-6.2-width-200-50", "table-6.2-width-1000"
"""The layers of Table 6.1, and the widest ones."""

DEPTHS = [f"table-6.4-blocks-{number}" for number in (1, 3, 10, 30)]
RESIDUAL, FEED_FORWARD, DENSE = (f"table-6.{number}" for number in (5, 6, 7))


def run(context: Context) -> Iterator[Finding]:
    yield from run_series(context, draw, judge)


def judge(curves: Curves) -> Iterator[Conclusion]:
    """Judge what the text of 6.1 says about its figures."""
    yield judge_slower_training(curves)
    yield judge_greater(
        "6.1.1: a low input dropout leads to a better final result",
        curves,
        INPUT_DROPOUT[1:2],
        INPUT_DROPOUT[:1],
    )
    yield judge_end_of_training(curves)
    yield judge_greater(
        "6.1.1: too many neurons lead to worse performance, by the best epoch",
        curves,
        [NARROW],
        [WIDE],
    )
    for place, low, high in (("first layer", "0-10", "0-50"), ("following layers", "10-0", "50-0")):
        yield judge_greater(
            f"6.1.2: much dropout in the {place} of residual networks is worse than little",
            curves,
            [f"table-6.3-dropout-{low}"],
            [f"table-6.3-dropout-{high}"],
        )
    yield judge_similar(
        "6.1.2: the depth of residual networks makes little difference, less than 1 point",
        curves,
        DEPTHS,
    )
    yield judge_similar(
        "6.1.3: residual and feed-forward networks give similar results, within 1 point",
        curves,
        [RESIDUAL, FEED_FORWARD],
    )
    yield judge_greater(
        "6.1.3: residual and feed-forward networks are better than dense ones",
        curves,
        [RESIDUAL, FEED_FORWARD],
        [DENSE],
    )
    yield judge_sooner(
        "6.1.3: the residual network reaches its best accuracy sooner than the feed-forward one",
        curves,
        [RESIDUAL],
        [FEED_FORWARD],
    )


def judge_slower_training(curves: Curves) -> Conclusion:
    """Compare the epochs that the network without dropout takes to the others' best accuracies."""
    text = "6.1.1: with input dropout a certain accuracy takes more epochs"
    found = get_best(curves, INPUT_DROPOUT)
    if len(found) < len(INPUT_DROPOUT):
        return Conclusion(text, None, describe(found, INPUT_DROPOUT))
    verdicts, parts = [], []
    for name in INPUT_DROPOUT[1:]:
        best, epoch = find_best_epoch(curves[name])
        accuracies = curves[INPUT_DROPOUT[0]]["accuracy"]
        without = next((n for n, each in enumerate(accuracies, 1) if each >= best), None)
        verdicts.append(without is not None and without < epoch)
        percent = name.rpartition("-")[2]
        parts.append(f"{best:.1f}% after {epoch} epochs with {percent}%, {without} without dropout")
    return Conclusion(text, all(verdicts), "; ".join(parts))


def judge_end_of_training(curves: Curves) -> Conclusion:
    """Compare the last epochs, in which wide networks have fitted the training entries too well."""
    names = [NARROW, WIDE]
    last = {name: curves[name]["accuracy"][-1] for name in names if name in curves}
    return Conclusion(
        "6.1.1: too many neurons lead to worse performance, at the end of 100 epochs",
        is_greater(last[NARROW], last[WIDE]) if len(last) == len(names) else None,
        describe(last, names),
    )


def draw(axes: Any, data: Mapping[str, Any]) -> None:
    draw_series(axes, data)
