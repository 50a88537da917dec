"""Vrajitoru's *Focused*: somebody who also looks at what the other side is up to."""

from typing import Any, ClassVar

from ludus.games.nine_mens_morris.move import Move
from ludus.players.basic import BasicPlayer
from ludus.players.mill_moves import blocking_moves, is_placing


class FocusedPlayer(BasicPlayer):
    """Moves like the basic player; while placing it blocks mills if there is none to close."""

    title: ClassVar[str] = "closes a mill if it can, blocks while placing, opens while moving"

    def next_best(self, position: Any, legal: list[Move]) -> tuple[list[Move], str] | None:
        if is_placing(position):
            blocking = blocking_moves(position, legal)
            return (blocking, "blocks a mill") if blocking else None
        return super().next_best(position, legal)
