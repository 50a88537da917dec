"""Which units a network sees, by name; `units` computes them one by one.

Location 1 of the paper, where White begins, is the mover's point 24: the paper counts the way White
walks, players count the other way. Sizes are 24 times the units of a location, 12 units for the
men on the bars, 21 for the roll, and what stands beside them.
"""

from dataclasses import dataclass
from typing import Final

from ludus.core.errors import UnknownName, quoted
from ludus.core.spec import suggestion
from ludus.games.backgammon.moves import ROLLS
from ludus.players.tool.terms import CONTACT_WEIGHTS

LOCATIONS: Final = 24

STATES: Final = ("x≤-5", "x=-4", "x=-3", "x≤-2", "x=-1", "x=1", "x≥2", "x=3", "x=4", "x≥5")
"""Men before the move, x: the mover's, or minus the other side's."""

CHANGES: Final[tuple[tuple[str, ...], ...]] = (
    ("y=1", "y≥2", "y=3", "y=4", "y≥5", "y≤0"),
    ("clearing", "slotting", "breaking", "making", "stripping"),
    (
        *("x<1 & y=1", "x<2 & y≥2", "x<3 & y=3", "x<4 & y=4", "x<y & y≥5", "x=1 & y=0"),
        *("x≥2 & y=0", "x≥2 & y=1", "x≥3 & y=2", "x≥4 & y=3", "x≥5 & y=4", "x>y & y≥5"),
        "chance of a hit",
    ),
)
"""What happens at a location, y being the men after the move: the paper's Fig. 1a (where y is not
x), Fig. 1b, and columns K to W of Fig. 3."""

BARS: Final = tuple(
    f"{whose} men on the bar {when}: {count}"
    for when in ("before", "after")
    for whose in ("own", "their")
    for count in ("1", "2", "3 or more")
)

ROLL_UNITS: Final = tuple(f"roll {roll}" for roll in ROLLS)


def _least(what: str, *bounds: int) -> tuple[str, ...]:
    return tuple(f"{what} at least {bound}" for bound in bounds)


FEATURES: Final = (
    *_least("points in the own home", 1, 2, 3, 4, 5, 6),
    "chance that a blot is hit",
    *_least("rolls that hit a blot", 1, 5, 9, 12, 15, 19, 25),
    "pips at risk, of 25",
    *_least("own blots", 1, 2, 3, 4),
    "chances of hits in the own home, added",
    "chance to hit next time",
    *_least("rolls that would hit next time", 1, 11, 17),
    "their man on the bar: share of the own home that is closed",
    "their man on the bar: chance that he stays there",
    "own pips, of 167",
    "their pips, of 167",
    *_least("pips ahead", -40, -20, -8, 0, 8, 20, 40),
    "men can still meet",
    *_least("own men in their home or on the bar", 1, 2, 3, 4),
    *_least("own points in their home", 1, 2),
    "their 5 or 4 point is held",
    *_least("their men in the own home or on the bar", 1, 2, 3, 4),
    "they hold a point in the own home",
    *_least("own points in a row", 3, 4, 5, 6),
    "their rearmost man: share of rolls that keep him in",
    *_least("their points in a row", 3, 4, 5, 6),
    "own rearmost man: share of rolls that let him out",
    "builders, of 8",
    "stacked men, of 8",
    "own men borne off, of 15",
    "their men borne off, of 15",
    "quarters to cross, of 30",
    "empty points in the own home, of 6",
    "own men on points 1 and 2, of 15",
    "points in their home, of 6",
)
"""Computed on the board after the move."""

BESIDE: Final[tuple[tuple[str, ...], ...]] = ((), FEATURES, tuple(CONTACT_WEIGHTS))


@dataclass(frozen=True, slots=True)
class Coding:
    """One way to write a move for a network."""

    name: str

    change: int
    """How a location's change is told: its final state, its kind, or exactly."""

    beside: int
    """What stands beside the board: nothing, features, or the conventional program's terms."""

    @property
    def names(self) -> tuple[str, ...]:
        """What every unit stands for, in order."""
        located = tuple(
            f"location {location}: {unit}"
            for location in range(1, LOCATIONS + 1)
            for unit in (*STATES, *CHANGES[self.change])
        )
        return located + BARS + ROLL_UNITS + BESIDE[self.beside]

    @property
    def size(self) -> int:
        """The number of units."""
        return len(self.names)


CODINGS: Final = {
    coding.name: coding
    for coding in (
        Coding("raw", 1, 0),
        Coding("features", 1, 1),
        Coding("tool", 1, 2),
        Coding("exact", 2, 1),
        Coding("unary", 0, 0),
        Coding("unary_features", 0, 1),
    )
}
"""The paper's 393, 459, 410 and 651 units, and Fig. 1a without and with features."""


def coding_named(name: str) -> Coding:
    """A coding by its name."""
    if name not in CODINGS:
        raise UnknownName(f"there is no coding {quoted(name)}{suggestion(name, CODINGS)}")
    return CODINGS[name]
