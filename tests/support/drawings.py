"""Positions to draw, and how to read a picture back."""

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import ludus
from ludus import Marks

SVG = "{http://www.w3.org/2000/svg}"

KINDS = ("legal", "selected", "last", "good", "bad", "take")

POSITIONS = {
    "nine_mens_morris": "W.B/.W./.../.W...B/W../..B/.B. w 4 3",
    "backgammon": "24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 31",
    "noughts_and_crosses": "X.O/.X./..O x",
    "hexapawn": "B.B/WB./..W w",
}
"""One position of every game, in the middle of things."""

PLACES = {
    "nine_mens_morris": ("a7", "d6", "c5", "g4", "e3", "d1"),
    "backgammon": ("1", "6", "24", "13", "bar", "off"),
    "noughts_and_crosses": ("a3", "b3", "c3", "b2", "c2", "a1"),
    "hexapawn": ("a3", "b3", "c3", "b2", "c2", "a1"),
}
"""Six places of every game, free and occupied ones."""


def position(game: str, text: str = "") -> Any:
    """A position of a game; of its readable engine, which needs no compiler."""
    return ludus.game(game, engine="python").parse(text or POSITIONS[game.partition(":")[0]])


def all_marks(game: str) -> Marks:
    """Every kind of mark, some heat and two arrows."""
    places = PLACES[game]
    return Marks(
        arrows=((places[0], places[1]), (places[4], places[5])),
        points=dict(zip(places, KINDS, strict=True)),
        heat={place: index / 8 for index, place in enumerate(places, start=1)},
    )


def parsed(picture: str) -> ElementTree.Element:
    """The root of a picture, which must be well-formed XML."""
    return ElementTree.fromstring(picture)


def shapes(picture: str, *classes: str, tag: str = "*") -> list[ElementTree.Element]:
    """The elements of a picture that have all these classes."""
    return [
        element
        for element in parsed(picture).iter(SVG + tag if tag != "*" else None)
        if set(classes) <= set(element.get("class", "").split())
    ]


def texts(picture: str, css: str) -> list[str]:
    """The texts of a picture with this class."""
    return [element.text or "" for element in shapes(picture, css, tag="text")]


def centres(picture: str) -> dict[str, tuple[float, float]]:
    """The middle of every place's area."""
    found = {}
    for area in shapes(picture, "place"):
        x, y, width, height = (float(area.attrib[key]) for key in ("x", "y", "width", "height"))
        found[area.attrib["data-place"]] = x + width / 2, y + height / 2
    return found


def corners(polygon: ElementTree.Element) -> list[tuple[float, float]]:
    """The corners of a polygon; an arrow's tip comes first."""
    pairs = (pair.split(",") for pair in polygon.attrib["points"].split())
    return [(float(x), float(y)) for x, y in pairs]


def numbers(picture: str) -> Iterator[str]:
    """Every attribute that holds coordinates or sizes."""
    keys = {"x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "width", "height", "points", "d"}
    for element in parsed(picture).iter():
        yield from (value for key, value in element.attrib.items() if key in keys)
