"""The reliability test of the published program: whether legal choices rank above illegal ones."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ludus.learn.nnmm import NUM_RECALL_LEVELS, PARTS, PrecisionCurve, compute_reliability
from ludus.reproduce import Context, Figure, Finding, Measurement, Remark, Table

from .data import STATES, WHOLE
from .systems import System, list_systems

SETS = (WHOLE, STATES)
Curves = dict[str, list[float]]
"""Part to the precision at each recall, in percent."""


def run(context: Context) -> Iterator[Finding]:
    known = list_systems(context, context.published["ways"])
    published = context.published["curves"]
    found = {
        (system.name, where): compute_curves(context, system, where)
        for where in SETS
        for system in known
    }
    for row in context.published.rows:
        key = row["system"], row["set"]
        if row["part"] in found.get(key, {}):
            precision = found[key][row["part"]][row["recall"] * NUM_RECALL_LEVELS // 100 - 1]
            yield Measurement(row.name, precision, unit="%")
    for name, where in found:
        if where in published.get(name, {}):
            gap = find_largest_difference(published[name][where], found[name, where])
            yield Remark(f"{name}, {where}: all points are within {gap:.3f} of those published.")
    for where in SETS:
        others = {
            f"{name}, published": sets[where]
            for name, sets in published.items()
            if (name, where) not in found
        }
        yield make_table(
            where, {system.name: found[system.name, where] for system in known} | others
        )
    for where in SETS:
        curves = {system.name: found[system.name, where] for system in known}
        theirs = {name: sets[where] for name, sets in published.items() if name in curves}
        data = {"published": theirs, "ours": curves}
        yield Figure(f"Precision over recall, {where}", draw_curves, data, CAPTION, (7, 7))


CAPTION = (
    "Mean precision of legal choices over recall, for each part of the move; points are published."
)


def compute_curves(context: Context, system: System, where: str) -> Curves:
    """The curves of one system on one set, by the author's check."""

    def compute() -> Curves:
        entries = system.positions(context, where)
        order = system.chain.order.parts
        total = [PrecisionCurve.empty() for _ in order]
        for part, answer in system.predict(context, where, entries):
            given = [answer.probabilities[:, each] for each in order]
            curves = compute_reliability(part, order, answer.classes, given)
            total = [whole + more for whole, more in zip(total, curves, strict=True)]
        found = zip(order, total, strict=True)
        # A network that never names a point has no curve.
        return {PARTS[part]: curve.percent for part, curve in found if curve.positions}

    return context.cached(f"reliability {system.key} {where}", compute)


def find_largest_difference(published: Curves, found: Curves) -> float:
    return float(max(np.abs(np.subtract(published[part], found[part])).max() for part in published))


def make_table(where: str, found: dict[str, Curves]) -> Table:
    rows: list[list[Any]] = [
        [
            name,
            part,
            *(round(curve[at], 3) for at in (0, NUM_RECALL_LEVELS // 2, -1)),
            round(min(curve), 3),
        ]
        for name, curves in found.items()
        for part, curve in curves.items()
    ]
    headings = ("networks", "part", "at 4%", "at 52%", "at 100%", "least")
    return Table(f"Precision at some recalls, {where}", headings, rows)


def draw_curves(axes: Any, data: dict[str, Any]) -> None:
    """Parts of a move have their own line style, systems their own colour."""
    recalls = [100 * level / NUM_RECALL_LEVELS for level in range(1, NUM_RECALL_LEVELS + 1)]
    styles = dict(zip(PARTS, ("-", "--", ":"), strict=True))
    for name, curves in data["ours"].items():
        colour = None
        for part, curve in curves.items():
            (line,) = axes.plot(recalls, curve, styles[part], color=colour, label=f"{name} {part}")
            colour = line.get_color()
            points = data["published"].get(name, {}).get(part)
            if points:
                axes.plot(recalls, points, "o", color=colour, markersize=3, fillstyle="none")
    axes.set_xlabel("recall, %")
    axes.set_ylabel("precision, %")
    axes.legend(fontsize=7)
