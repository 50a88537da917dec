"""The board with what is laid over it: the last move, what may be touched, what is thought."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ludus.core.marks import Marks
from ludus.web.boards.board import Entry

PLACE = re.compile(r'data-place="([^"]+)"')
STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)


def drawn(position: Any, marks: Marks) -> tuple[str, list[str]]:
    """The picture, and the names of its places.

    The page brings the style sheet, which no page with strict headers takes from a picture.
    """
    svg = STYLE.sub("", position.svg(marks))
    return svg, PLACE.findall(svg)


def marks_of(entry: Entry, last: Sequence[str], more: Marks) -> Marks:
    """The last move, then what may be touched, then what somebody thinks; the later wins."""
    kind = "take" if entry.stage == "take" else "legal"
    points = dict.fromkeys(last, "last") if not entry.touched else {}
    points |= dict.fromkeys(entry.places, kind)
    if entry.selected is not None:
        points[entry.selected] = "selected"
    return Marks(more.arrows, {**points, **more.points}, more.heat)


def judged(entry: Entry, steps: Mapping[Any, tuple[str, ...]], kept: set[Any]) -> Marks:
    """Ticks where a good move goes on and crosses where none does, of what may be touched next."""
    size = len(entry.touched)
    fitting = {move: each for move, each in steps.items() if each[:size] == entry.touched}
    nexts = {move: each[size] for move, each in fitting.items() if len(each) > size}
    good = {place for move, place in nexts.items() if move in kept}
    return Marks(points={place: "good" if place in good else "bad" for place in nexts.values()})
