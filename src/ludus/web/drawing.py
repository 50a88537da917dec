"""Boards as SVG with marks, hints and the pictures of players."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ludus.core.marks import Marks, Note, Picture
from ludus.games.move_entry import MoveEntry, PartialMove
from ludus.render.annotations import (
    PlaceCentre,
    count_beads_per_shape,
    draw_annotations,
    find_bounds,
    find_places,
)
from ludus.render.canvas import format_number
from ludus.web.explanations import picture_from_json
from ludus.web.game_tree import DICE, RULES, GameNode
from ludus.web.schemas import PictureView
from ludus.web.session import Session

PLACE_ATTRIBUTE = re.compile(r'data-place="([^"]+)"')
STYLE_ELEMENT = re.compile(r"<style>.*?</style>", re.DOTALL)


def draw_board(position: Any, marks: Marks) -> tuple[str, list[str]]:
    """Return the board as SVG without its style sheet, and the names of its places.

    The page supplies the style sheet, because its Content-Security-Policy forbids inline styles.
    """
    svg = STYLE_ELEMENT.sub("", position.svg(marks))
    return svg, PLACE_ATTRIBUTE.findall(svg)


def make_marks(entry: PartialMove, last: Sequence[str], more: Marks) -> Marks:
    """Mark the last move, then the places that may be touched, then `more`; later marks win."""
    kind = "take" if entry.stage == "take" else "legal"
    points = dict.fromkeys(last, "last") if not entry.touched else {}
    points |= dict.fromkeys(entry.places, kind)
    if entry.selected is not None:
        points[entry.selected] = "selected"
    return Marks(more.arrows, {**points, **more.points}, more.heat)


def mark_verdicts(
    entry: PartialMove, steps: Mapping[Any, tuple[str, ...]], kept: set[Any]
) -> Marks:
    """Mark each place that may be touched next as good if a move through it keeps the value."""
    size = len(entry.touched)
    fitting = {move: places for move, places in steps.items() if places[:size] == entry.touched}
    next_places = {move: places[size] for move, places in fitting.items() if len(places) > size}
    good = {place for move, place in next_places.items() if move in kept}
    return Marks(
        points={place: "good" if place in good else "bad" for place in next_places.values()}
    )


PLACE_ELEMENTS = re.compile(r'<rect class="place".*?</rect>', re.DOTALL)
"""Clickable areas, removed from pictures."""

MIN_HEAT = 0.005
"""Proportions below half a percent are not drawn."""

MAX_SCORED_MOVES = 9
"""Moves whose scores are written on the board."""

MAX_ARROWS = 4
"""Arrows among them; more would hide the board."""

BEST_COLOUR, OTHER_COLOUR, HEAT_COLOUR = 2, 0, 1
"""Colour numbers of notes."""

HEAT_TEXT_ELEMENT = re.compile(r'<text class="share" x="([^"]+)" y="([^"]+)"')

VIEW_BOX = re.compile(r'viewBox="[^"]*"')
MARGIN = 6
"""Margin around the places; everything further outside is cropped."""


def find_last_decision(session: Session, node: GameNode) -> GameNode:
    """Return the last node up to this one whose move was chosen."""
    while node.made_by in (DICE, RULES) and node.parent is not None:
        node = session.node(node.parent)
    return node


def draw_pictures(session: Session, number: int) -> list[PictureView]:
    """Draw the pictures of the player that moved last, over the position in which it moved."""
    node = find_last_decision(session, session.node(number))
    if node.explanation is None or node.parent is None:
        return []
    position = session.node(node.parent).position
    pictures = [picture_from_json(stored) for stored in node.explanation["pictures"]]
    if not pictures and len(node.explanation["scores"]) > 1:
        pictures = [
            _make_score_picture(session.move_entry, position, dict(node.explanation["scores"]))
        ]
    return [draw_picture(position, picture) for picture in pictures]


def draw_picture(position: Any, picture: Picture) -> PictureView:
    """Draw a picture over the board of its position."""
    marks = picture.marks
    heat = {place: value for place, value in marks.heat.items() if value >= MIN_HEAT}
    svg, _ = draw_board(position, replace(marks, heat=heat))
    view = 'viewBox="{:g} {:g} {:g} {:g}"'.format(*find_bounds(svg, MARGIN))
    # The board shows percentages on free places only; occupied places need a tag.
    written = set(HEAT_TEXT_ELEMENT.findall(svg))
    centres = find_places(svg)
    heat_notes = tuple(
        Note((place,), f"{100 * value:.0f}%", colour=HEAT_COLOUR)
        for place, value in heat.items()
        if place in centres and _written_centre(centres[place]) not in written
    )
    stands_for = count_beads_per_shape(picture.notes)
    counted = f" Each bead that is drawn stands for {stands_for}." if stands_for > 1 else ""
    return PictureView(
        title=picture.title,
        text=f"{picture.text}{counted}",
        svg=VIEW_BOX.sub(
            view,
            PLACE_ELEMENTS.sub(
                "", draw_annotations(svg, (*heat_notes, *picture.notes), picture.lines)
            ),
            count=1,
        ),
    )


def _written_centre(place: PlaceCentre) -> tuple[str, str]:
    """Return the coordinates as formatted in the SVG."""
    x, y = place.centre
    return format_number(x), format_number(y)


def _make_score_picture(
    move_entry: MoveEntry, position: Any, scores: Mapping[str, float]
) -> Picture:
    """Return a picture of the move scores, for a player without pictures of its own."""
    ranked = sorted(scores.items(), key=lambda item: -item[1])
    legal = {str(move): move_entry.paths(move) for move in position.legal_moves()}
    notes: dict[tuple[str, ...], Note] = {}
    for rank, (move, score) in enumerate(ranked[:MAX_SCORED_MOVES]):
        for step, path in enumerate(legal.get(move, ())):
            if len(path) == 1 or rank < MAX_ARROWS:
                colour = BEST_COLOUR if score == ranked[0][1] else OTHER_COLOUR
                notes.setdefault(
                    path, Note(path, "" if step else format_score(score), colour=colour)
                )
    text = "What it thought of the moves it liked best; higher is better for it."
    # Draw the best moves last, on top.
    return Picture("Its scores", text=text, notes=tuple(notes.values())[::-1])


def format_score(score: float) -> str:
    """Format a score in few characters."""
    return f"{score:.2f}" if abs(score) < 10 else f"{score:.0f}"


MAX_HINTS = 4
"""Number of moves shown."""

GOOD_COLOUR, BAD_COLOUR = 2, 3
RANK_COLOURS = (GOOD_COLOUR, 0, 4, 6)
"""Colours by rank if the cost of moves is unknown."""

COST_TEXTS = ("", " −½", " −1")
"""Value lost by a move, in points; a win is one point, a draw a half."""

AdvisedMove = Mapping[str, Any]
"""A move with its exact cost or a player's score."""


