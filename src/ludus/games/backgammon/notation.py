"""Reading moves: any ordering and any legal way that ends on the board that was meant.

`8/5 6/5`, `6/5,8/5`, `bar/22/18`, `24/15`, `6/off(2)`, `13/7*(2)`; 25 may stand for the bar and 0
for off. Stars may be left out where the board leaves no doubt; where one way hits and another does
not, the text without a star means the one that does not.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from ludus.core.errors import BadMove, check_length, quoted
from ludus.games.backgammon.moves import Move, Roll
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.reference import plays, step
from ludus.games.backgammon.view import BAR, OFF, View, view_of

PLACE: Final = r"(?:bar|off|[0-9]{1,2})"
PART: Final = re.compile(rf"({PLACE}(?:/{PLACE}\*?)+)(?:\(([1-4])\))?(\*?)", re.ASCII | re.I)
ROLL: Final = re.compile(r"([1-6])([1-6])", re.ASCII)

Leg = tuple[int, int]


def read_roll(text: str, position: Position) -> Roll:
    """The roll a text stands for: two digits, in any order."""
    match = ROLL.fullmatch(check_length(text, BadMove).strip())
    if match is not None:
        first, second = int(match[1]), int(match[2])
        roll = Roll(max(first, second), min(first, second))
        if roll in position.legal_moves():
            return roll
    raise BadMove(f"{quoted(text)} is not a roll that can fall here")


def read_move(text: str, position: Position) -> Move:
    """The legal move a text stands for; BadMove if there is none, or no telling which."""
    wanted = check_length(text, BadMove).strip().lower()
    legal = plays(position)
    view = view_of(position.board, position.turn)
    if wanted == "pass":
        meant = [move for move in legal.values() if not move.steps]
    else:
        legs, stars = _parsed(text, wanted)
        ends = _ends(view, legs, position.dice or ())
        meant = _hitting([legal[end] for end in ends if end in legal], stars)
    if len(meant) == 1:
        return meant[0]
    if meant:
        ways = ", ".join(str(move) for move in meant)
        raise BadMove(f"{quoted(text)} can mean {ways}: say which")
    examples = ", ".join(str(move) for move in list(legal.values())[:3])
    more = ", …" if len(legal) > 3 else ""
    raise BadMove(f"{quoted(text)} is not a legal move here; legal are {examples}{more}")


def _parsed(text: str, wanted: str) -> tuple[list[Leg], frozenset[int]]:
    """What one man after another walks, and the points that carry a star."""
    legs: list[Leg] = []
    stars: set[int] = set()
    for part in re.split(r"[\s,]+", wanted):
        match = PART.fullmatch(part)
        if match is None:
            raise BadMove(
                f"{quoted(part)} in {quoted(text)} is not of the form 8/5, bar/22 or 6/off"
            )
        stops = [_place(name.rstrip("*"), text) for name in match[1].split("/")]
        legs += list(pairwise(stops)) * int(match[2] or 1)
        starred = [
            stop for name, stop in zip(match[1].split("/"), stops, strict=True) if "*" in name
        ]
        stars.update(starred + [stops[-1]] * len(match[3]))
    return legs, frozenset(stars)


def _place(name: str, text: str) -> int:
    place = {"bar": BAR, "off": OFF}.get(name)
    if place is None:
        place = int(name)
    if place > BAR:
        raise BadMove(f"there is no point {place} in {quoted(text)}")
    return place


def _hitting(moves: list[Move], stars: frozenset[int]) -> list[Move]:
    """The moves that hit exactly where the stars are, or else those that hit at least there."""
    hits = {move: frozenset(step.end for step in move.steps if step.hit) for move in moves}
    exact = [move for move in moves if hits[move] == stars]
    return exact or [move for move in moves if hits[move] >= stars]


def _ends(view: View, legs: Sequence[Leg], dice: tuple[int, ...]) -> list[View]:
    """Every board on which the men have walked these legs, each found once."""
    if len(set(dice)) == 1:
        dice *= 2
    ends: dict[View, None] = {}
    if len(legs) <= len(dice):
        for steps in _divided(tuple(legs), dice):
            end = _walked(view, steps)
            if end is not None:
                ends[end] = None
    return list(ends)


def _divided(legs: tuple[Leg, ...], dice: tuple[int, ...]) -> Iterator[tuple[Leg, ...]]:
    """Every way to walk the legs die by die, as pairs of start and die."""
    if not legs:
        yield ()
        return
    (start, goal), rest = legs[0], legs[1:]
    for die in sorted(set(dice)):
        end = max(start - die, OFF)
        if end < goal:
            continue
        remaining = list(dice)
        remaining.remove(die)
        onward = rest if end == goal else ((end, goal), *rest)
        for steps in _divided(onward, tuple(remaining)):
            yield ((start, die), *steps)


def _walked(view: View, steps: Sequence[Leg]) -> View | None:
    """The board after the steps, the man furthest back first; None if one is not allowed."""
    for start, die in sorted(steps, reverse=True):
        moved = step(view, start, die)
        if moved is None:
            return None
        view = moved[0]
    return view
