"""Options of backgammon: start layout, opening roll, doubling cube and match play."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from ludus.core.errors import BadSpec
from ludus.core.spec import check_fields, check_range

LAYOUTS: Final[Mapping[str, Mapping[int, int]]] = {
    "standard": {24: 2, 13: 5, 8: 3, 6: 5},
    "hyper": {24: 1, 23: 1, 22: 1},
}
"""Each side's men at the start, by point as that side counts."""

MAX_MATCH: Final = 25
"""Points of the longest match."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one game, money game or match; all other rules are fixed."""

    layout: Literal["standard", "hyper"] = "standard"
    """Start layout: 15 men a side, or hypergammon's 3 a side."""

    opening: Literal["roll_off", "first", "any"] = "roll_off"
    """`roll_off`: each side rolls one die and the higher begins with both, so the first roll is
    never a double. `first`: side 0 is the one that won the roll-off. `any`: side 0 begins, and its
    first roll is a roll like every other."""

    cube: bool = False
    """Whether the doubling cube is used."""

    match: int = 0
    """Points of a match; 0 for a single game. A match is one game of the library: its games follow
    each other, and its outcome is who won it."""

    crawford: bool = True
    """In a match: whether the cube is left out of the game after a side has come within a point."""

    jacoby: bool = False
    """For money: whether gammons and backgammons count only after the cube was turned."""

    beavers: bool = False
    """For money: whether a side that is doubled may double again at once and keep the cube (a
    beaver), and the side that doubled first then once more (a raccoon)."""

    resign: bool = False
    """Whether a side may resign a single game, a gammon or a backgammon before it rolls."""

    def __post_init__(self) -> None:
        check_fields(self, "backgammon")
        check_range("backgammon match", self.match, 0, MAX_MATCH)
        if self.jacoby and (self.match or not self.cube):
            raise BadSpec("jacoby=yes is a rule of money games with the cube: cube=yes,match=0")
        if self.beavers and (self.match or not self.cube):
            raise BadSpec("beavers=yes is a rule of money games with the cube: cube=yes,match=0")

    @property
    def men(self) -> int:
        """Men of each side."""
        return sum(LAYOUTS[self.layout].values())

    @property
    def has_stakes(self) -> bool:
        """Whether positions have a cube, a score or resignations."""
        return self.cube or self.match > 0 or self.resign


PRESETS: Final[Mapping[str, Rules]] = {
    "standard": Rules(),
    "hyper": Rules(layout="hyper"),
    "money": Rules(cube=True, jacoby=True, resign=True),
    "tournament": Rules(cube=True, match=7, resign=True),
}


def check_cubeless(rules: Rules, player: str) -> None:
    """Raise BadSpec if the rules have decisions that a player of moves alone cannot make."""
    if rules.has_stakes:
        raise BadSpec(
            f"{player} plays single games without the cube; gammon:net=expert, gnubg and bgsage "
            "know it"
        )
