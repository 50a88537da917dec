"""What the drawings of all games share: the marks over a board, and what is said below it.

A drawing first says where its places are, then lays the heat, its men and the notes over one
another, in this order.
"""

import textwrap
from collections.abc import Iterable, Mapping
from typing import Protocol

from ludus.core.marks import Marks
from ludus.core.outcome import Outcome
from ludus.core.svg import Canvas, Point

Places = Mapping[str, Point]
"""The centre of every place by its name, in the order in which they are drawn."""

Area = tuple[Point, float, float]
"""Top-left corner, width and height."""

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
    return {
        place: float(min(max(share, 0), 1)) for place, share in known.items() if share == share
    }


def percent(share: float) -> str:
    """A share for people: `34 %`."""
    return f"{100 * share:.0f} %"


def lay_heat(
    canvas: Canvas, marks: Marks, places: Places, radius: float, occupied: Iterable[str]
) -> None:
    """A halo behind each place with heat, wider and stronger the more; a number where it is free.

    `radius` is that of a man, which the halo must show around.
    """
    taken = frozenset(occupied)
    for place, share in shares(marks, places).items():
        centre = places[place]
        canvas.circle(centre, radius * (1.15 + 0.35 * share), "heat", 0.1 + 0.75 * share)
        if place not in taken:
            canvas.text(centre, f"{100 * share:.0f}", "share")


def lay_notes(canvas: Canvas, marks: Marks, places: Places, radius: float) -> None:
    """The marked points and the arrows, over the men."""
    for place, centre in places.items():
        kind = marks.points.get(place)
        if kind in KINDS:
            _mark(canvas, kind, centre, radius)
    for start, end in marks.arrows:
        if start in places and end in places:
            canvas.arrow(places[start], places[end], "arrow", width=0.3 * radius, tail=radius)


def lay_places(canvas: Canvas, marks: Marks, areas: Mapping[str, Area]) -> None:
    """A clear area over each place, which shows its name, and its heat, on hovering."""
    heat = shares(marks, areas)
    for place, (corner, width, height) in areas.items():
        title = f"{place}: {percent(heat[place])}" if place in heat else place
        canvas.place(corner, width, height, place, title)


def squares_about(places: Places, width: float) -> dict[str, Area]:
    """Areas for places that are all alike."""
    return {
        place: ((x - width / 2, y - width / 2), width, width) for place, (x, y) in places.items()
    }


def _mark(canvas: Canvas, kind: str, centre: Point, radius: float) -> None:
    x, y = centre
    ring, css = 1.22 * radius, f"mark {kind}"
    if kind == "last":
        _corners(canvas, centre, 1.2 * radius, css)
    elif kind == "take":
        arm = 0.72 * radius
        cross = ("M", x - arm, y - arm, "L", x + arm, y + arm, "M", x + arm, y - arm)
        for layer in ("case", css):
            canvas.path(layer, *cross, "L", x - arm, y + arm)
    else:
        canvas.circle(centre, ring, css)
    if kind in ("good", "bad"):
        _badge(canvas, kind, (x + 0.86 * ring, y - 0.86 * ring))


def _corners(canvas: Canvas, centre: Point, reach: float, css: str) -> None:
    """The four corners of a square about a place."""
    x, y = centre
    arm = 0.45 * reach
    steps: list[str | float] = []
    for right, down in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        corner_x, corner_y = x + right * reach, y + down * reach
        steps += ["M", corner_x, corner_y - down * arm, "L", corner_x, corner_y]
        steps += ["L", corner_x - right * arm, corner_y]
    canvas.path(css, *steps)


def _badge(canvas: Canvas, kind: str, centre: Point) -> None:
    """A small disc with a tick or a cross."""
    x, y = centre
    canvas.circle(centre, 8.5, f"badge {kind}")
    if kind == "good":
        canvas.path("glyph", "M", x - 4, y, "L", x - 1, y + 3.5, "L", x + 4, y - 3.5)
    else:
        cross = ("M", x - 3, y - 3, "L", x + 3, y + 3, "M", x + 3, y - 3, "L", x - 3, y + 3)
        canvas.path("glyph", *cross)


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


def notes(marks: Marks, places: Iterable[str]) -> list[str]:
    """The lines below a text board that tell the arrows and the heat, hottest first."""
    known = list(places)
    arrows = [f"{start}→{end}" for start, end in marks.arrows if {start, end} <= set(known)]
    heat = sorted(shares(marks, known).items(), key=lambda item: -item[1])
    told = [f"{place} {percent(share)}".replace(" %", "%") for place, share in heat]
    return [
        line
        for name, items in (("Arrows", arrows), ("Heat", told))
        if items
        for line in textwrap.wrap(f"{name}: {', '.join(items)}", 60, subsequent_indent="  ")
    ]


def finish(lines: Iterable[str]) -> str:
    """Lines as one text, without blanks at their ends."""
    return "\n".join(line.rstrip() for line in lines)
