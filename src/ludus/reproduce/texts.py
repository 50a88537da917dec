"""The numbers of a report as people read them."""

from collections.abc import Sequence

from ludus.reproduce.comparison import Compared
from ludus.reproduce.findings import Cell

HEADINGS = ("", "published", "ours", "difference", "95% interval", "within", "agree", "of", "note")

EXPLANATION = (
    "*Within*: the published figure lies in our 95% interval. *Agree*: the difference can be chance"
    " at 5%, given what either figure may be off by."
)

MISSING = "–"
MINUS = "\N{MINUS SIGN}"


def number(value: float | None, sign: bool = False) -> str:
    """Two decimals are enough for people, or three digits of what is small.

    >>> number(83.4159), number(10000), number(-0.25, sign=True), number(0.000123)
    ('83.42', '10000', '−0.25', '0.000123')
    """
    if value is None:
        return MISSING
    is_small = 0 < abs(value) < 0.1
    text = format(value, ("+" if sign and value else "") + (".3g" if is_small else ".2f"))
    if not is_small:
        text = text.rstrip("0").rstrip(".")
    return text.replace("-", MINUS, 1) if text.startswith("-") else text


def cells_of(row: Compared) -> Sequence[str]:
    """A row of the table of published and ours, under HEADINGS."""
    unit = f" {row.unit}" if row.unit else ""
    interval = row.interval
    ends = MISSING if interval is None else f"{number(interval[0])} … {number(interval[1])}"
    ours = row.ours
    return (
        row.name,
        MISSING if row.row.published is None else number(row.row.published) + unit,
        MISSING if ours is None else number(float(ours.value)) + unit,
        number(row.difference, sign=True),
        ends,
        answer(row.is_within),
        answer(row.agrees),
        MISSING if ours is None or ours.count is None else str(ours.count),
        "" if ours is None else ours.note,
    )


def answer(is_so: bool | None) -> str:
    return MISSING if is_so is None else "yes" if is_so else "no"


def cell(value: Cell) -> str:
    """What stands in a further table."""
    if value is None or isinstance(value, bool):
        return answer(value)
    return value if isinstance(value, str) else number(value)


def is_numeric(column: Sequence[Cell]) -> bool:
    """Whether a column is set to the right."""
    numbers = [value for value in column if value is not None]
    return bool(numbers) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in numbers
    )
