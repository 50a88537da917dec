"""A player's explanation of its move: comment, scores and pictures, as sent and as stored."""

from pydantic import BaseModel

from ludus.core.game import Position
from ludus.core.marks import NUM_COLOURS, Marks, Note, Picture
from ludus.core.player import Choice, HasPictures, Player

MAX_SCORES = 40
"""Moves whose scores are sent."""

MAX_PICTURES = 12
MAX_NOTES = 100
"""Notes, and likewise lines and arrows, per picture."""

MAX_TEXT = 1_000
"""Characters per text."""


class StoredPicture(BaseModel):
    """A picture by a player; older files lack text, notes and lines."""

    title: str
    text: str = ""
    arrows: list[tuple[str, str]]
    points: dict[str, str]
    heat: dict[str, float]
    notes: list[tuple[list[str], str, int, int]] = []
    lines: list[list[str]] = []

    @classmethod
    def of(cls, picture: Picture) -> "StoredPicture":
        """Return a picture as it is stored."""
        marks = picture.marks
        return cls(
            title=picture.title[:MAX_TEXT],
            text=picture.text[:MAX_TEXT],
            arrows=list(marks.arrows[:MAX_NOTES]),
            points=dict(marks.points),
            heat={place: float(value) for place, value in marks.heat.items()},
            notes=[
                (list(note.places), note.text[:20], int(note.beads), note.colour % NUM_COLOURS)
                for note in picture.notes[:MAX_NOTES]
            ],
            lines=[list(line) for line in picture.lines[:MAX_NOTES]],
        )

    def to_picture(self) -> Picture:
        return Picture(
            self.title,
            Marks(tuple(self.arrows), self.points, self.heat),
            self.text,
            tuple(
                Note(tuple(places), text, beads, colour)
                for places, text, beads, colour in self.notes
            ),
            tuple(tuple(line) for line in self.lines),
        )


class MoveExplanation(BaseModel):
    """A player's explanation of its move."""

    comment: str
    scores: list[tuple[str, float]]
    """Moves it rated, best first."""

    pictures: list[StoredPicture]


class ChosenMove(MoveExplanation):
    """The answer of a worker: a player's move with its explanation."""

    move: str
    name: str
    """The player's display name."""

    wants_results: bool
    """Whether the player needs the outcomes of its games."""


def explain_choice(player: Player, position: Position, choice: Choice) -> MoveExplanation:
    """Return the comment, the scores (best first) and the player's pictures of the position."""
    ranked = sorted(choice.scores.items(), key=lambda item: -item[1])[:MAX_SCORES]
    return MoveExplanation(
        comment=choice.comment[: 4 * MAX_TEXT],
        scores=[(str(move), float(score)) for move, score in ranked],
        pictures=_collect_pictures(player, position),
    )


def _collect_pictures(player: Player, position: Position) -> list[StoredPicture]:
    """Return the player's pictures; a failure to draw them does not invalidate its move."""
    if not isinstance(player, HasPictures):
        return []
    try:
        pictures = list(player.pictures(position))[:MAX_PICTURES]
        drawn = (each if isinstance(each, Picture) else Picture(*each) for each in pictures)
        return [StoredPicture.of(each) for each in drawn]
    except Exception as error:
        failed = Picture("No picture", text=f"It failed: {type(error).__name__}: {error}")
        return [StoredPicture.of(failed)]
