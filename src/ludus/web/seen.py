"""A move as the player who made it saw the board: its pictures, drawn."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ludus.core.pictures import Note, Picture
from ludus.core.svg import number
from ludus.web.answers import PictureView
from ludus.web.boards.board import Board
from ludus.web.layers import Spot, area_of, beads_a_bead, laid_over, spots_of
from ludus.web.picture import drawn
from ludus.web.table import Table
from ludus.web.thoughts import from_json
from ludus.web.tree import DICE, RULES, Node

PLACES = re.compile(r'<rect class="place".*?</rect>', re.DOTALL)
"""Nobody clicks on a small picture."""

LEAST = 0.005
"""Shares that are less than half a percent are not drawn."""

MOST = 9
"""Moves whose scores are written on the board."""

MAX_ARROWS = 4
"""Those of them that go from place to place; more would hide the board."""

BEST, OTHER, WARM = 2, 0, 1
"""Colours."""

SHARE = re.compile(r'<text class="share" x="([^"]+)" y="([^"]+)"')

VIEW = re.compile(r'viewBox="[^"]*"')
MARGIN = 6
"""Around the places; what stands beside them is not needed to see what is meant."""


def decided(table: Table, node: Node) -> Node:
    """The last move that somebody chose, up to this node."""
    while node.by in (DICE, RULES) and node.parent is not None:
        node = table.node(node.parent)
    return node


def pictures_at(table: Table, number: int) -> list[PictureView]:
    """The pictures of the player who moved last, of the position in which it moved."""
    node = decided(table, table.node(number))
    if node.thought is None or node.parent is None:
        return []
    position = table.node(node.parent).position
    pictures = [from_json(kept) for kept in node.thought["pictures"]]
    if not pictures and len(node.thought["scores"]) > 1:
        pictures = [_scores(table.board, position, dict(node.thought["scores"]))]
    return [drawn_picture(position, picture) for picture in pictures]


def drawn_picture(position: Any, picture: Picture) -> PictureView:
    """A picture laid over the board of its position."""
    marks = picture.marks
    heat = {place: share for place, share in marks.heat.items() if share >= LEAST}
    svg, _ = drawn(position, replace(marks, heat=heat))
    view = 'viewBox="{:g} {:g} {:g} {:g}"'.format(*area_of(svg, MARGIN))
    # A share is written where a place is free; where a man stands it needs a tag.
    written = set(SHARE.findall(svg))
    spots = spots_of(svg)
    shares = tuple(
        Note((place,), f"{100 * share:.0f}%", colour=WARM)
        for place, share in heat.items()
        if place in spots and _at(spots[place]) not in written
    )
    stands_for = beads_a_bead(picture.notes)
    counted = f" Each bead that is drawn stands for {stands_for}." if stands_for > 1 else ""
    return PictureView(
        title=picture.title,
        text=f"{picture.text}{counted}",
        svg=VIEW.sub(
            view, PLACES.sub("", laid_over(svg, (*shares, *picture.notes), picture.lines)), count=1
        ),
    )


def _at(spot: Spot) -> tuple[str, str]:
    """A spot as it is written in a picture."""
    x, y = spot.middle
    return number(x), number(y)


def _scores(board: Board, position: Any, scores: Mapping[str, float]) -> Picture:
    """What a player without pictures of its own thinks of the moves: the scores on the board."""
    ranked = sorted(scores.items(), key=lambda item: -item[1])
    legal = {str(move): board.ways(move) for move in position.legal_moves()}
    notes: dict[tuple[str, ...], Note] = {}
    for rank, (move, score) in enumerate(ranked[:MOST]):
        for step, way in enumerate(legal.get(move, ())):
            if len(way) == 1 or rank < MAX_ARROWS:
                colour = BEST if score == ranked[0][1] else OTHER
                notes.setdefault(way, Note(way, "" if step else short(score), colour=colour))
    text = "What it thought of the moves it liked best; higher is better for it."
    # The best ones lie on top.
    return Picture("Its scores", text=text, notes=tuple(notes.values())[::-1])


def short(score: float) -> str:
    """A score in few characters."""
    return f"{score:.2f}" if abs(score) < 10 else f"{score:.0f}"
