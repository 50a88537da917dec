"""What can be laid over a drawn position: arrows, marked points and a heat map."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Marks:
    """Notes on a board, by the names of its places (`d6`, `b2`, `bar`, …).

    A place that the board does not have is ignored, so one set of marks can serve several boards.
    """

    arrows: tuple[tuple[str, str], ...] = ()
    """From place, to place."""

    points: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Place to kind of mark: `legal`, `selected`, `last`, `good`, `bad`, `take`."""

    heat: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Place to a share between 0 and 1, as a network's probabilities are."""


NO_MARKS = Marks()
