"""The findings of an experiment, and the comparison of measurements with published rows."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from ludus.core.errors import quote
from ludus.core.statistics import (
    Interval,
    Proportion,
    compute_difference_interval,
    compute_mean_interval,
)
from ludus.reproduce.experiment import BadExperiment, PublishedRow, PublishedTable

MAX_NAME_LENGTH = 60


def make_slug(text: str) -> str:
    """Return a text as letters, digits and hyphens.

    >>> make_slug("Figure 3: noughts & crosses")
    'Figure-3-noughts-crosses'
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[:MAX_NAME_LENGTH]


TableCell = str | int | float | bool | None
"""Value of a table cell."""

MAX_MAGNITUDE = 1e300


@dataclass(frozen=True, slots=True)
class Measurement:
    """Our number for a row of the published table, or for a row that the paper does not have."""

    name: str
    """The name of the row in the TOML file, or a new one."""

    value: float

    low: float | None = None
    """The lower end of the 95% interval; None if the number is exact or has no interval."""

    high: float | None = None

    count: int | None = None
    """Number of games, positions or runs behind the value."""

    note: str = ""
    """Remark shown in the row."""

    unit: str = ""
    """The unit of a row of our own; rows of the TOML file have theirs."""

    def __post_init__(self) -> None:
        if (self.low is None) != (self.high is None):
            raise BadExperiment(f"{quote(self.name)} has half an interval")
        known = [each for each in (self.low, self.high, self.count) if each is not None]
        for number in (self.value, *known):
            if not _is_finite(number):
                raise BadExperiment(f"{quote(self.name)} is measured as {number!r:.40}")

    @classmethod
    def proportion(cls, name: str, hits: int, count: int, note: str = "") -> Self:
        """Return `hits` out of `count` in percent, with the exact interval."""
        low, high = Proportion(hits, count).interval
        return cls(name, 100 * hits / count, 100 * low, 100 * high, count, note, "%")

    @classmethod
    def mean(cls, name: str, values: Sequence[float], note: str = "", unit: str = "") -> Self:
        """Return the mean of independent runs with Student's interval; a single run has none."""
        middle, low, high = compute_mean_interval(values)
        if len(values) == 1:
            return cls(name, middle, None, None, 1, note, unit)
        return cls(name, middle, low, high, len(values), note, unit)


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot as a function and its data, so that it can be redrawn from stored results."""

    name: str
    """The title, for example `Figure 3`; also determines the name of the SVG file."""

    draw: Callable[[Any, Any], None]
    """`draw(axes, data)`, a top-level function of the experiment's file; axes are matplotlib's."""

    data: Any = None
    """JSON-compatible argument of `draw`."""

    caption: str = ""
    """Description in one or two sentences."""

    size: tuple[float, float] = (7.0, 4.3)
    """Width and height in inches."""

    def __post_init__(self) -> None:
        if not make_slug(self.name):
            raise BadExperiment(f"{quote(self.name)} is no name for a figure")


@dataclass(frozen=True, slots=True)
class Table:
    """An additional table of the report."""

    name: str
    headings: Sequence[str]
    rows: Sequence[Sequence[TableCell]]
    caption: str = ""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.headings):
                raise BadExperiment(f"the table {quote(self.name)} has rows of another length")
            for value in row:
                if not (value is None or isinstance(value, str) or _is_finite(value)):
                    raise BadExperiment(f"{value!r:.40} cannot stand in {quote(self.name)}")


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence about the results, for the top of the report."""

    text: str


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A conclusion of the paper, and whether it holds in our results."""

    text: str
    """The conclusion, as a sentence."""

    holds: bool | None
    """None if our results do not decide."""

    evidence: str = ""
    """Our numbers in one sentence."""


Finding = Measurement | Figure | Table | Remark | Conclusion
"""Anything that an experiment yields."""


def _is_finite(number: object) -> bool:
    return isinstance(number, int | float) and -MAX_MAGNITUDE <= number <= MAX_MAGNITUDE


@dataclass(slots=True)
class Findings:
    """All findings of a run."""

    measured: dict[str, Measurement] = field(default_factory=dict)
    figures: list[Figure] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    conclusions: list[Conclusion] = field(default_factory=list)

    def add(self, finding: object) -> None:
        """Add a finding; names must be unique."""
        match finding:
            case Measurement():
                if finding.name in self.measured:
                    raise BadExperiment(f"{quote(finding.name)} is measured twice")
                self.measured[finding.name] = finding
            case Figure():
                if any(make_slug(finding.name) == make_slug(other.name) for other in self.figures):
                    raise BadExperiment(f"there are two figures {quote(finding.name)}")
                self.figures.append(finding)
            case Table():
                self.tables.append(finding)
            case Remark():
                self.remarks.append(finding.text)
            case Conclusion():
                if any(finding.text == other.text for other in self.conclusions):
                    raise BadExperiment(f"the conclusion {quote(finding.text)} is drawn twice")
                self.conclusions.append(finding)
            case _:
                raise BadExperiment(
                    f"run yields {finding!r:.60}, which is no Measurement, Figure, Table, Remark"
                    " or Conclusion"
                )


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A published number and ours; either may be missing."""

    published_row: PublishedRow
    ours: Measurement | None

    @property
    def name(self) -> str:
        return self.published_row.name

    @property
    def unit(self) -> str:
        """The row's unit, or ours where it has none."""
        return self.published_row.unit or ("" if self.ours is None else self.ours.unit)

    @property
    def interval(self) -> Interval | None:
        """The 95% interval of our number."""
        if self.ours is None or self.ours.low is None or self.ours.high is None:
            return None
        return self.ours.low, self.ours.high

    @property
    def difference(self) -> float | None:
        """Our number minus the published one."""
        if self.ours is None or self.published_row.published is None:
            return None
        return self.ours.value - self.published_row.published

    @property
    def is_within(self) -> bool | None:
        """Whether the published number lies in our interval."""
        if self.interval is None or self.published_row.published is None:
            return None
        return self.interval[0] <= self.published_row.published <= self.interval[1]

    @property
    def agrees(self) -> bool | None:
        """Whether the difference may be due to chance, given the intervals of both numbers.

        A number without a known interval counts as exact; None if neither has one.
        """
        if self.ours is None or self.published_row.published is None:
            return None
        if self.interval is None and self.published_row.interval is None:
            return None
        ours, theirs = self.ours.value, self.published_row.published
        own = self.interval or (ours, ours)
        other = self.published_row.interval or (theirs, theirs)
        low, high = compute_difference_interval(ours, own, theirs, other)
        return low <= 0 <= high

    def as_json(self) -> dict[str, Any]:
        ours, row = self.ours, self.published_row
        reference = (
            {}
            if row.reference is None
            else {"reference": row.reference, "reference_source": row.reference_source}
        )
        return {
            "name": self.name,
            "published": row.published,
            **reference,
            "ours": None if ours is None else ours.value,
            "interval": None if self.interval is None else list(self.interval),
            "difference": self.difference,
            "within": self.is_within,
            "agrees": self.agrees,
            "unit": self.unit,
            "count": None if ours is None else ours.count,
            "note": "" if ours is None else ours.note,
        }


def compare_rows(
    published: PublishedTable, measured: Mapping[str, Measurement]
) -> list[ComparedRow]:
    """Return the rows of the paper in their order, then our additional rows."""
    theirs = [ComparedRow(row, measured.get(row.name)) for row in published.rows]
    known = {row.name for row in published.rows}
    own = [
        ComparedRow(PublishedRow.model_construct(name=name, unit=found.unit), found)
        for name, found in measured.items()
        if name not in known
    ]
    return theirs + own
