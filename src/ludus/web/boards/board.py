"""A board that a person handles, for any game: it follows `Game.steps` and knows nothing else.

A game may have a board of its own that shows the half-made move, names what stands where and says
in the words of the game what is to be done.
"""

from dataclasses import dataclass
from typing import Any, Literal

from ludus.core.errors import BadMove, quoted
from ludus.core.game import AnyGame
from ludus.web.errors import Refused

Stage = Literal["begin", "go", "take"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A move that a person has begun by touching places."""

    touched: tuple[str, ...]

    places: tuple[str, ...]
    """Where it can go on."""

    stage: Stage
    """What the next touch does: begin a move, say where a man goes, or take one."""

    move: Any
    """The move, once nothing is left to say; else None."""

    position: Any
    """The board to be drawn meanwhile."""

    selected: str | None = None
    """The place from which a man is about to go."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A position as it is put together by hand."""

    men: dict[str, tuple[int, int]]
    """Place to a side and how many men it has there."""

    mover: int
    hands: tuple[int, int] = (0, 0)
    """Men beside the places: still to be placed, or on the bar."""

    dice: tuple[int, int] | None = None
    """What was rolled; None before the roll."""


class Board:
    """The plain board."""

    most: int = 1
    """Men that one place can hold."""

    hand_title: str = ""
    """What is said of men beside the places; empty if there are none."""

    has_dice: bool = False

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    def enter(self, position: Any, touched: tuple[str, ...]) -> Entry:
        """The move begun by these touches; BadMove if no legal move begins so."""
        steps = {move: self.game.steps(move) for move in position.legal_moves()}
        size = len(touched)
        fitting = {move: places for move, places in steps.items() if places[:size] == touched}
        if not fitting:
            raise BadMove(f"no legal move begins with {quoted(' '.join(touched))}")
        complete = [move for move, places in fitting.items() if len(places) == size]
        # A place may both complete a move and begin a longer one; then a person must go on.
        is_complete = bool(touched) and len(complete) == len(fitting)
        following = (places[size] for places in fitting.values() if len(places) > size)
        return Entry(
            touched,
            tuple(dict.fromkeys(following)),
            self.stage(position, touched),
            complete[0] if is_complete else None,
            self.half_made(position, touched),
            touched[-1] if touched else None,
        )

    def touch(self, position: Any, touched: tuple[str, ...], place: str) -> Entry:
        """What one more touch makes of a move: it goes on, begins elsewhere, or is taken back."""
        try:
            return self.enter(position, (*touched, place))
        except BadMove:
            if touched and place == touched[-1]:
                return self.enter(position, touched[:-1])
            if not touched:
                raise
            return self.enter(position, (*touched[:-1], place))

    def is_pass(self, position: Any) -> bool:
        """Whether a person has nothing to touch and can only let the other side go on."""
        return not any(map(self.game.steps, position.legal_moves()))

    def ways(self, move: Any) -> tuple[tuple[str, ...], ...]:
        """The ways men go in a move: from and to, or one place for a man that is put there."""
        steps = self.game.steps(move)
        return (steps,) if steps else ()

    def stage(self, position: Any, touched: tuple[str, ...]) -> Stage:
        """What the next touch does."""
        return "go" if touched else "begin"

    def half_made(self, position: Any, touched: tuple[str, ...]) -> Any:
        """The position as it looks after these touches."""
        return position

    def task(self, position: Any, entry: Entry) -> str:
        """What a person has to do next, in a few words."""
        return "Choose where it goes" if entry.touched else "Make a move"

    def occupant(self, position: Any, place: str) -> str:
        """Who stands on a place, in words; nothing if nobody does."""
        return ""

    def spoken(self, place: str, side: int) -> str:
        """What a side calls a place."""
        return place

    def standing(self, position: Any, side: int) -> str:
        """What a side has, in a few words."""
        return ""

    def told(self, move: Any, position: Any) -> str:
        """A move in words, as it stands behind `White`."""
        return f"played {move}"

    def arranged(self, position: Any) -> Arrangement:
        """What stands where; Refused where positions are not made by hand."""
        raise Refused(f"a position of {self.game.id} is entered as text")

    def arrange(self, arrangement: Arrangement) -> Any:
        """A position to look at, which need not be one that the rules allow."""
        raise Refused(f"a position of {self.game.id} is entered as text")

    def how(self) -> list[str]:
        """How the game is played, under its rules, in a few sentences."""
        return []

    def side(self, side: int) -> str:
        """A side's name at the beginning of a sentence."""
        return self.game.sides[side].capitalize()
