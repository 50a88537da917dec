"""Boards as SVG with marks, hints and the pictures of players."""

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ludus.analysis.evaluation import EvaluatedMoveJson
from ludus.core.errors import LudusError
from ludus.core.game import Position
from ludus.core.marks import Marks, Note, Picture
from ludus.games import registered_game
from ludus.games.move_entry import AnyMoveEntry, Arrangement, get_move_entry
from ludus.render.canvas import format_number
from ludus.render.overlay import count_beads_per_shape, draw_annotations
from ludus.web.explanations import MoveExplanation
from ludus.web.game_tree import DICE, RULES, GameNode
from ludus.web.schemas.games import PictureView

if TYPE_CHECKING:
    from ludus.web.game_record import GameRecord


MARK_KINDS = ("legal", "selected", "take", "good", "bad")
"""The marks that the page sets while a move is entered."""


def draw_mark_shapes(game_spec: tuple[str, str]) -> dict[str, str]:
    """Return the shapes of each kind of mark, around the point 0, 0."""
    game = registered_game(*game_spec)
    position, move_entry = game.start(), get_move_entry(game)
    place, slots = next(iter(move_entry.slots().items()))
    _, count = move_entry.stacks(position).get(place, (0, 0))
    reach = max(min(count, slots.size) - 1, 0)
    x, y = slots.x + reach * slots.step_x, slots.y + reach * slots.step_y
    plain = set(position.drawing().shapes)
    drawn = {}
    for kind in MARK_KINDS:
        marked = position.drawing(Marks(points={place: kind})).shapes
        shapes = "".join(shape for shape in marked if shape not in plain)
        drawn[kind] = f'<g transform="translate({-x:g} {-y:g})">{shapes}</g>'
    return drawn


def draw_men_shapes(game_spec: tuple[str, str]) -> list[str]:
    """Return the shapes of a man of each side, around the point 0, 0; empty where unknown."""
    move_entry = get_move_entry(registered_game(*game_spec))
    (place, slots), (other, _) = itertools.islice(move_entry.slots().items(), 2)
    try:
        drawn = [
            move_entry.from_arrangement(Arrangement({place: (side, 1), other: (1 - side, 1)}, 0))
            .drawing()
            .shapes
            for side in (0, 1)
        ]
    except LudusError:
        return ["", ""]
    classes = ("man white|stroke cross", "man black|stroke nought")
    return [
        "".join(
            _move_shape(shape, -slots.x, -slots.y)
            for shape in drawn[side]
            if shape not in drawn[1 - side] and re.search(f'class="({classes[side]})"', shape)
        )
        for side in (0, 1)
    ]


def _move_shape(shape: str, right: float, down: float) -> str:
    """Return a circle or a path of absolute coordinates at another place."""
    if shape.startswith("<circle"):
        return _shift(_shift(shape, "cx", right), "cy", down)
    steps = itertools.cycle((right, down))
    return re.sub(
        '(?<= d=")[^"]+',
        lambda path: re.sub(
            r"-?[\d.]+", lambda number: format_number(float(number[0]) + next(steps)), path[0]
        ),
        shape,
    )


def _shift(shape: str, name: str, step: float) -> str:
    """Return a shape with a step added to one of its coordinates."""
    value = f'(?<= {name}=")[^"]+'
    return re.sub(value, lambda found: format_number(float(found[0]) + step), shape)


MIN_HEAT = 0.005
"""Proportions below half a percent are not drawn."""

MAX_SCORED_MOVES = 9
"""Moves whose scores are written on the board."""

MAX_ARROWS = 4
"""Arrows among them; more would hide the board."""

BEST_COLOUR, OTHER_COLOUR, HEAT_COLOUR = 2, 0, 1
"""Colour numbers of notes."""

MARGIN = 14
"""Margin around the places, for labels; everything further outside is cropped."""


def find_last_decision(record: "GameRecord", node: GameNode) -> GameNode:
    """Return the last node up to this one whose move was chosen."""
    while node.made_by in (DICE, RULES) and node.parent is not None:
        node = record.node(node.parent)
    return node


def draw_pictures(record: "GameRecord", number: int) -> list[PictureView]:
    """Draw the pictures of the player that moved last, over the position in which it moved."""
    node = find_last_decision(record, record.node(number))
    if node.explanation is None or node.parent is None:
        return []
    position = record.node(node.parent).position
    return draw_explanation(record.move_entry, position, node.explanation)


def draw_explanation(
    move_entry: AnyMoveEntry, position: Position, explanation: MoveExplanation
) -> list[PictureView]:
    """Draw the pictures of a player's explanation, or its scores if it has no pictures."""
    pictures = [stored.to_picture() for stored in explanation.pictures]
    if not pictures and len(explanation.scores) > 1:
        pictures = [_make_score_picture(move_entry, position, dict(explanation.scores))]
    return [draw_picture(position, picture) for picture in pictures]


