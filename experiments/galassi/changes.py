"""What gives the points between the thesis's recipe and ours: each change alone, equal epochs."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ludus.learn import select_device
from ludus.reproduce import Context, Figure, Finding, Measurement, Remark, Table

from .ablation import draw, list_variants, make_key, train_variant
from .stored_rows import fill_cache, load_rows

LINES = ("TO", "FROM", "REMOVE", "REMOVE not 0")
"""Lines of the accuracy test that the table shows, in pipeline."""


def run(context: Context) -> Iterator[Finding]:
    if not context.setting("trains"):
        fill_cache(context, load_rows())
    found: dict[str, Mapping[str, float]] = {}
    for variant in list_variants(context):
        if context.setting("trains"):
            train_variant(context, variant, select_device(context.device, context.jobs))
        row = context.find_cached(make_key(variant, 0))
        if row is not None:
            found[variant["name"]] = row
    missing = [each["name"] for each in list_variants(context) if each["name"] not in found]
    if missing:
        yield Remark(f"Not trained: {'; '.join(missing)}.")
    deviation = compute_deviation(load_rows()["galassi-ablation"])
    yield Remark(
        "One training each. Whole moves of trainings that differ by their seed alone have a"
        f" standard deviation of {deviation:.2f} points in"
        " galassi-ablation."
    )
    first, *_ = found
    for name, row in found.items():
        yield Measurement(f"{name}: whole move, held out", row["accuracy"], count=1, unit="%")
    base = found[first]["accuracy"]
    rows: list[list[Any]] = [
        [
            name,
            round(row["accuracy"], 2),
            round(row["accuracy"] - base, 2),
            *(None if row.get(line) is None else round(row[line], 2) for line in LINES),
        ]
        for name, row in found.items()
    ]
    headings = ("what is taken back", "whole move, %", "difference", *(f"{x}, %" for x in LINES))
    epochs = context.setting("epochs")
    yield Table("Each change alone", headings, rows, f"Of the held-out tenth; {epochs} epochs.")
    yield Figure(
        "Accuracy without each change",
        draw,
        {name: [row["accuracy"]] for name, row in found.items()},
        "Whole moves in pipeline on the held-out tenth.",
    )


def compute_deviation(rows: Mapping[str, Mapping[str, float]]) -> float:
    """Return the deviation between seeds, pooled over the ablation's residual networks."""
    groups: dict[str, list[float]] = {}
    for key, row in rows.items():
        if "symmetric" not in key:
            groups.setdefault(key.rpartition(" ")[0], []).append(row["accuracy"])
    squares = [_sum_squares(values) for values in groups.values()]
    return math.sqrt(math.fsum(squares) / sum(len(values) - 1 for values in groups.values()))


def _sum_squares(values: Sequence[float]) -> float:
    middle = math.fsum(values) / len(values)
    return math.fsum((each - middle) ** 2 for each in values)
