"""Published and ours, row by row: how far apart, and whether chance explains it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ludus.reproduce.findings import Measured
from ludus.reproduce.intervals import Interval, difference_interval
from ludus.reproduce.published import Published, Row


@dataclass(frozen=True, slots=True)
class Compared:
    """A published figure beside ours; either may be missing."""

    row: Row
    ours: Measured | None

    @property
    def name(self) -> str:
        return self.row.name

    @property
    def unit(self) -> str:
        """The row's, or ours where it has none."""
        return self.row.unit or ("" if self.ours is None else self.ours.unit)

    @property
    def interval(self) -> Interval | None:
        """The 95% interval of our figure."""
        if self.ours is None or self.ours.low is None or self.ours.high is None:
            return None
        return self.ours.low, self.ours.high

    @property
    def difference(self) -> float | None:
        """By how much ours is more."""
        if self.ours is None or self.row.published is None:
            return None
        return self.ours.value - self.row.published

    @property
    def is_within(self) -> bool | None:
        """Whether the published figure lies in our interval."""
        if self.interval is None or self.row.published is None:
            return None
        return self.interval[0] <= self.row.published <= self.interval[1]

    @property
    def agrees(self) -> bool | None:
        """Whether the difference can be chance, given what either figure may be off by.

        A figure without a known uncertainty counts as exact. If neither has one there is nothing
        to say.
        """
        if self.ours is None or self.row.published is None:
            return None
        if self.interval is None and self.row.interval is None:
            return None
        ours, theirs = self.ours.value, self.row.published
        own = self.interval or (ours, ours)
        other = self.row.interval or (theirs, theirs)
        low, high = difference_interval(ours, own, theirs, other)
        return low <= 0 <= high

    def as_json(self) -> dict[str, Any]:
        ours = self.ours
        return {
            "name": self.name,
            "published": self.row.published,
            "ours": None if ours is None else ours.value,
            "interval": None if self.interval is None else list(self.interval),
            "difference": self.difference,
            "within": self.is_within,
            "agrees": self.agrees,
            "unit": self.unit,
            "count": None if ours is None else ours.count,
            "note": "" if ours is None else ours.note,
        }


def compared(published: Published, measured: Mapping[str, Measured]) -> list[Compared]:
    """The rows of the paper in their order, then those that we have besides."""
    theirs = [Compared(row, measured.get(row.name)) for row in published.rows]
    known = {row.name for row in published.rows}
    own = [
        Compared(Row(name, unit=found.unit), found)
        for name, found in measured.items()
        if name not in known
    ]
    return theirs + own
