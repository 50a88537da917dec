"""What an experiment yields while it runs."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from ludus.reproduce.cells import slug
from ludus.reproduce.errors import BadExperiment
from ludus.reproduce.intervals import mean_interval, share_interval

Cell = str | int | float | bool | None
"""What may stand in a table."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Our figure for a row of the published table, or for a row that the paper does not have."""

    name: str
    """The name of the row in the TOML file, or a new one."""

    value: float

    low: float | None = None
    """The lower end of the 95% interval; None if the figure is exact or has no interval."""

    high: float | None = None

    count: int | None = None
    """Of how many games, positions or runs this was found."""

    note: str = ""
    """A remark that stands behind the row."""

    unit: str = ""
    """The unit of a row of our own; rows of the TOML file have theirs."""

    def __post_init__(self) -> None:
        numbers = [number for number in (self.value, self.low, self.high) if number is not None]
        if not all(isinstance(number, int | float) for number in numbers):
            raise BadExperiment(f"Measured {self.name!r}: {numbers!r:.80} are not numbers")
        if math.isnan(self.value) or math.isinf(self.value):
            raise BadExperiment(f"Measured {self.name!r} has the value {self.value}")
        if (self.low is None) != (self.high is None):
            raise BadExperiment(f"Measured {self.name!r} has half an interval")

    @classmethod
    def share(cls, name: str, hits: int, count: int, note: str = "", unit: str = "%") -> Self:
        """So many of so many, in percent, with the exact interval."""
        if not 0 <= hits <= count or not count:
            raise BadExperiment(f"Measured {name!r}: {hits} of {count} is not a share")
        low, high = share_interval(hits, count)
        return cls(name, 100 * hits / count, 100 * low, 100 * high, count, note, unit)

    @classmethod
    def mean(cls, name: str, values: Sequence[float], note: str = "", unit: str = "") -> Self:
        """The mean of independent runs, with Student's interval; one run has none."""
        if not values:
            raise BadExperiment(f"Measured {name!r}: there are no values")
        middle, low, high = mean_interval(values)
        if len(values) == 1:
            return cls(name, middle, None, None, 1, note, unit)
        return cls(name, middle, low, high, len(values), note, unit)


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot. It can be drawn again from stored results, so it is a function and its data."""

    name: str
    """What it is called, as in `Figure 3`; the SVG file is named after it."""

    draw: Callable[[Any, Any], None]
    """`draw(axes, data)`, a top-level function of the experiment's file; axes are matplotlib's."""

    data: Any = None
    """Whatever `draw` needs, as JSON can hold it."""

    caption: str = ""
    """What is to be seen; one or two sentences."""

    size: tuple[float, float] = (7.0, 4.3)
    """Width and height in inches."""


@dataclass(frozen=True, slots=True)
class Table:
    """A further table of the report."""

    name: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence about what came out, for the top of the report."""

    text: str


Finding = Measured | Figure | Table | Remark


@dataclass(slots=True)
class Findings:
    """All that a run has yielded."""

    measured: dict[str, Measured] = field(default_factory=dict)
    figures: list[Figure] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def add(self, finding: object) -> None:
        """Keep what a run yields; a name is used once."""
        match finding:
            case Measured():
                if finding.name in self.measured:
                    raise BadExperiment(f"{finding.name!r} is measured twice")
                self.measured[finding.name] = finding
            case Figure():
                if not slug(finding.name):
                    raise BadExperiment(f"{finding.name!r} is no name for a figure")
                if any(slug(finding.name) == slug(other.name) for other in self.figures):
                    raise BadExperiment(f"there are two figures {finding.name!r}")
                self.figures.append(finding)
            case Table():
                if any(len(row) != len(finding.headings) for row in finding.rows):
                    raise BadExperiment(f"the table {finding.name!r} has rows of another length")
                self.tables.append(finding)
            case Remark():
                self.remarks.append(finding.text)
            case _:
                raise BadExperiment(
                    f"run yields {finding!r:.60}, which is no Measured, Figure, Table or Remark"
                )
