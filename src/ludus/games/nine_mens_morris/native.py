"""Native positions with the interface of `ludus.core.game.Position`."""

from typing import Any

from ludus._native import morris
from ludus.core.errors import BadMove
from ludus.core.game import Outcome
from ludus.core.marks import NO_MARKS, Marks
from ludus.games.nine_mens_morris.board import Move
from ludus.games.nine_mens_morris.notation import PositionFields, to_text
from ludus.games.nine_mens_morris.rules import Rules
from ludus.render.canvas import Drawable, Drawing

Position = morris.Position


def make_position(rules: Rules, fields: PositionFields) -> Position:
    """Make a native position from checked fields."""
    white, black = (sum(1 << point for point in men) for men in fields.men)
    return Position(
        rules, (white, black), fields.hands, fields.mover, fields.occurrence, fields.quiet
    )


def _text(self: Position, marks: Marks = NO_MARKS) -> str:
    from ludus.games.nine_mens_morris.drawing import text

    return text(self, marks)


def _drawing(self: Position, marks: Marks = NO_MARKS) -> Drawing:
    from ludus.games.nine_mens_morris.drawing import draw

    return draw(self, marks)


def _repr(self: Position) -> str:
    return f"<native Morris position {self}>"


# Writing and drawing are the same for both implementations; the native class reuses them.
_shared: dict[str, Any] = {
    "__str__": to_text,
    "__repr__": _repr,
    "text": _text,
    "drawing": _drawing,
    "svg": Drawable.svg,
    "_repr_svg_": Drawable._repr_svg_,
}
for _name, _function in _shared.items():
    setattr(Position, _name, _function)

morris.configure(Move, Outcome, BadMove)
