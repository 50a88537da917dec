"""The accuracy test (6.3): how often the networks choose the teacher's move, together and alone."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ludus.datasets import MoveBatch
from ludus.learn.nnmm import (
    PARTS,
    Hits,
    HitTable,
    MoveClasses,
    NetworkChain,
    add_tables,
    compute_accuracy,
    points_to_classes,
    split_contiguously,
)
from ludus.reproduce import Conclusion, Context, Figure, Finding, Measurement, Table

from .data import HELD_OUT, WHOLE, read_positions, sample_entries
from .systems import THESIS_SET, System, list_systems
from .test_tables import CountsBySet, SystemCounts, measure_systems, report_tables
from .tuning import load_training_margin

AUTHOR = "author TFR"
ALONE, ALONE_LEARNED = "held out, alone", "learned entries, alone"
"""Each network by itself, given the true choices before its own (Figure 6.20)."""

ALONE_BATCH = 2000
SIMILAR = 1.0
"""Points between accuracies that count as extremely similar."""

CAPTIONS = {
    WHOLE: "Of all entries of the published expansion, those the networks learned included.",
    HELD_OUT: "Of its last tenth, which networks with the author's split have not learned.",
}
SHOWN = ("TO", "FROM", "FROM not 0", "REMOVE", "REMOVE not 0", "whole move")


def run(context: Context) -> Iterator[Finding]:
    known = list_systems(context, context.published["ways"])
    found = dict(measure_systems(context, known, CAPTIONS, "accuracy", compute_accuracy_table))
    single = [each for each in known if each.symmetries == 1 and each.rule == "parts"]
    for system in single:
        for where in (ALONE, ALONE_LEARNED):
            found[system.name, where] = measure_alone(context, system, where)
    for row in context.published.rows:
        key = row["system"], row["set"]
        if key in found:
            is_ours = row["system"] == THESIS_SET
            measured = found[key].row(row.name, row["line"])
            yield from map(add_training_margin, measured) if is_ours else measured
    for system in known:
        yield from found[system.name, HELD_OUT].row(
            f"{system.name}, {HELD_OUT}: whole move", "whole move"
        )
    yield from report_tables(context, known, found, CAPTIONS)
    yield make_alone_table(single, found)
    if any(system.name == AUTHOR for system in single):
        yield from draw_conclusions(found)
    yield Figure("Figure 6.21", draw_bars, make_bar_data(context, found), CAPTIONS[WHOLE])


def add_training_margin(measured: Measurement) -> Measurement:
    """Return the accuracy of networks that were trained once, with what trainings differ by."""
    margin = load_training_margin()
    return replace(measured, low=measured.value - margin, high=measured.value + margin)


def compute_accuracy_table(entries: MoveBatch, predicted: MoveClasses) -> HitTable:
    return compute_accuracy(entries, predicted, points_to_classes(entries.points))


def measure_alone(context: Context, system: System, where: str) -> SystemCounts:
    """Count the right classes of each network by itself; as many learned as held-out entries."""

    def compute() -> dict[str, Any]:
        entries = _read_alone_entries(context, where)
        lines = add_tables(
            compute_accuracy_alone(system.chain, entries[first : first + ALONE_BATCH])
            for first in range(0, len(entries), ALONE_BATCH)
        )
        num_all = len(read_positions(HELD_OUT))
        return {
            "lines": {name: [share.hits, share.total] for name, share in lines.items()},
            "is_sample": where == ALONE_LEARNED or len(entries) < num_all,
        }

    return SystemCounts(**context.cached(f"alone {system.key} {where}", compute))


def _read_alone_entries(context: Context, where: str) -> MoveBatch:
    held_out = read_positions(HELD_OUT)
    number = context.setting("positions") or len(held_out)
    learned = where == ALONE_LEARNED
    entries = split_contiguously(read_positions(WHOLE)).training if learned else held_out
    return sample_entries(entries, number, context.seed_for(where, number))


def compute_accuracy_alone(chain: NetworkChain, entries: MoveBatch) -> HitTable:
    """Compare the choice of each network with the true one, after true choices before it."""
    true = points_to_classes(entries.points)
    decoder = chain.decoder(entries)
    moves = decoder.start()._replace(classes=true)
    lines = {}
    for number, part in enumerate(chain.order.parts):
        ranks = decoder.rank_classes(number, decoder.probabilities(number, moves))
        lines[PARTS[part]] = Hits.count(ranks.argmax(axis=1) == true[:, part])
    return lines


def make_alone_table(systems: Sequence[System], found: CountsBySet) -> Table:
    """Accuracies of single networks, on entries that they have learned and on others."""
    rows: list[list[Any]] = []
    for system in systems:
        for where in (ALONE, ALONE_LEARNED):
            shares = [found[system.name, where].share(part).percent for part in PARTS]
            rows.append([f"{system.name}, {where}", *(round(each or 0, 4) for each in shares)])
    return Table(
        "Figure 6.20: each network alone",
        ("%", *PARTS),
        rows,
        "Given the true choices before its own; of all held-out entries, and as many learned ones.",
    )


def draw_conclusions(found: CountsBySet) -> Iterator[Conclusion]:
    """Judge what 6.2.4 and 6.3 say of the networks, by those of the author."""

    def percent(where: str, line: str) -> float:
        return found[AUTHOR, where].share(line).percent or 0.0

    to = percent(ALONE, "TO")
    yield Conclusion(
        "6.2.4: the TO network does not surpass 55% on the test entries",
        to < 55,
        f"{to:.2f}% for {AUTHOR}",
    )
    gaps = {part: percent(ALONE_LEARNED, part) - percent(ALONE, part) for part in PARTS}
    yield Conclusion(
        "6.2.4: accuracies on training and test entries are extremely similar, within 1 point",
        max(gaps.values()) < SIMILAR,
        "higher on training entries by "
        + ", ".join(f"{gap:.2f} ({part})" for part, gap in gaps.items())
        + " points",
    )
    later = ("FROM", "REMOVE")
    yield Conclusion(
        "6.3: the networks are less accurate after each other's choices than after the true ones",
        all(percent(HELD_OUT, part) < percent(ALONE, part) for part in later),
        "; ".join(
            f"{part} {percent(HELD_OUT, part):.2f}%, alone {percent(ALONE, part):.2f}%"
            for part in later
        ),
    )
    phases = [percent(WHOLE, f"whole move, phase {phase}") for phase in (1, 2, 3)]
    yield Conclusion(
        "6.3: the accuracy of the whole move decreases along the three phases",
        phases[0] > phases[1] > phases[2],
        ", ".join(f"{each:.2f}%" for each in phases),
    )


def make_bar_data(context: Context, found: CountsBySet) -> dict[str, Any]:
    """Return the heights of the bars of each system, those of the thesis first."""
    published = {
        row["line"]: row.published for row in context.published.rows if row["system"] == THESIS_SET
    }
    heights = {"thesis": [published[line] for line in SHOWN]}
    for name, where in found:
        if where == WHOLE and name in (AUTHOR, THESIS_SET):
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
