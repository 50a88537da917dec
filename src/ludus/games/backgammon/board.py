"""Views of the board, rolls and moves as values, and how moves are written.

Each side's places run from its bar (25) down to off (0). Rolls and moves are tuples, because native
code creates thousands of them.
"""

from typing import Final, NamedTuple

BAR: Final = 25
OFF: Final = 0
HOME: Final = range(1, 7)


class View(NamedTuple):
    """Both sides' men on the places of the viewing side.

    The other side moves the other way: its bar is the viewer's place 0, its tray place 25.
    """

    own: tuple[int, ...]
    other: tuple[int, ...]

    def flip(self) -> "View":
        """Return the same board as the other side counts it."""
        return View(self.other[::-1], self.own[::-1])


BoardTuple = tuple[tuple[int, ...], tuple[int, int], tuple[int, int]]
"""The fields of a Board, as a plain tuple."""


class Board(NamedTuple):
    """The men as stored in a position, the same for both sides."""

    points: tuple[int, ...]
    bar: tuple[int, int]
    off: tuple[int, int]


def make_view(board: Board, side: int) -> View:
    """Return the board as this side counts it."""
    points, bar, off = board
    first = View(
        own=(off[0], *(max(men, 0) for men in points), bar[0]),
        other=(bar[1], *(max(-men, 0) for men in points), off[1]),
    )
    return first if side == 0 else first.flip()


def make_board(view: View, side: int) -> Board:
    """Return the board of which this is this side's view."""
    own, other = view if side == 0 else view.flip()
    points = tuple(mine - yours for mine, yours in zip(own[1:25], other[1:25], strict=True))
    return Board(points, (own[BAR], other[OFF]), (own[OFF], other[BAR]))


class Roll(NamedTuple):
    """A roll of two dice.

    >>> str(Roll(3, 1))
    '31'
    """

    first: int
    """The larger die, or either one of a double."""

    second: int
    """The smaller die."""

    @property
    def is_double(self) -> bool:
        return self.first == self.second

    def __repr__(self) -> str:
        return f"<Roll {self}>"

    def __str__(self) -> str:
        return f"{self.first}{self.second}"


class OpeningRoll(Roll):
    """Side 0's die and side 1's: the side with the higher one begins and plays both.

    >>> str(OpeningRoll(3, 1)), OpeningRoll(1, 3).beginner
    ('31', 1)
    """

    __slots__ = ()

    @property
    def beginner(self) -> int:
        """The side that begins."""
        return int(self.second > self.first)


ROLLS: Final = tuple(Roll(high, low) for high in range(1, 7) for low in range(1, high + 1))
"""Every roll of two dice."""

FIRST_ROLLS: Final = tuple(roll for roll in ROLLS if not roll.is_double)
"""Every first roll of a side that has won the roll-off."""

OPENING_ROLLS: Final[tuple[Roll, ...]] = tuple(
    OpeningRoll(first, second) for first in range(1, 7) for second in range(1, 7) if first != second
)
"""Every roll that decides which side begins; equal dice are rolled again."""


class Step(NamedTuple):
    """One man moved by one die, on places as the mover counts them: 25 is the bar, 0 is off."""

    start: int
    end: int
    hit: bool


class Move(NamedTuple):
    """All steps of one side with one roll; a move without steps is a pass.

    >>> str(Move(0, (Step(8, 5, False), Step(6, 5, False))))
    '8/5 6/5'
    """

    side: int
    """The side that moves."""

    steps: tuple[Step, ...]
    """The steps, the rearmost man first: an order in which they can always be played."""

    def __repr__(self) -> str:
        return f"<Move {self}>"

    def __str__(self) -> str:
        if not self.steps:
            return "pass"
        written: dict[str, int] = {}
        # Where two men leave one point, the smaller die is written first.
        for journey in _chain_steps(sorted(self.steps, reverse=True)):
            text = _format_journey(journey)
            # The second man to arrive hits nobody, but is still counted as `8/5*(2)`.
            hitting = next((known for known in written if known == f"{text}*"), text)
            written[hitting] = written.get(hitting, 0) + 1
        return " ".join(text + (f"({n})" if n > 1 else "") for text, n in written.items())


def format_place(place: int) -> str:
    """Return the written name of a place."""
    return {BAR: "bar", OFF: "off"}.get(place, str(place))


def place_name(place: str, side: int) -> str:
    """Convert between side 0's name of a place and another side's; its own inverse.

    >>> place_name("24", 1), place_name("24", 0), place_name("bar", 1)
    ('1', '24', 'bar')
    """
    return str(BAR - int(place)) if side == 1 and place.isdecimal() else place


def _chain_steps(steps: list[Step]) -> list[list[Step]]:
    """Chain the steps that one man can have made."""
    journeys: list[list[Step]] = []
    for step in steps:
        for journey in journeys:
            if journey[-1].end == step.start:
                journey.append(step)
                break
        else:
            journeys.append([step])
    return journeys


def _format_journey(journey: list[Step]) -> str:
    """Write `24/15`, with an intermediate stop only where a man was hit: `24/18*/15`."""
    last = journey[-1]
    stops = [step for step in journey if step.hit or step is last]
    ends = "".join(f"/{format_place(step.end)}{'*' * step.hit}" for step in stops)
    return format_place(journey[0].start) + ends
