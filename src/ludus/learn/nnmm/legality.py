"""The legality test of the thesis (6.4): how far predicted moves keep the rules.

Five tests look at parts of a move, each by itself or beside the parts it has to fit; the other
lines put them together. A move is legal if it passes all five. Two judges can be asked:

`rules` is the game itself. Men in mills may be taken where all of them stand in mills.

`author` is the check of the published program, which produced the published figures. It wants to
know the same, but asks whether all *points* lie in lines with two more men, which is never so: so
every man in a mill is safe, and a mill that finds no other man has no legal move. It also holds
men placed, if a FROM is named for them, to the lines of the board.

Positions are those of games that go on; whether a game is over is not asked.
"""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.datasets.morris import Entries
from ludus.datasets.morris.boards import ALL_POINTS, bit, closes_mill, in_mills, neighbour_masks
from ludus.datasets.morris.entries import NONE, POINT_OF_CLASS
from ludus.datasets.morris.moves import takeable
from ludus.games.nine_mens_morris.rules import PRESETS
from ludus.learn.nnmm.accuracy import Classes
from ludus.learn.nnmm.shares import Lines, Mask, Share

Judge = Literal["rules", "author"]
JUDGES: tuple[Judge, ...] = ("rules", "author")

STANDARD = PRESETS["standard"]


class Verdicts(NamedTuple):
    """For each predicted move, which of the five tests it passes."""

    to_self: Mask
    """TO is free and, for a man that steps, beside a man of the mover."""

    frm_self: Mask
    """FROM is a man of the mover, or nothing while men are placed."""

    remove_self: Mask
    """REMOVE is nothing, or a man of the enemy that may be taken."""

    frm_to: Mask
    """A man that steps goes along a line."""

    remove_frm_to: Mask
    """A man is taken if and only if a mill is closed."""

    @property
    def whole_frm(self) -> Mask:
        """TO and FROM are right, by themselves and together."""
        return self.to_self & self.frm_self & self.frm_to

    @property
    def whole_remove(self) -> Mask:
        """As published: without asking whether FROM and TO lie beside each other."""
        return self.to_self & self.frm_self & self.remove_self & self.remove_frm_to

    @property
    def whole_move(self) -> Mask:
        return self.whole_frm & self.whole_remove


def verdicts(positions: Entries, predicted: Classes, judge: Judge = "rules") -> Verdicts:
    """What a judge says to predicted moves, rows of TO, FROM and REMOVE."""
    own, other, phases = positions.own, positions.other, positions.phases
    to, frm, take = POINT_OF_CLASS[predicted].T
    to_bit, frm_bit, take_bit = bit(to), bit(frm), bit(take)
    near = neighbour_masks(STANDARD.diagonals)
    steps = phases == 2
    is_free = to_bit & ~(own | other) & ALL_POINTS != 0
    closes = closes_mill(own & ~frm_bit | to_bit, to, STANDARD.diagonals)
    if judge == "author":
        booty = other & ~in_mills(other, STANDARD.diagonals)
        must_take = closes
        is_held_to_lines = (phases != 3) & (frm != NONE)
    else:
        booty = takeable(other, STANDARD)
        must_take = closes & (booty != 0)
        is_held_to_lines = steps & (frm != NONE)
    takes = take != NONE
    return Verdicts(
        to_self=is_free & (~steps | _meets(near[to], own)),
        frm_self=np.where(phases == 1, frm == NONE, _meets(frm_bit, own)),
        remove_self=~takes | _meets(take_bit, booty),
        frm_to=~is_held_to_lines | _meets(near[frm], to_bit),
        remove_frm_to=takes == must_take,
    )


def legality(positions: Entries, predicted: Classes, judge: Judge = "rules") -> Lines:
    """All lines of the test, in the order of the thesis."""
    found = verdicts(positions, predicted, judge)
    return {
        "TO self": Share.counted(found.to_self),
        "FROM self": Share.counted(found.frm_self),
        "REMOVE self": Share.counted(found.remove_self),
        "FROM-TO relation": Share.counted(found.frm_to),
        "REMOVE-FROM-TO relation": Share.counted(found.remove_frm_to),
        "whole FROM": Share.counted(found.whole_frm),
        "whole phase 2 FROM": Share.counted(found.whole_frm, positions.phases == 2),
        "whole REMOVE": Share.counted(found.whole_remove),
        "whole chosen REMOVE": Share.counted(found.whole_remove, predicted[:, 2] != 0),
        "whole move": Share.counted(found.whole_move),
    }


def _meets(first: NDArray[np.uint32], second: NDArray[np.uint32]) -> Mask:
    meets: Mask = first & second != 0
    return meets
