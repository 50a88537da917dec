"""What a game is played for: the doubling cube, the score of a match, and their actions."""

from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, get_args

from ludus.core.errors import BadPosition, quote
from ludus.games.backgammon.rules import Rules

MAX_CUBE: Final = 4096
"""The value at which the cube is turned no further."""


class CubeAction(NamedTuple):
    """A decision without men: to roll or to double, to take or to drop, to resign.

    >>> str(DOUBLE)
    'double'
    """

    word: str

    def __repr__(self) -> str:
        return f"<CubeAction {self}>"

    def __str__(self) -> str:
        return self.word


ROLL, DOUBLE = CubeAction("roll"), CubeAction("double")
TAKE, DROP = CubeAction("take"), CubeAction("drop")
BEAVER, RACCOON = CubeAction("beaver"), CubeAction("raccoon")
RESIGN: Final = (
    CubeAction("resign"),
    CubeAction("resign_gammon"),
    CubeAction("resign_backgammon"),
)
"""Offers to lose a single game, a gammon, a backgammon."""

ACCEPT, REJECT = CubeAction("accept"), CubeAction("reject")
ACTIONS: Final = frozenset({ROLL, DOUBLE, TAKE, DROP, BEAVER, RACCOON, *RESIGN, ACCEPT, REJECT})

Phase = Literal[
    "play",
    "cube",
    "doubled",
    "beavered",
    "raccooned",
    "resigns",
    "resigns_gammon",
    "resigns_backgammon",
    "dropped",
    "resigned",
    "resigned_gammon",
    "resigned_backgammon",
]
"""`play`: dice or men. `cube`: the side on turn may double, resign or roll. `doubled`, `raccooned`,
`resigns…`: the other side answers. `beavered`: the side on turn answers. `dropped`, `resigned…`: so
the game has ended."""

PHASES: Final[tuple[Phase, ...]] = get_args(Phase)
OFFERED_TURNS: Final[dict[str, int]] = {"doubled": 2, "beavered": 4, "raccooned": 8}
"""By how much the cube is turned by a take in each phase; the other half is lost by a drop."""

OFFERS: Final[tuple[Phase, ...]] = ("resigns", "resigns_gammon", "resigns_backgammon")
ENDS: Final[tuple[Phase, ...]] = ("resigned", "resigned_gammon", "resigned_backgammon")


