"""A player's comment, scores and pictures as JSON, and pictures read back from it.

Used by workers and server.
"""

from collections.abc import Mapping
from typing import Any

from ludus.core.game import Position
from ludus.core.marks import NUM_COLOURS, HasPictures, Marks, Note, Picture
from ludus.core.player import Choice, Player

MAX_SCORES = 40
"""Moves whose scores are sent."""

MAX_PICTURES = 12
MAX_NOTES = 100
"""Notes, and likewise lines and arrows, per picture."""

MAX_TEXT = 1_000
"""Characters per text."""

Json = dict[str, Any]


def explain_choice(player: Player, position: Position, choice: Choice) -> Json:
    """Return the comment, the scores (best first) and the player's pictures of the position."""
    ranked = sorted(choice.scores.items(), key=lambda item: -item[1])[:MAX_SCORES]
    return {
        "comment": choice.comment[: 4 * MAX_TEXT],
        "scores": [[str(move), float(score)] for move, score in ranked],
        "pictures": [picture_to_json(picture) for picture in _collect_pictures(player, position)],
    }


def _collect_pictures(player: Player, position: Position) -> list[Picture]:
    """Return the player's pictures; a failure to draw them does not invalidate its move."""
    if not isinstance(player, HasPictures):
        return []
    try:
        pictures = list(player.pictures(position))[:MAX_PICTURES]
        return [each if isinstance(each, Picture) else Picture(*each) for each in pictures]
    except Exception as error:
        return [Picture("No picture", text=f"It failed: {type(error).__name__}: {error}")]


def picture_to_json(picture: Picture) -> Json:
    """Return a picture as stored."""
    marks = picture.marks
    return {
        "title": picture.title[:MAX_TEXT],
        "text": picture.text[:MAX_TEXT],
        "arrows": [list(arrow) for arrow in marks.arrows[:MAX_NOTES]],
        "points": dict(marks.points),
        "heat": {place: float(value) for place, value in marks.heat.items()},
        "notes": [
            [list(note.places), note.text[:20], int(note.beads), note.colour % NUM_COLOURS]
            for note in picture.notes[:MAX_NOTES]
        ],
        "lines": [list(line) for line in picture.lines[:MAX_NOTES]],
    }


def picture_from_json(data: Mapping[str, Any]) -> Picture:
    """Return a stored picture; older versions lack text, notes and lines."""
    arrows = tuple((start, end) for start, end in data["arrows"])
    return Picture(
        data["title"],
        Marks(arrows, data["points"], data["heat"]),
        data.get("text", ""),
        tuple(
            Note(tuple(places), text, beads, colour)
            for places, text, beads, colour in data.get("notes", ())
        ),
        tuple(tuple(line) for line in data.get("lines", ())),
    )
