"""The accuracy test (6.3): how often the networks choose the teacher's move."""

from collections.abc import Iterator, Mapping
from typing import Any

from ludus.datasets import MoveBatch
from ludus.learn.nnmm import MoveClasses, ProportionTable, compute_accuracy, points_to_classes
from ludus.reproduce import Context, Figure, Finding, Remark

from .data import HELD_OUT, WHOLE
from .systems import find_first_own_system, list_systems
from .test_tables import SystemCounts, get_published_lines, make_table, measure_system

CAPTIONS = {
    WHOLE: "Of all entries of the published expansion, those the networks learned included.",
    HELD_OUT: "Of its last tenth, which networks with the author's split have not learned.",
}
SHOWN = ("TO", "FROM", "FROM not 0", "REMOVE", "REMOVE not 0", "whole move")


def run(context: Context) -> Iterator[Finding]:
    known = list_systems(context, context.published["ways"])
    found = {
        (system.name, where): measure_system(
            context, system, where, "accuracy", compute_accuracy_table
        )
        for where in CAPTIONS
        for system in known
    }
    ours = find_first_own_system(known)
    found |= {("ours", where): found[ours.name, where] for where in CAPTIONS if ours is not None}
    for row in context.published.rows:
        key = row["system"], row["set"]
        if key in found:
            yield from found[key].row(row.name, row["line"])
    for system in known:
        yield from found[system.name, HELD_OUT].row(
            f"{system.name}, {HELD_OUT}: whole move", "whole move"
        )
    if ours is None:
        yield Remark("No networks of ours are there, so the thesis's figures stand alone.")
    for where, caption in CAPTIONS.items():
        columns = {system.name: found[system.name, where] for system in known}
        yield make_table(
            f"All lines, {where}", columns, get_published_lines(context, where), caption
        )
    yield Figure("Figure 6.21", draw_bars, make_bar_data(context, found), CAPTIONS[WHOLE])


def compute_accuracy_table(entries: MoveBatch, predicted: MoveClasses) -> ProportionTable:
    return compute_accuracy(entries, predicted, points_to_classes(entries.points))


def make_bar_data(
    context: Context, found: Mapping[tuple[str, str], SystemCounts]
) -> dict[str, Any]:
    """For each system the heights of its bars; the thesis's own come first."""
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
