"""What a player thought, as plain objects that JSON can hold, and read back from them.

A thought is kept with the game. One that an older version kept may lack what came later.
"""

from collections.abc import Mapping
from typing import Any

from ludus.core.marks import Marks
from ludus.core.pictures import NUM_COLOURS, HasPictures, Note, Picture
from ludus.core.player import Choice, Player

MAX_SCORES = 40
"""Moves whose scores are told."""

MAX_PICTURES = 12
MAX_NOTES = 100
"""On one picture, and lines as well."""

MAX_TEXT = 1_000
"""Characters of one text; nobody reads more below a picture."""

Json = dict[str, Any]


def thought_of(player: Player, position: Any, choice: Choice) -> Json:
    """A sentence, scores best first, and the player's own pictures of the position."""
    ranked = sorted(choice.scores.items(), key=lambda item: -item[1])[:MAX_SCORES]
    return {
        "comment": choice.comment[: 4 * MAX_TEXT],
        "scores": [[str(move), float(score)] for move, score in ranked],
        "pictures": [as_json(picture) for picture in _pictures(player, position)],
    }


def _pictures(player: Player, position: Any) -> list[Picture]:
    """The player's pictures; one that cannot draw them says so, and its move counts as well."""
    if not isinstance(player, HasPictures):
        return []
    try:
        found = list(player.pictures(position))[:MAX_PICTURES]
        return [each if isinstance(each, Picture) else Picture(*each) for each in found]
    except Exception as error:
        return [Picture("No picture", text=f"It failed: {type(error).__name__}: {error}")]


def as_json(picture: Picture) -> Json:
    """A picture as it is kept."""
    marks = picture.marks
    return {
        "title": picture.title[:MAX_TEXT],
        "text": picture.text[:MAX_TEXT],
        "arrows": [list(arrow) for arrow in marks.arrows[:MAX_NOTES]],
        "points": dict(marks.points),
        "heat": {place: float(share) for place, share in marks.heat.items()},
        "notes": [
            [list(note.places), note.text[:20], int(note.beads), note.colour % NUM_COLOURS]
            for note in picture.notes[:MAX_NOTES]
        ],
        "lines": [list(line) for line in picture.lines[:MAX_NOTES]],
    }


def from_json(kept: Mapping[str, Any]) -> Picture:
    """The picture that was kept."""
    arrows = tuple((start, end) for start, end in kept["arrows"])
    return Picture(
        kept["title"],
        Marks(arrows, kept["points"], kept["heat"]),
        kept.get("text", ""),
        tuple(
            Note(tuple(places), text, beads, colour)
            for places, text, beads, colour in kept.get("notes", ())
        ),
        tuple(tuple(line) for line in kept.get("lines", ())),
    )
