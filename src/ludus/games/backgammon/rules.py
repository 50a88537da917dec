"""What can be agreed on before a game of backgammon: how the men stand, and how it begins."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

LAYOUTS: Final[Mapping[str, Mapping[int, int]]] = {
    "standard": {24: 2, 13: 5, 8: 3, 6: 5},
    "hyper": {24: 1, 23: 1, 22: 1},
}
"""Where each side's men stand at the start, by point as that side counts."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one game. What is not here is the same in every game of backgammon."""

    layout: Literal["standard", "hyper"] = "standard"
    """How the men are set up: 15 a side, or hypergammon's 3 a side."""

    opening: Literal["roll_off", "any"] = "roll_off"
    """`roll_off`: each side rolls one die and the higher begins with both, so the first roll is
    never a double. `any`: the first roll is a roll like every other."""

    @property
    def men(self) -> int:
        """Men a side."""
        return sum(LAYOUTS[self.layout].values())


PRESETS: Final[Mapping[str, Rules]] = {"standard": Rules(), "hyper": Rules(layout="hyper")}
