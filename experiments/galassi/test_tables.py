"""Lines of the tests of 6.3 and 6.4: counted once, then shown as rows and tables."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ludus.datasets import MoveBatch
from ludus.learn.nnmm import Hits, HitTable, MoveClasses, add_tables
from ludus.reproduce import Context, Finding, Measurement, Remark, Table

from .data import read_positions
from .systems import THESIS_SET, VARIABLE, System

Count = Callable[[MoveBatch, MoveClasses], HitTable]
"""The lines of a test for positions and the moves predicted there."""

CountsBySet = Mapping[tuple[str, str], "SystemCounts"]
"""Counts by the name of a system and of a set of positions."""


@dataclass(frozen=True)
class SystemCounts:
    """The lines of one system on one set of positions, as JSON holds them."""

    lines: dict[str, list[int]]
    """Name to hits and cases."""

    is_sample: bool
    """Whether not all positions of the set were looked at."""

    def share(self, line: str) -> Hits:
        return Hits(*self.lines[line])

    def row(self, name: str, line: str) -> Iterator[Measurement]:
        """Yield a line as a row, if it had any case; with an interval if this is a sample."""
        share = self.share(line)
        if share.percent is None:
            return
        if self.is_sample:
            yield Measurement.proportion(name, share.hits, share.total)
        else:
            yield Measurement(name, share.percent, count=share.total, unit="%")


def measure_system(
    context: Context, system: System, where: str, kind: str, count: Count
) -> SystemCounts:
    """Measure the lines of a system on a set; `kind` names the test."""

    def compute() -> dict[str, Any]:
        entries = system.positions(context, where)
        lines = add_tables(
            count(part, answer.classes) for part, answer in system.predict(context, where, entries)
        )
        return {
            "lines": {name: [share.hits, share.total] for name, share in lines.items()},
            "is_sample": len(entries) < len(read_positions(where)),
        }

    return SystemCounts(**context.cached(f"{kind} {system.key} {where}", compute))


def measure_systems(
    context: Context, systems: Sequence[System], sets: Collection[str], kind: str, count: Count
) -> CountsBySet:
    """Measure systems on sets."""
    return {
        (system.name, where): measure_system(context, system, where, kind, count)
        for where in sets
        for system in systems
    }


def report_tables(
    context: Context, systems: Sequence[System], found: CountsBySet, captions: Mapping[str, str]
) -> Iterator[Finding]:
    """Yield a table of all lines for each set, and a remark if the thesis's set is not there."""
    if not any(system.name == THESIS_SET for system in systems):
        yield Remark(
            "The rows named thesis are empty: they are about networks of the thesis's tables, which"
            f" are not shipped. experiments/galassi/on_gpu.py trains them, and {VARIABLE} names"
            " their file."
        )
    for where, caption in captions.items():
        columns = {system.name: found[system.name, where] for system in systems}
        published = get_published_lines(context, where)
        yield make_table(f"All lines, {where}", columns, published, caption)


def make_table(
    name: str,
    columns: Mapping[str, SystemCounts],
    others: Mapping[str, Mapping[str, float]],
    caption: str,
) -> Table:
    """Return systems as columns and lines as rows, in percent; then published figures of others."""
    lines = next(iter(columns.values())).lines
    rows = [
        [
            line,
            *(_to_percentage(found.share(line)) for found in columns.values()),
            *(published.get(line) for published in others.values()),
        ]
        for line in lines
    ]
    return Table(name, ("%", *columns, *others), rows, caption)


def get_published_lines(context: Context, where: str) -> dict[str, Mapping[str, float]]:
    """Return published lines of networks that are not available, by name."""
    others = context.published["others"]
    return {name: sets[where] for name, sets in others.items() if where in sets}


def _to_percentage(share: Hits) -> float | None:
    return None if share.percent is None else round(share.percent, 4)
