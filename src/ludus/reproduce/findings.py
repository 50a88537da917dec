"""What an experiment yields while it runs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from ludus.core.errors import quoted
from ludus.reproduce.cells import slug
from ludus.reproduce.errors import BadExperiment
from ludus.reproduce.intervals import mean_interval, share_interval

Cell = str | int | float | bool | None
"""What may stand in a table."""

LARGEST = 1e300


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
        _check_texts(self, self.name, self.note, self.unit)
        if (self.low is None) != (self.high is None):
            raise BadExperiment(f"{quoted(self.name)} has half an interval")
        for number in (self.value, self.low, self.high, self.count):
            if number is not None and not _is_finite(number):
                raise BadExperiment(f"{quoted(self.name)} is measured as {number!r:.40}")
        if self.value is None:
            raise BadExperiment(f"{quoted(self.name)} is measured as None")

    @classmethod
    def share(cls, name: str, hits: int, count: int, note: str = "", unit: str = "%") -> Self:
        """So many of so many, in percent, with the exact interval."""
        if not 0 <= hits <= count or not count:
            raise BadExperiment(f"{quoted(name)}: {hits} of {count} is not a share")
        low, high = share_interval(hits, count)
        return cls(name, 100 * hits / count, 100 * low, 100 * high, count, note, unit)

    @classmethod
    def mean(cls, name: str, values: Sequence[float], note: str = "", unit: str = "") -> Self:
        """The mean of independent runs, with Student's interval; one run has none."""
        if not values:
            raise BadExperiment(f"{quoted(name)}: there are no values to take the mean of")
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

    def __post_init__(self) -> None:
        _check_texts(self, self.name, self.caption)
        if not slug(self.name):
            raise BadExperiment(f"{quoted(self.name)} is no name for a figure")
        if not all(_is_finite(length) and 0.5 <= length <= 40 for length in self.size):
            raise BadExperiment(f"{quoted(self.name)}: {self.size!r:.40} is no size for a figure")


@dataclass(frozen=True, slots=True)
class Table:
    """A further table of the report."""

    name: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""

    def __post_init__(self) -> None:
        _check_texts(self, self.name, self.caption, *self.headings)
        for row in self.rows:
            if len(row) != len(self.headings):
                raise BadExperiment(f"the table {quoted(self.name)} has rows of another length")
            for value in row:
                if not (value is None or isinstance(value, str) or _is_finite(value)):
                    raise BadExperiment(f"{value!r:.40} cannot stand in {quoted(self.name)}")


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence about what came out, for the top of the report."""

    text: str

    def __post_init__(self) -> None:
        _check_texts(self, self.text)


Finding = Measured | Figure | Table | Remark


def _check_texts(owner: object, *texts: object) -> None:
    for text in texts:
        if not isinstance(text, str):
            raise BadExperiment(f"{text!r:.40} in a {type(owner).__name__} is not a text")


def _is_finite(number: object) -> bool:
    return isinstance(number, int | float) and -LARGEST <= number <= LARGEST


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
                    raise BadExperiment(f"{quoted(finding.name)} is measured twice")
                self.measured[finding.name] = finding
            case Figure():
                if any(slug(finding.name) == slug(other.name) for other in self.figures):
                    raise BadExperiment(f"there are two figures {quoted(finding.name)}")
                self.figures.append(finding)
            case Table():
                self.tables.append(finding)
            case Remark():
                self.remarks.append(finding.text)
            case _:
                raise BadExperiment(
                    f"run yields {finding!r:.60}, which is no Measured, Figure, Table or Remark"
                )
