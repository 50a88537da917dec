"""Entry of a move by typed text, whole or place by place."""

import re
from collections.abc import Sequence
from typing import Any

from ludus.core.errors import BadMove, check_length, quote
from ludus.core.game import Move, Position
from ludus.games.move_entry import AnyMoveEntry

SEPARATORS = r"[\s,;:/>→*x-]*+"
"""What may separate two places; possessive, so that matching takes linear time."""

STAGE_PROMPTS = {"begin": "then?", "go": "to?", "take": "take?"}
"""Prompts for the next place of a move that is begun."""


class TypedMove:
    """A move entered by text; places have the names that the mover uses."""

    def __init__(self, move_entry: AnyMoveEntry, position: Position) -> None:
        self.move_entry = move_entry
        self.position = position
        self.clear()

    def clear(self) -> None:
        """Discard the places entered so far."""
        self.partial = self.move_entry.enter(self.position, ())

    @property
    def moves(self) -> Sequence[Move]:
        """The legal moves that can be completed after the places entered so far."""
        return self.move_entry.matching_moves(self.position, self.partial.touched)

    @property
    def chosen_places(self) -> tuple[str, ...]:
        """The places entered so far."""
        return tuple(map(self.convert_place, self.partial.touched))

    @property
    def next_places(self) -> list[str]:
        """The possible next places."""
        return list(map(self.convert_place, self.partial.places))

    @property
    def prompt(self) -> str:
        """The prompt for the next place."""
        return STAGE_PROMPTS[self.partial.stage] if self.partial.touched else "your move?"

    def convert_place(self, place: str) -> str:
        """Convert between a place of the board and the mover's name for it; its own inverse."""
        return self.move_entry.place_name(place, self.position.mover)

    def enter(self, text: str) -> Any:
        """Return the move that a text completes, or None if places are missing; raise BadMove.

        A text that can be both a place and a whole move (in some games) is a place if one has
        been entered already, else a move.
        """
        begun = self.partial.touched
        if begun and self._enter_places(text):
            return self.partial.move
        try:
            return self.move_entry.game.parse_move(text, self.position)
        except BadMove as error:
            if not begun and self._enter_places(text):
                return self.partial.move
            if not begun:
                raise
            shown = "-".join(self.chosen_places)
            raise BadMove(f"{quote(text)} does not continue {shown}") from error

    def _enter_places(self, text: str) -> bool:
        """Add the places of a text; return whether a legal move begins so."""
        known = map(self.convert_place, self.move_entry.known_places(self.position))
        names = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
        cleaned = check_length(text, BadMove).strip().lower()
        if not cleaned or not re.fullmatch(f"{SEPARATORS}(?:(?>{names}){SEPARATORS})++", cleaned):
            return False
        partial = self.partial
        try:
            for name in re.findall(names, cleaned):
                place = self.convert_place(name)
                partial = self.move_entry.extend(self.position, partial.touched, place)
        except BadMove:
            return False
        self.partial = partial
        return True
