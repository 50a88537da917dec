"""A position of backgammon: where the men are, whose turn it is, and what the dice show."""

from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from typing import Any, Final, Protocol, TypeGuard, cast

from ludus.core.errors import BadMove
from ludus.core.game import CHANCE
from ludus.core.marks import NO_MARKS, Marks
from ludus.core.outcome import Outcome
from ludus.games.backgammon.moves import OPENING_ROLLS, ROLLS, Move, Roll, place_name
from ludus.games.backgammon.view import BAR, HOME, OFF, Board, Men, view_of

REASONS: Final = {1: "single", 2: "gammon", 3: "backgammon"}


class Engine(Protocol):
    """What moves the men: `reference` in Python, or `native`, its compiled twin."""

    def legal_moves(self, position: "Position") -> list[Move]: ...
    def after(self, position: "Position", move: Move) -> Men | None: ...


@cache
def engine_named(name: str) -> Engine:
    """The module behind `native` or `python`, imported when it is first needed."""
    module = "native" if name == "native" else "reference"
    return cast("Engine", import_module(f"ludus.games.backgammon.{module}"))


@dataclass(frozen=True, slots=True)
class Position:
    """One state of a game. Side 0 moves from point 24 down to 1 and off, side 1 the other way."""

    points: tuple[int, ...]
    """Points 1 to 24 as side 0 counts: so many of side 0's men, or minus so many of side 1's."""

    bar: tuple[int, int]
    """Each side's men on the bar."""

    off: tuple[int, int]
    """Each side's men borne off."""

    turn: int
    """The side whose turn it is, also while its dice are being rolled."""

    dice: tuple[int, int] | None = None
    """What it rolled, the larger die first; None before the roll."""

    opening: bool = False
    """Whether the next roll decides who begins, so that it is no double."""

    engine: str = field(default="python", compare=False, repr=False)
    """`native` or `python`: who works out the moves. No part of the position's value."""

    @property
    def board(self) -> Board:
        """The men alone."""
        return Board(self.points, self.bar, self.off)

    @property
    def mover(self) -> int:
        """The side to move, or CHANCE while the dice are to be rolled."""
        return CHANCE if self.dice is None and not self.is_over else self.turn

    @property
    def is_over(self) -> bool:
        """Whether the side that moved last has borne off all its men."""
        last = 1 - self.turn
        if not self.off[last] or self.bar[last]:
            return False
        return min(self.points) >= 0 if last else max(self.points) <= 0

    def legal_moves(self) -> list[Move] | list[Roll]:
        """Every roll that can fall, or one move for each board the roll can lead to."""
        if self.dice is not None:
            return engine_named(self.engine).legal_moves(self)
        if self.is_over:
            return []
        return list(OPENING_ROLLS if self.opening else ROLLS)

    def play(self, move: Move | Roll, /) -> "Position":
        """The position after a legal move or roll; BadMove for any other."""
        if self.dice is None:
            if not self._can_fall(move):
                raise BadMove(f"{move} is not a roll that can fall here")
            dice = (move[0], move[1])
            return Position(self.points, self.bar, self.off, self.turn, dice, False, self.engine)
        men = engine_named(self.engine).after(self, move) if isinstance(move, Move) else None
        if men is None:
            raise BadMove(f"{move} is not a legal move of backgammon here")
        points, bar, off = men
        return Position(points, bar, off, 1 - self.turn, None, False, self.engine)

    def _can_fall(self, roll: object) -> TypeGuard[Roll]:
        known = OPENING_ROLLS if self.opening else ROLLS
        return isinstance(roll, Roll) and roll in known and not self.is_over

    def outcome(self) -> Outcome | None:
        """Who won, and for how much; None while the game goes on."""
        if self.dice is not None or not self.is_over:
            return None
        loser = self.turn
        own = view_of(self.board, loser).own
        is_far = any(own[BAR - len(HOME) :])
        points = 1 if own[OFF] else 3 if is_far else 2
        return Outcome(1 - loser, REASONS[points], points)

    def with_engine(self, engine: str) -> "Position":
        """The same position, its moves worked out by `native` or `python`."""
        return replace(self, engine=engine)

    def text(self, marks: Marks = NO_MARKS) -> str:
        """The board drawn with characters, several lines."""
        return cast("str", _drawing().text(self, marks))

    def svg(self, marks: Marks = NO_MARKS) -> str:
        """The board drawn as a self-contained SVG document."""
        return cast("str", _drawing().svg(self, marks))

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        """Side 0's men, side 1's men (each as its own side counts), the turn, and the roll.

        `24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 opening` is the start; the roll is `31` and the
        like, `roll` before it, `opening` before the first one, `over` when the game has ended.
        """
        sides = [_side_text(view_of(self.board, side).own) for side in (0, 1)]
        if self.dice is not None:
            roll = f"{self.dice[0]}{self.dice[1]}"
        elif self.is_over:
            roll = "over"
        else:
            roll = "opening" if self.opening else "roll"
        return f"{sides[0]} {sides[1]} {self.turn} {roll}"


def _side_text(own: tuple[int, ...]) -> str:
    places = (place for place in range(BAR, OFF - 1, -1) if own[place])
    return ",".join(f"{place_name(place)}:{own[place]}" for place in places)


def _drawing() -> Any:
    """Loaded only when something is drawn."""
    return import_module("ludus.games.backgammon.drawing")
