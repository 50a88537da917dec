"""Boards as text: marked places, captions and notes, shared by all games."""

import textwrap
from collections.abc import Callable, Iterable, Mapping

from ludus.core.game import Outcome, Position
from ludus.core.marks import Marks

MARK_KINDS = ("legal", "selected", "last", "good", "bad", "take")
"""Kinds of marks on a place (`Marks.points`)."""

BRACKETS: Mapping[str, tuple[str, str]] = {
    "legal": ("‹", "›"),
    "selected": ("[", "]"),
    "last": ("(", ")"),
    "good": ("", "✓"),
    "bad": ("", "✗"),
    "take": (">", "<"),
}
"""Characters left and right of a marked place; a free legal place is `◌` instead."""

PlaceLabel = Callable[[str], str]
"""Function from a place to its displayed name, which may depend on the side to move."""


def format_caption(outcome: Outcome | None, sides: tuple[str, str], task: str) -> str:
    """Return the outcome or, if the game is not over, the task of the side to move."""
    if outcome is None:
        return task
    text = outcome.format(sides)
    return text[0].upper() + text[1:]


def format_turn(position: Position, sides: tuple[str, str]) -> str:
    """Return the caption of a game without dice."""
    return format_caption(position.outcome(), sides, f"{sides[position.mover]} to move")


def clamp_heat(marks: Marks, places: Iterable[str]) -> dict[str, float]:
    """Return the heat of the board's places, clamped to the range 0 to 1, without NaN.

    >>> marks = Marks(heat={"a1": 0.25, "b1": 7, "c1": float("nan"), "z9": 1})
    >>> clamp_heat(marks, ["a1", "b1", "c1"])
    {'a1': 0.25, 'b1': 1.0}
    """
    known = {place: marks.heat[place] for place in places if place in marks.heat}
    return {place: float(min(max(value, 0), 1)) for place, value in known.items() if value == value}


def format_percent(proportion: float) -> str:
    """Format a proportion as a percentage: `34%`."""
    return f"{100 * proportion:.0f}%"


def format_cell(symbol: str, marks: Marks, place: str, *, empty: str) -> tuple[str, str, str]:
    """Return the texts left of a place, on it and right of it; left and right may be empty.

    `symbol` is the man there, or `empty`.
    """
    kind = marks.points.get(place)
    if kind not in MARK_KINDS:
        return "", symbol, ""
    if kind == "legal" and symbol == empty:
        return "", "◌", ""
    left, right = BRACKETS[kind]
    return left, symbol, right


def format_notes(marks: Marks, places: Iterable[str], shown: PlaceLabel = str) -> list[str]:
    """Return the lines below a text board that list the arrows and the heat, hottest first."""
    known = list(places)
    arrows = [(start, end) for start, end in marks.arrows if {start, end} <= set(known)]
    heat = sorted(clamp_heat(marks, known).items(), key=lambda item: -item[1])
    return [
        *_format_list("Arrows", [f"{shown(start)}→{shown(end)}" for start, end in arrows]),
        *_format_list("Heat", [f"{shown(place)} {format_percent(value)}" for place, value in heat]),
    ]


def _format_list(name: str, items: list[str]) -> list[str]:
    """Return `Name: item, item, …`, wrapped between items."""
    if not items:
        return []
    unbroken = ", ".join(item.replace(" ", "\xa0") for item in items)
    lines = textwrap.wrap(f"{name}: {unbroken}", 60, subsequent_indent="  ")
    return [line.replace("\xa0", " ") for line in lines]


def join_lines(lines: Iterable[str]) -> str:
    """Join lines without trailing blanks."""
    return "\n".join(line.rstrip() for line in lines)
