"""What the Fuzzy player sees: the chances of its moves, patterns with their scores, and threats."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ludus.core.marks import Marks
from ludus.core.pictures import Note, Picture
from ludus.games.nine_mens_morris.board import POINTS
from ludus.learn.patterns.fuzzy import Knowledge, threats_to
from ludus.learn.patterns.quadrants import HOMES, PLACES, QUADRANTS, in_rows, pattern

if TYPE_CHECKING:
    from ludus.games.nine_mens_morris.move import Move

SIDES = ("top", "right", "bottom", "left")
"""The quadrants, as a board lies."""

DANGER = 3

LEAST = 0.005
"""Chances below half a percent are not shown."""

MOST = 5
"""Threats that are shown, the largest ones."""


def chances(shares: Mapping["Move", float]) -> Picture:
    """How likely a man was to go to each point."""
    heat: dict[str, float] = {}
    for move, share in shares.items():
        if move.to is not None:
            heat[POINTS[move.to]] = heat.get(POINTS[move.to], 0.0) + share
    return Picture(
        "Chances",
        Marks(heat={point: share for point, share in heat.items() if share >= LEAST}),
        "How likely it was to go to each point, in percent, before chance decided.",
    )


def patterns_made(position: Any, move: "Move", known: Knowledge) -> Iterator[Picture]:
    """The pattern that a move makes in each quadrant it comes to, with its score."""
    if move.to is None:
        return
    before = position.bits[position.mover]
    after = before | 1 << move.to
    if move.frm is not None:
        after &= ~(1 << move.frm)
    for quadrant in HOMES[move.to]:
        old, new = pattern(before, quadrant), pattern(after, quadrant)
        points = [POINTS[point] for point in QUADRANTS[quadrant]]
        men = [name for place, name in enumerate(points) if new >> (PLACES - 1 - place) & 1]
        score = compact(known.scores[new])
        was = f"it was {compact(known.scores[old])}"
        made = "" if (old, new) in known.edges else ", but it has not seen this move often enough"
        yield Picture(
            f"Pattern at the {SIDES[quadrant]}",
            Marks(points=dict.fromkeys(men, "selected")),
            f"Pattern {new} ({in_rows(new)}) has the score {score}; {was}{made}.",
            (Note((POINTS[move.to],), score),),
            (*(tuple(points[row : row + 3]) for row in (0, 3, 6)), tuple(points[1::3])),
        )


def threats(position: Any, known: Knowledge) -> Picture | None:
    """Where the other side could make a pattern that is worth blocking; None if nowhere."""
    found = threats_to(position, known) if known.defends else {}
    if not found:
        return None
    worst = sorted(found.items(), key=lambda item: -item[1])[:MOST]
    return Picture(
        "What it fears",
        text="Where the other side could make a much better pattern, and the score of that.",
        notes=tuple(
            Note((POINTS[point],), compact(score), colour=DANGER) for point, score in worst
        ),
    )


def compact(score: float) -> str:
    """A score in few characters, for they grow with a power.

    >>> [compact(score) for score in (1, 8.25, 430, 21_500, 3_400_000, 7.1e12)]
    ['1.0', '8.2', '430', '22k', '3.4M', '7e12']
    """
    if score < 100:
        return f"{score:.1f}"
    if score < 1000:
        return f"{score:.0f}"
    for unit, letter in ((1e6, "k"), (1e9, "M")):
        if score < unit:
            small = score / (unit / 1000)
            return f"{small:.{0 if small >= 10 else 1}f}{letter}"
    return f"{score:.0e}".replace("e+0", "e").replace("e+", "e")
