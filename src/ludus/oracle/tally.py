"""How many positions of a subspace are won, lost and drawn."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tally:
    """Counted once per class of 16 symmetries, for the side to move."""

    win: int
    loss: int
    draw: int
    max_win: int | None
    """Plies of the longest win; None where depths are not kept."""

    max_loss: int | None
