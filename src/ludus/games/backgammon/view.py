"""The board as one side sees it: that side's places run from the bar (25) down to off (0)."""

from typing import Final, NamedTuple

BAR: Final = 25
OFF: Final = 0
HOME: Final = range(1, 7)


class View(NamedTuple):
    """Both sides' men on the places of the side that looks.

    The other side walks the other way: its bar is the viewer's place 0, its tray place 25.
    """

    own: tuple[int, ...]
    their: tuple[int, ...]

    def turned(self) -> "View":
        """The same board as the other side sees it."""
        return View(self.their[::-1], self.own[::-1])


Men = tuple[tuple[int, ...], tuple[int, int], tuple[int, int]]
"""The fields of a Board, as a plain tuple."""


class Board(NamedTuple):
    """The men as a position holds them, the same for both sides."""

    points: tuple[int, ...]
    bar: tuple[int, int]
    off: tuple[int, int]


def view_of(board: Board, side: int) -> View:
    """The board as this side sees it."""
    points, bar, off = board
    first = View(
        own=(off[0], *(max(men, 0) for men in points), bar[0]),
        their=(bar[1], *(max(-men, 0) for men in points), off[1]),
    )
    return first if side == 0 else first.turned()


def board_of(view: View, side: int) -> Board:
    """The board that looks like this to this side."""
    own, their = view if side == 0 else view.turned()
    points = tuple(mine - yours for mine, yours in zip(own[1:25], their[1:25], strict=True))
    return Board(points, (own[BAR], their[OFF]), (own[OFF], their[BAR]))