@dataclass(frozen=True, slots=True)
class Stakes:
    """The cube and the score."""

    rules: Rules
    value: int = 1
    """Points of a single game, as the cube shows."""

    owner: int | None = None
    """The side that may double next; None while both may."""

    score: tuple[int, int] = (0, 0)
    """Points of each side in the match."""

    crawford: bool = False
    """Whether this is the one game without the cube, after a side has come within a point."""

    phase: Phase = "play"

    def __post_init__(self) -> None:
        length, score = self.rules.match, self.score
        if self.value not in (1 << n for n in range(13)) or (self.value > 1 and not self.has_cube):
            raise BadPosition(f"the cube cannot show {self.value} here")
        if (self.owner is None) != (self.value == 1):
            raise BadPosition("a cube that was turned has an owner, and no other has")
        if min(score) < 0 or (not length and score != (0, 0)):
            raise BadPosition(f"{score[0]}-{score[1]} is no score of a match to {length}")
        if length and sum(points >= length for points in score) > 1:
            raise BadPosition("both sides have won the match")
        if self.crawford and not self._may_be_crawford():
            raise BadPosition(f"{score[0]}-{score[1]} is no score of a Crawford game to {length}")

    def _may_be_crawford(self) -> bool:
        near = [points == self.rules.match - 1 for points in self.score]
        return self.rules.crawford and sum(near) == 1 and self.rules.match > 1

    @property
    def has_cube(self) -> bool:
        """Whether the cube is in use in this game."""
        return self.rules.cube and not self.crawford

    @property
    def is_match_over(self) -> bool:
        return self.rules.match > 0 and max(self.score) >= self.rules.match

    @property
    def is_over(self) -> bool:
        """Whether the game ended by a drop or a resignation, or the match is over."""
        return self.phase == "dropped" or self.phase in ENDS or self.is_match_over

    @property
    def are_gammons_void(self) -> bool:
        """Whether every win counts as a single game, by the Jacoby rule."""
        return self.rules.jacoby and self.value == 1

    def may_double(self, side: int) -> bool:
        """Return whether this side may double when it is on turn.

        In a match a side whose points suffice with the cube as it is has nothing to gain.
        """
        if self.rules.match > 0 and self.score[side] + self.value >= self.rules.match:
            return False
        return self.has_cube and self.owner in (None, side) and self.value < MAX_CUBE

    def list_actions(self, side: int) -> list[CubeAction]:
        """Return the actions in this phase; `side` is the side on turn."""
        if self.phase == "cube":
            levels = 1 if self.are_gammons_void else len(RESIGN)
            resigning = RESIGN[:levels] if self.rules.resign else ()
            return [ROLL, *([DOUBLE] if self.may_double(side) else []), *resigning]
        if self.phase in OFFERED_TURNS:
            further = {"doubled": BEAVER, "beavered": RACCOON}.get(self.phase)
            can_go_on = self.rules.beavers and 2 * self.offered_value <= MAX_CUBE
            return [TAKE, DROP, *([further] if further and can_go_on else [])]
        return [ACCEPT, REJECT] if self.phase in OFFERS else []

    def begin_turn(self, side: int) -> "Stakes":
        """Return the stakes when this side is on turn: it decides first if it has a choice."""
        has_choice = self.rules.resign or self.may_double(side)
        return replace(self, phase="cube" if has_choice else "play")

    @property
    def offered_value(self) -> int:
        """What the cube shows if the double, beaver or raccoon is taken."""
        return self.value * OFFERED_TURNS[self.phase]

    def take(self, owner: int) -> "Stakes":
        """Return the stakes after a double, beaver or raccoon was taken."""
        return replace(self, value=self.offered_value, owner=owner, phase="play")

    def drop(self, winner: int) -> "Stakes":
        """Return the stakes after one was dropped: beavers and raccoons have turned the cube."""
        value = self.offered_value // 2
        return self if value == self.value else replace(self, value=value, owner=winner)

    def compute_points(self, level: int) -> int:
        """Return the points of a win: level 1 is a single game, 2 a gammon, 3 a backgammon."""
        return self.value * (1 if self.are_gammons_void else level)

    def add_points(self, winner: int, points: int) -> "Stakes":
        """Return the stakes of the next game of a match, after this side won points."""
        score = [self.score[0], self.score[1]]
        score[winner] += points
        after = (score[0], score[1])
        if max(after) >= self.rules.match:
            return replace(self, score=after, crawford=False, phase="play")
        nears = [max(each) == self.rules.match - 1 for each in (self.score, after)]
        is_crawford = self.rules.crawford and nears == [False, True]
        return Stakes(self.rules, score=after, crawford=is_crawford)

    def __str__(self) -> str:
        """Return the cube, and in a match the score: `2@0 3-5/7`, or `1 2-6/7/crawford`."""
        cube = f"{self.value}" if self.owner is None else f"{self.value}@{self.owner}"
        if not self.rules.match:
            return cube
        score = f"{self.score[0]}-{self.score[1]}/{self.rules.match}"
        return f"{cube} {score}{'/crawford' if self.crawford else ''}"


def parse_stakes(words: list[str], rules: Rules) -> Stakes | None:
    """Parse the words of `Stakes.__str__`; without words it is the start of a game or match."""
    if not rules.has_stakes:
        if words:
            raise BadPosition(f"{quote(' '.join(words))}: these rules have no cube and no match")
        return None
    if not words:
        return Stakes(rules)
    value, _, owner = words[0].partition("@")
    if not (_is_number(value) and owner in ("", "0", "1")):
        raise BadPosition(f"cube {quote(words[0])} must be 1, 2@0, 4@1, …")
    score, is_crawford = (0, 0), False
    if len(words) > 1:
        score, is_crawford = _parse_score(words[1], rules)
    return Stakes(rules, int(value), int(owner) if owner else None, score, is_crawford)


def _parse_score(text: str, rules: Rules) -> tuple[tuple[int, int], bool]:
    points, _, rest = text.partition("/")
    first, _, second = points.partition("-")
    length, _, crawford = rest.partition("/")
    if not all(map(_is_number, (first, second, length))) or crawford not in ("", "crawford"):
        raise BadPosition(f"score {quote(text)} must be as in 3-5/7 or 2-6/7/crawford")
    if int(length) != rules.match:
        raise BadPosition(f"{quote(text)} is a match to {length}, not to {rules.match}")
    return (int(first), int(second)), bool(crawford)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 4
