"""The rules of the Morris family as a value, and the named presets."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from ludus.core.errors import BadSpec
from ludus.core.spec import check_fields, check_ranges


@dataclass(frozen=True, slots=True)
class Rules:
    """One member of the Morris family. The defaults are Galassi's rules (2016, section 3.1)."""

    men: int = 9
    """Men of each side, 3 to 12."""

    diagonals: bool = False
    """Whether the corners of the three squares are joined by lines, which are mills, too."""

    flying: bool = True
    """Whether a side with three men left, none in hand, may move to any free point."""

    blocked: Literal["loses", "passes"] = "loses"
    """Consequence for a side that cannot move. If both sides cannot, passing ends in a draw."""

    lose_below: int = 3
    """A side with fewer men than this, in hand and on the board, has lost; 1 to 3."""

    take_from_mills: Literal["when_all", "never", "always"] = "when_all"
    """Whether a man in a mill may be taken: only when all are in mills, never, or always."""

    repetition: int = 2
    """A position that occurs this often since the last placing or taking is a draw; 0: never."""

    quiet_plies: int = 0
    """Number of plies without placing or taking that make a draw; 0: never."""

    place_or_move: bool = False
    """Whether a side with men in hand may move one on the board instead of placing."""

    full_board: Literal["draws", "blocked"] = "blocked"
    """Whether a board without a free point is a draw, or the side to move is blocked."""

    def __post_init__(self) -> None:
        check_fields(self, "nine_mens_morris")
        ranges = {"men": (3, 12), "lose_below": (1, 3)}
        check_ranges(
            self, "nine_mens_morris", **ranges, repetition=(0, 100), quiet_plies=(0, 10_000)
        )
        if self.repetition == 1:
            raise BadSpec("nine_mens_morris repetition=1 would end every game; 0 means never")


PRESETS: Mapping[str, Rules] = MappingProxyType(
    {
        "standard": Rules(),
        # As tournaments play it: the third occurrence of a position is a draw, not the second.
        "threefold": Rules(repetition=3),
        # Vrajitoru (2015): a blocked side passes; a side that takes all men wins; men in mills are
        # safe; flying is not mentioned. The paper does not define what ends a game without
        # progress; its tables have up to two draws in a hundred games. docs/rules.md lists these
        # interpretations.
        "vrajitoru": Rules(
            flying=False,
            blocked="passes",
            lose_below=1,
            take_from_mills="never",
            repetition=0,
            quiet_plies=500,
        ),
        "lasker": Rules(men=10, place_or_move=True),
        "morabaraba": Rules(men=12, diagonals=True, full_board="draws"),
    }
)
"""Rules by name."""
