"""The author's networks of other orders: accuracy and legality in one pass over all entries."""

from collections.abc import Iterator

from ludus.datasets import MoveBatch
from ludus.learn.nnmm import HitTable, MoveClasses
from ludus.reproduce import Context, Finding

from .accuracy import compute_accuracy_table
from .data import HELD_OUT, WHOLE
from .legality import compute_both_standards
from .systems import list_systems
from .test_tables import make_table, measure_system


def run(context: Context) -> Iterator[Finding]:
    wanted = {row["system"] for row in context.published.rows}
    known = [
        each for each in list_systems(context, context.published["ways"]) if each.name in wanted
    ]
    found = {
        (system.name, where): measure_system(context, system, where, "both", count_both)
        for where in (WHOLE, HELD_OUT)
        for system in known
    }
    for row in context.published.rows:
        if (row["system"], WHOLE) in found:
            yield from found[row["system"], WHOLE].row(row.name, row["line"])
    for system in known:
        yield from found[system.name, HELD_OUT].row(
            f"{system.name}, {HELD_OUT}: whole move", "whole move"
        )
    for where in (WHOLE, HELD_OUT):
        columns = {system.name: found[system.name, where] for system in known}
        if columns:
            yield make_table(f"All lines, {where}", columns, {}, "")


def count_both(entries: MoveBatch, predicted: MoveClasses) -> HitTable:
    """Lines of accuracy, and of legality by both standards."""
    return {
        **compute_accuracy_table(entries, predicted),
        **compute_both_standards(entries, predicted),
    }
