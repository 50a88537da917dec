"""Vrajitoru's *Basic*: somebody who has found out that a mill can be closed more than once."""

from typing import Any, ClassVar

from ludus.games.nine_mens_morris.move import Move
from ludus.players.mill_moves import is_placing, opening_moves
from ludus.players.mill_readings import OpeningReading
from ludus.players.newbie import NewbiePlayer


class BasicPlayer(NewbiePlayer):
    """Places like the newbie; in the moving phase it opens mills if there is none to close."""

    title: ClassVar[str] = "closes a mill if it can, else opens one to close it again"
    options: ClassVar[OpeningReading] = OpeningReading()

    def next_best(self, position: Any, legal: list[Move]) -> tuple[list[Move], str] | None:
        if is_placing(position):
            return None
        is_bold = self.settings.opening == "any"
        opening = opening_moves(position, legal, is_bold=is_bold)
        return (opening, "opens a mill") if opening else None
