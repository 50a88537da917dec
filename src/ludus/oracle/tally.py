"""How many positions of a subspace are won, lost and drawn."""

from dataclasses import dataclass, replace
from typing import Self


@dataclass(frozen=True)
class Tally:
    """Counted once per class of 16 symmetries, for the side to move."""

    win: int
    loss: int
    draw: int
    max_win: int | None
    """Plies of the longest win; None where depths are not kept."""

    max_loss: int | None

    def without_depth(self) -> Self:
        """The counts alone."""
        return replace(self, max_win=None, max_loss=None)
