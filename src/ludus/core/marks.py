"""Marks drawn over a board, and titled pictures of how a player evaluates a position."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Marks:
    """Arrows, marked points and a heat map, by names of places (`d6`, `b2`, `bar`, …).

    Places that the board does not have are ignored, so one set of marks can serve several boards.
    """

    arrows: tuple[tuple[str, str], ...] = ()
    """Pairs of places, from and to."""

    points: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Place to kind of mark: `legal`, `selected`, `last`, `good`, `bad`, `take`."""

    heat: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Place to a value from 0 to 1, for example a network's probability."""

    dice_left: tuple[int, ...] | None = None
    """Dice of the roll that are still to be played; None for all of them."""

    viewer: int | None = None
    """The side as which places are numbered, where sides count differently; None for the mover."""


NO_MARKS = Marks()
"""A drawing of the board alone."""


NUM_COLOURS = 9
"""Number of distinguishable colours; 2 is green and 3 is red."""


@dataclass(frozen=True, slots=True)
class Note:
    """A short text or some beads on a place, or on an arrow from place to place."""

    places: tuple[str, ...]
    """One place, or the places along an arrow."""

    text: str = ""
    """A few characters, such as a rank or a score."""

    beads: int = 0
    """Number of beads. Many are drawn as few, in proportion, with their number."""

    colour: int = 0
    """Colour number, 0 to 8; the picture defines its meaning."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One view of a position."""

    title: str
    """A few words."""

    marks: Marks = NO_MARKS
    """Heat for probabilities, and marked places."""

    text: str = ""
    """One or two sentences that explain the picture."""

    notes: tuple[Note, ...] = ()

    lines: tuple[tuple[str, ...], ...] = ()
    """Places joined by a line: a row, a mill, a pattern."""
