"""How often each point is TO, FROM and REMOVE, as three boards beside each other."""

from itertools import pairwise

from ludus.core.svg import Canvas, Point
from ludus.core.theme import STYLE
from ludus.datasets.morris.entries import PARTS
from ludus.datasets.morris.statistics import CLASS_NAMES, Statistics
from ludus.games.nine_mens_morris.board import POINTS, mills

FILES, RANKS = "abcdefg", "7654321"

STEP = 44
"""From file to file."""

MARGIN = 32
"""From the edge of a board to its outer square, and between boards."""

HEAD = 34
"""Above the boards."""

BOARD = 6 * STEP + 2 * MARGIN
REACH = 19
"""Radius of the disc for the most frequent point; that of a point never used is half of it."""


def picture(found: Statistics, title: str) -> str:
    """An SVG document. Colours tell what is frequent within a board, numbers are per cent."""
    width, height = 3 * BOARD + 4 * MARGIN, HEAD + BOARD + 44
    text = f"{found.with_move} moves; per cent of them by point"
    canvas = Canvas(width, height, title, text, style=STYLE)
    canvas.rect((0, 0), width, height, "ground", 14)
    for part, name in enumerate(PARTS):
        corner = (MARGIN + part * (BOARD + MARGIN), float(HEAD))
        _draw_board(canvas, corner)
        shares = dict(zip(CLASS_NAMES, found.shares(part).tolist(), strict=True))
        none = shares.pop("none")
        said = f"{name}, in {1 - none:.1%} of {found.with_move} moves"
        canvas.text((corner[0] + BOARD / 2, HEAD + BOARD + 22), said, "said")
        _draw_shares(canvas, corner, shares)
    canvas.text((width / 2, HEAD / 2), title, "said")
    return canvas.document()


def _draw_board(canvas: Canvas, corner: Point) -> None:
    canvas.rect(corner, BOARD, BOARD, "board", 10)
    canvas.rect(corner, BOARD, BOARD, "edge", 10)
    for mill in mills(diagonals=False):
        for start, end in pairwise(mill):
            canvas.line(_centre(corner, POINTS[start]), _centre(corner, POINTS[end]), "line")


def _draw_shares(canvas: Canvas, corner: Point, shares: dict[str, float]) -> None:
    most = max(shares.values()) or 1
    for place, share in shares.items():
        centre = _centre(corner, place)
        radius = REACH * (0.5 + 0.5 * share / most)
        canvas.circle(centre, radius, "board")
        canvas.circle(centre, radius, "heat", 0.08 + 0.87 * share / most)
        canvas.text(centre, f"{100 * share:.1f}", "share")
        x, y = centre[0] - STEP / 2, centre[1] - STEP / 2
        canvas.place((x, y), STEP, STEP, place, f"{place}: {share:.2%}")


def _centre(corner: Point, place: str) -> Point:
    column, row = FILES.index(place[0]), RANKS.index(place[1])
    return corner[0] + MARGIN + STEP * column, corner[1] + MARGIN + STEP * row
