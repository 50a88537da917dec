"""The accuracy test (6.3): how often the networks choose the teacher's move."""

from collections.abc import Iterator
from typing import Any

from ludus.datasets import MoveBatch
from ludus.learn.nnmm import MoveClasses, ProportionTable, compute_accuracy, points_to_classes
from ludus.reproduce import Context, Figure, Finding

from .data import HELD_OUT, WHOLE
from .systems import list_systems
from .test_tables import CountsBySet, measure_systems, report_tables

CAPTIONS = {
    WHOLE: "Of all entries of the published expansion, those the networks learned included.",
    HELD_OUT: "Of its last tenth, which networks with the author's split have not learned.",
}
SHOWN = ("TO", "FROM", "FROM not 0", "REMOVE", "REMOVE not 0", "whole move")


def run(context: Context) -> Iterator[Finding]:
    known = list_systems(context, context.published["ways"])
    found = measure_systems(context, known, CAPTIONS, "accuracy", compute_accuracy_table)
    for row in context.published.rows:
        key = row["system"], row["set"]
        if key in found:
            yield from found[key].row(row.name, row["line"])
    for system in known:
        yield from found[system.name, HELD_OUT].row(
            f"{system.name}, {HELD_OUT}: whole move", "whole move"
        )
    yield from report_tables(context, known, found, CAPTIONS)
    yield Figure("Figure 6.21", draw_bars, make_bar_data(context, found), CAPTIONS[WHOLE])


def compute_accuracy_table(entries: MoveBatch, predicted: MoveClasses) -> ProportionTable:
    return compute_accuracy(entries, predicted, points_to_classes(entries.points))


def make_bar_data(context: Context, found: CountsBySet) -> dict[str, Any]:
    """Return the heights of the bars of each system, those of the thesis first."""
    published = {
        row["line"]: row.published for row in context.published.rows if row["system"] == "ours"
    }
    heights = {"thesis": [published[line] for line in SHOWN]}
    for name, where in found:
        if where == WHOLE and name in ("author TFR", "ours"):
            heights[name] = [found[name, where].share(line).percent for line in SHOWN]
    return {"lines": SHOWN, "heights": heights}


def draw_bars(axes: Any, data: dict[str, Any]) -> None:
    heights = data["heights"]
    width = 0.8 / len(heights)
    for number, (name, values) in enumerate(heights.items()):
        places = [place + (number - (len(heights) - 1) / 2) * width for place in range(len(values))]
        axes.bar(places, values, width, label=name)
    axes.set_xticks(range(len(data["lines"])), data["lines"], fontsize=8)
    axes.set_ylabel("accuracy, %")
    axes.set_ylim(0, 100)
    axes.legend()
