"""One turn of a side: a man placed or moved and, where a mill is closed, a man taken."""

from typing import NamedTuple

from ludus.games.nine_mens_morris.board import POINTS


class Move(NamedTuple):
    """Point numbers, each None where the turn has no such part; all None is a pass.

    >>> str(Move(frm=9, to=17, take=22))
    'd6-d5xc3'
    """

    frm: int | None
    """The point a man leaves; None when it comes from the hand."""

    to: int | None
    """The point it goes to."""

    take: int | None
    """The point from which an enemy man is taken."""

    def __str__(self) -> str:
        if self.to is None:
            return "pass"
        start = "" if self.frm is None else f"{POINTS[self.frm]}-"
        end = "" if self.take is None else f"x{POINTS[self.take]}"
        return f"{start}{POINTS[self.to]}{end}"


PASS = Move(None, None, None)