def draw_move(
    move_entry: AnyMoveEntry, position: Position, move: str, is_good: bool
) -> PictureView:
    """Draw a move as arrows over its position."""
    paths = next(
        (move_entry.paths(legal) for legal in position.legal_moves() if str(legal) == move), ()
    )
    colour = GOOD_COLOUR if is_good else BAD_COLOUR
    notes = tuple(Note(path, "" if len(path) > 1 else "here", colour=colour) for path in paths)
    return draw_picture(position, Picture(f"Plays {move}", notes=notes))


def draw_picture(position: Position, picture: Picture) -> PictureView:
    """Draw a picture over the board of its position."""
    marks = picture.marks
    heat = {place: value for place, value in marks.heat.items() if value >= MIN_HEAT}
    board = position.drawing(replace(marks, heat=heat))
    # The board shows percentages on free places only; occupied places need a tag.
    heat_notes = tuple(
        Note((place,), f"{100 * value:.0f}%", colour=HEAT_COLOUR)
        for place, value in heat.items()
        if place in board.occupied
    )
    stands_for = count_beads_per_shape(picture.notes)
    counted = f" Each bead that is drawn stands for {stands_for}." if stands_for > 1 else ""
    drawing = draw_annotations(board, (*heat_notes, *picture.notes), picture.lines)
    return PictureView(
        title=picture.title,
        text=f"{picture.text}{counted}",
        svg=drawing.cropped(MARGIN).svg(has_style=False, has_places=False),
    )


def _make_score_picture(
    move_entry: AnyMoveEntry, position: Position, scores: Mapping[str, float]
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
    text = "Its scores of the moves it rated best; higher is better."
    # Draw the best moves last, on top.
    return Picture("Its scores", text=text, notes=tuple(notes.values())[::-1])


def format_score(score: float) -> str:
    """Format a score in few characters."""
    # Adding 0 turns -0.0 into 0.0.
    return f"{round(score, 2) + 0:.2f}" if abs(score) < 10 else f"{score:.0f}"


MAX_HINTS = 4
"""Number of moves shown."""

GOOD_COLOUR, BAD_COLOUR = 2, 3

RESULT_TEXTS = {"win": "wins", "draw": "draws", "loss": "loses"}

Paths = tuple[tuple[str, ...], ...]
"""Where the men of a move go, as in `MoveEntry.paths`."""


def draw_hints(
    move_entry: AnyMoveEntry,
    position: Position,
    touched: tuple[str, ...],
    advised: Sequence[EvaluatedMoveJson],
) -> str:
    """Return arrows for the best advised moves as SVG, to lie over the drawn board."""
    board = replace(move_entry.enter(position, touched).position.drawing(), shapes=())
    notes = make_hint_notes(move_entry, position, touched, advised)
    return "".join(draw_annotations(board, notes).shapes)


def make_hint_notes(
    move_entry: AnyMoveEntry,
    position: Position,
    touched: tuple[str, ...],
    advised: Sequence[EvaluatedMoveJson],
) -> tuple[Note, ...]:
    """Return arrows for the best advised moves, each with its result or its rank.

    Moves that differ only in the man they take are shown as one. Of a partial move, only what is
    still to be done is shown.
    """
    matching = {str(move): move for move in move_entry.matching_moves(position, touched)}
    legal = {
        text: _remove_entered(move_entry.paths(move), touched) for text, move in matching.items()
    }
    shown: dict[Paths, tuple[Note, ...]] = {}
    costs: list[float] = []
    for move in advised:
        paths = legal.get(move["move"], ())
        # Arrows of several men hide each other: fewer moves are shown.
        if paths and paths not in shown and len(shown) < (MAX_HINTS if len(paths) == 1 else 2):
            rank = 1 + sum(cost < move["cost"] for cost in costs)
            costs.append(move["cost"])
            text = RESULT_TEXTS.get(move["value"] or "", str(rank))
            colour = BAD_COLOUR if move["mark"] else GOOD_COLOUR
            # Put the text on an arrow that no better move shares, if there is one.
            taken = {path for other in shown for path in other}
            own = next((path for path in paths if path not in taken), paths[0])
            shown[paths] = tuple(
                Note(path, text if path == own else "", colour=colour) for path in paths
            )
            if len(shown) == 1:
                shown[paths] += _note_taken(move_entry, matching[move["move"]])
    # Draw the best moves last, on top.
    return tuple(note for notes in reversed(shown.values()) for note in notes)


def _note_taken(move_entry: AnyMoveEntry, move: Any) -> tuple[Note, ...]:
    """Return a note on each man that a move takes from a place to which no man goes."""
    places = {place for path in move_entry.paths(move) for place in path}
    taken = [place for place in move_entry.game.steps(move) if place not in places]
    return tuple(Note((place,), "takes", colour=BAD_COLOUR) for place in taken)


def _remove_entered(paths: Paths, touched: tuple[str, ...]) -> Paths:
    """Return the paths of a move without those that are entered already."""
    entered = list(zip(touched[::2], touched[1::2], strict=False))
    left = []
    for path in paths:
        if path in entered:
            entered.remove(path)
        else:
            left.append(path)
    return tuple(left)
