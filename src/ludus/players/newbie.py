"""Vrajitoru's *Newbie*: somebody who has just been told how the game goes."""

from typing import Any, ClassVar

from ludus.core.limit import Limit
from ludus.core.player import Choice, Player
from ludus.games.nine_mens_morris.move import Move
from ludus.players.mill_moves import closing_moves
from ludus.players.mill_readings import Reading, drawn, narrowed


class NewbiePlayer(Player):
    """Closes a mill if it can, and moves at random otherwise."""

    title: ClassVar[str] = "closes a mill if it can, else plays any legal move"
    games: ClassVar[frozenset[str] | None] = frozenset({"nine_mens_morris"})
    options: ClassVar[Reading] = Reading()

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        moves, why = self.candidates(position)
        return Choice(drawn(self.settings, moves, self.random), why)

    def candidates(self, position: Any) -> tuple[list[Move], str]:
        """The moves among which chance decides, and what they do."""
        legal = position.legal_moves()
        moves, why = legal, ""
        if closing := closing_moves(position, legal):
            moves, why = closing, "closes a mill"
        elif wanted := self.next_best(position, legal):
            moves, why = wanted
        return narrowed(self.settings, position, moves, is_wanted=bool(why)), why

    def next_best(self, position: Any, legal: list[Move]) -> tuple[list[Move], str] | None:
        """What is wanted if no mill can be closed, and why; None if any move will do."""
        return None
