"""Native positions with the interface of `ludus.core.game.Position`."""

from ludus._native import morris
from ludus.core.errors import BadMove
from ludus.core.game import Outcome
from ludus.games.nine_mens_morris.board import Move
from ludus.games.nine_mens_morris.notation import PositionFields
from ludus.games.nine_mens_morris.position import Position as PythonPosition
from ludus.games.nine_mens_morris.rules import Rules

Position = morris.Position


def make_position(rules: Rules, fields: PositionFields) -> Position:
    """Make a native position from checked fields."""
    white, black = (sum(1 << point for point in men) for men in fields.men)
    return Position(
        rules, (white, black), fields.hands, fields.mover, fields.occurrence, fields.quiet
    )


# Writing and drawing are the same for both implementations; the native class reuses them.
for _name in ("__str__", "text", "drawing", "svg", "_repr_svg_"):
    setattr(Position, _name, getattr(PythonPosition, _name))
setattr(Position, "__repr__", lambda self: f"<Position {self}>")  # noqa: B010

morris.configure(Move, Outcome, BadMove)