def make_hint_notes(
    move_entry: MoveEntry, position: Any, advised: Sequence[AdvisedMove]
) -> tuple[Note, ...]:
    """Return arrows for the best advised moves, numbered by rank, with their costs.

    Moves that differ only in the man they take are shown as one.
    """
    legal = {str(move): move_entry.paths(move) for move in position.legal_moves()}
    shown: dict[tuple[tuple[str, ...], ...], tuple[Note, ...]] = {}
    for move in advised:
        paths = legal.get(move["move"], ())
        if paths and paths not in shown and len(shown) < MAX_HINTS:
            rank = len(shown)
            text = f"{rank + 1}{_describe_cost(move, advised[0])}"
            colour = (
                RANK_COLOURS[rank]
                if "cost" not in move
                else BAD_COLOUR
                if move["cost"]
                else GOOD_COLOUR
            )
            # Put the text on an arrow that no better move shares, if there is one.
            taken = {path for other in shown for path in other}
            own = next((path for path in paths if path not in taken), paths[0])
            shown[paths] = tuple(
                Note(path, text if path == own else "", colour=colour) for path in paths
            )
    # Draw the best moves last, on top.
    return tuple(note for notes in reversed(shown.values()) for note in notes)


def _describe_cost(move: AdvisedMove, best: AdvisedMove) -> str:
    """Return the value lost by a move: exact, or relative to the best score."""
    if "cost" in move:
        return COST_TEXTS[move["cost"]]
    score, highest = move.get("score"), best.get("score")
    if score is None or highest is None or score >= highest:
        return ""
    return f" −{format_score(highest - score)}"
