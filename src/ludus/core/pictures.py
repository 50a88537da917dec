"""How a player sees a board: titled pictures of the position it has just decided.

A player that has them gets a method `pictures(position)`. It is asked right after `choose`, about
the same position, so it may show what it found then or find it again. Whoever shows the pictures
lays them over the board, of which a player knows nothing but the names of its places.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ludus.core.marks import NO_MARKS, Marks

NUM_COLOURS = 9
"""Colours that people can tell apart; 2 is green and 3 is red."""


@dataclass(frozen=True, slots=True)
class Note:
    """A short text or some beads on a place, or an arrow from place to place that carries them."""

    places: tuple[str, ...]
    """One place, or the places that an arrow goes through."""

    text: str = ""
    """A few characters: a rank, a score."""

    beads: int = 0
    """Beads that lie there. Many are drawn as few, in proportion, with their number."""

    colour: int = 0
    """One of nine, from 0 to 8; what it means, the picture says."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One way of seeing a position."""

    title: str
    """A few words."""

    marks: Marks = NO_MARKS
    """Heat for probabilities, and marked places."""

    text: str = ""
    """A sentence or two on what is to be seen."""

    notes: tuple[Note, ...] = ()

    lines: tuple[tuple[str, ...], ...] = ()
    """Places that belong together, joined by a line: a row, a mill, a pattern."""


@runtime_checkable
class HasPictures(Protocol):
    """A player that shows how it sees a board."""

    def pictures(self, position: Any) -> Sequence[Picture | tuple[str, Marks]]:
        """The position whose move it has just chosen, as it saw it; the most telling first.

        A title and its marks are enough for a picture.
        """
