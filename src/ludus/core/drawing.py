"""What the drawings of all games share in characters: marked places, and what is said below."""

import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from ludus.core.marks import Marks
from ludus.core.outcome import Outcome

KINDS = ("legal", "selected", "last", "good", "bad", "take")

BRACKETS: Mapping[str, tuple[str, str]] = {
    "legal": ("‹", "›"),
    "selected": ("[", "]"),
    "last": ("(", ")"),
    "good": ("", "✓"),
    "bad": ("", "✗"),
    "take": (">", "<"),
}
"""What stands left and right of a marked place in a text; where nobody stands, legal is `◌`."""

FREE = "◌"
"""A free place where the mover may go."""


Shown = Callable[[str], str]
"""What people are told a place is called, where that depends on who is to move."""


class Played(Protocol):
    """As much of a position as its caption needs."""

    @property
    def mover(self) -> int: ...

    def outcome(self) -> Outcome | None: ...


def caption(outcome: Outcome | None, sides: tuple[str, str], task: str) -> str:
    """How the game ended or, while it goes on, the task of the side whose turn it is."""
    if outcome is None:
        return task
    if outcome.winner is None:
        return f"Draw ({outcome.reason})"
    return f"{sides[outcome.winner]} wins ({outcome.reason})"


def to_move(position: Played, sides: tuple[str, str]) -> str:
    """The caption of a game without dice."""
    return caption(position.outcome(), sides, f"{sides[position.mover]} to move")


def shares(marks: Marks, places: Iterable[str]) -> dict[str, float]:
    """The heat of the places that the board has, kept between 0 and 1; what is no number is left.

    >>> shares(Marks(heat={"a1": 0.25, "b1": 7, "c1": float("nan"), "z9": 1}), ["a1", "b1", "c1"])
    {'a1': 0.25, 'b1': 1.0}
    """
    known = {place: marks.heat[place] for place in places if place in marks.heat}
    return {place: float(min(max(share, 0), 1)) for place, share in known.items() if share == share}


def percent(share: float) -> str:
    """A share for people: `34%`."""
    return f"{100 * share:.0f}%"


def cell(symbol: str, marks: Marks, place: str, *, empty: str) -> tuple[str, str, str]:
    """A place in a text: what stands left of it, on it and right of it (left and right may be "").

    `symbol` is the man there, or `empty`.
    """
    kind = marks.points.get(place)
    if kind not in KINDS:
        return "", symbol, ""
    if kind == "legal" and symbol == empty:
        return "", FREE, ""
    left, right = BRACKETS[kind]
    return left, symbol, right


def notes(marks: Marks, places: Iterable[str], shown: Shown = str) -> list[str]:
    """The lines below a text board that tell the arrows and the heat, hottest first."""
    known = list(places)
    arrows = [(start, end) for start, end in marks.arrows if {start, end} <= set(known)]
    heat = sorted(shares(marks, known).items(), key=lambda item: -item[1])
    return [
        *_listed("Arrows", [f"{shown(start)}→{shown(end)}" for start, end in arrows]),
        *_listed("Heat", [f"{shown(place)} {percent(share)}" for place, share in heat]),
    ]


def _listed(name: str, items: list[str]) -> list[str]:
    """`Name: item, item, …` on as many lines as it takes; no item is broken."""
    if not items:
        return []
    unbroken = ", ".join(item.replace(" ", "\xa0") for item in items)
    lines = textwrap.wrap(f"{name}: {unbroken}", 60, subsequent_indent="  ")
    return [line.replace("\xa0", " ") for line in lines]


def finish(lines: Iterable[str]) -> str:
    """Lines as one text, without blanks at their ends."""
    return "\n".join(line.rstrip() for line in lines)
