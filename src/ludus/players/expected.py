"""The line of play that a search expects, drawn over the board it looked at."""

from collections.abc import Sequence
from typing import Any

from ludus.core.game import AnyGame
from ludus.core.marks import Marks
from ludus.core.pictures import Note, Picture

MOST = 6
"""Plies that are drawn; more would hide the board."""

OWN, OTHER = 0, 1
"""Colours of the two sides' moves."""


def expected(game: AnyGame, position: Any, line: Sequence[Any], comes_to: str) -> Picture:
    """The first moves of a line, numbered; men that it expects to be taken are crossed out."""
    notes: list[Note] = []
    taken: dict[str, str] = {}
    mover = position.mover
    for ply, move in enumerate(line[:MOST], 1):
        steps = list(game.steps(move))
        if move.take is not None:
            taken[steps.pop()] = "take"
        if steps:  # a pass has none
            colour = OWN if position.mover == mover else OTHER
            notes.append(Note(tuple(steps), str(ply), colour=colour))
        position = position.play(move)
        if position.outcome() is not None:
            break
    return Picture(
        "What it expects",
        Marks(points=taken),
        f"{comes_to[:1].upper()}{comes_to[1:]}. The moves it expects, in order; "
        "its own are the odd ones, and crossed men are taken.",
        tuple(notes),
    )
