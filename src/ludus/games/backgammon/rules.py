"""Options of backgammon: the start layout, and the opening roll."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

LAYOUTS: Final[Mapping[str, Mapping[int, int]]] = {
    "standard": {24: 2, 13: 5, 8: 3, 6: 5},
    "hyper": {24: 1, 23: 1, 22: 1},
}
"""Each side's men at the start, by point as that side counts."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one game; all other rules are fixed."""

    layout: Literal["standard", "hyper"] = "standard"
    """Start layout: 15 men a side, or hypergammon's 3 a side."""

    opening: Literal["roll_off", "first", "any"] = "roll_off"
    """`roll_off`: each side rolls one die and the higher begins with both, so the first roll is
    never a double. `first`: side 0 is the one that won the roll-off. `any`: side 0 begins, and its
    first roll is a roll like every other."""

    @property
    def men(self) -> int:
        """Men of each side."""
        return sum(LAYOUTS[self.layout].values())


PRESETS: Final[Mapping[str, Rules]] = {"standard": Rules(), "hyper": Rules(layout="hyper")}
