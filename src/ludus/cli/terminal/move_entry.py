"""Entry of a move by typed text, whole or place by place."""

import re
from typing import Any

from ludus.core.errors import BadMove, check_length, quote
from ludus.core.game import AnyGame

NUM_POINTS = 24


def place_name(game: AnyGame, place: str, side: int) -> str:
    """Convert between a place of `Game.steps` and the name a side uses for it; its own inverse.

    In backgammon the two sides count from opposite ends; written moves and the numbers on a
    board are the mover's.
    """
    if game.id != "backgammon" or side == 0 or not place.isdecimal():
        return place
    return str(NUM_POINTS + 1 - int(place))


SEPARATORS = r"[\s,;:/>→*x-]*+"
"""What may separate two places; possessive, so that matching takes linear time."""


class TypedMove:
    """The places entered so far and the legal moves that begin with them."""

    def __init__(self, game: AnyGame, position: Any) -> None:
        self.game = game
        self.position = position
        self.steps = {
            move: tuple(place_name(game, place, position.mover) for place in game.steps(move))
            for move in position.legal_moves()
        }
        self.chosen_places: tuple[str, ...] = ()

    @property
    def moves(self) -> list[Any]:
        """The legal moves that begin with the places entered so far."""
        return self._moves_starting_with(self.chosen_places)

    @property
    def is_pass(self) -> bool:
        """Whether no legal move has a place, so that the mover must pass."""
        return not any(self.steps.values())

    @property
    def next_places(self) -> list[str]:
        """The possible next places, in the order of the legal moves."""
        at = len(self.chosen_places)
        rest = (self.steps[move][at:] for move in self.moves)
        return list(dict.fromkeys(steps[0] for steps in rest if steps))

    @property
    def prompt(self) -> str:
        """The prompt for the next place, derived from the notation of the moves."""
        if not self.chosen_places:
            return "your move?"
        separators = {self._separator_before_next_place(move) for move in self.moves}
        if separators == {"x"}:
            return "take?"
        return "to?" if separators & {"-", "/", "x"} else "then?"

    def enter(self, text: str) -> Any:
        """Return the move that a text completes, or None if places are missing; raise BadMove.

        A text that can be both a place and a whole move (in some games) is a place if one has
        been entered already, else a move.
        """
        places = self._parse_places(text)
        if not self.chosen_places or places is None:
            try:
                return self.game.parse_move(text, self.position)
            except BadMove as error:
                if places is None:
                    raise self._explain_error(text, error) from error
        assert places is not None
        self.chosen_places = places
        return self._completed_move()

    def _completed_move(self) -> Any:
        """Return the entered move unless it is the beginning of a longer one."""
        complete = [move for move in self.moves if self.steps[move] == self.chosen_places]
        return complete[0] if len(complete) == len(self.moves) else None

    def _parse_places(self, text: str) -> tuple[str, ...] | None:
        """Return the places so far and those of a text, if a legal move begins with them."""
        known = {step for steps in self.steps.values() for step in steps}
        names = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
        cleaned = check_length(text, BadMove).strip().lower()
        if not cleaned or not re.fullmatch(f"{SEPARATORS}(?:(?>{names}){SEPARATORS})++", cleaned):
            return None
        places = (*self.chosen_places, *re.findall(names, cleaned))
        return places if self._moves_starting_with(places) else None

    def _moves_starting_with(self, places: tuple[str, ...]) -> list[Any]:
        size = len(places)
        return [move for move, steps in self.steps.items() if steps[:size] == places]

    def _explain_error(self, text: str, error: BadMove) -> BadMove:
        if not self.chosen_places:
            return error
        return BadMove(f"{quote(text)} does not continue {'-'.join(self.chosen_places)}")

    def _separator_before_next_place(self, move: Any) -> str:
        """Return the text before the next place in a written move; guess if it omits places."""
        written, end = str(move), 0
        for step in self.steps[move][: len(self.chosen_places)]:
            end = max(end, written.find(step, end) + len(step))
        following = self.steps[move][len(self.chosen_places) :]
        begin = written.find(following[0], end) if following else -1
        if begin < 0:
            return "-" if len(self.chosen_places) % 2 else ""
        return written[end:begin].strip()
