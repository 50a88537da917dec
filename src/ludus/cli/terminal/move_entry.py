"""Entry of a move by typed text, whole or place by place."""

import re
from typing import Any

from ludus.core.errors import BadMove, check_length, quote
from ludus.core.game import AnyGame

NUM_POINTS = 24


def place_name(game: AnyGame, place: str, side: int) -> str:
    """Convert between a place of `Game.steps` and the name a side uses for it; its own inverse.

    In backgammon the two sides count from opposite ends; written moves and the numbers on a
    drawn board are the mover's.
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
        self.touched: tuple[str, ...] = ()

    @property
    def moves(self) -> list[Any]:
        """The legal moves that begin with the places entered so far."""
        return self._beginning_with(self.touched)

    @property
    def is_pass(self) -> bool:
        """Whether no legal move has a place, so that the mover must pass."""
        return not any(self.steps.values())

    @property
    def places(self) -> list[str]:
        """The possible next places, in the order of the legal moves."""
        at = len(self.touched)
        rest = (self.steps[move][at:] for move in self.moves)
        return list(dict.fromkeys(steps[0] for steps in rest if steps))

    @property
    def question(self) -> str:
        """The prompt for the next place, derived from the notation of the moves."""
        if not self.touched:
            return "your move?"
        signs = {self._sign(move) for move in self.moves}
        if signs == {"x"}:
            return "take?"
        return "to?" if signs & {"-", "/", "x"} else "then?"

    def read(self, text: str) -> Any:
        """Return the move that a text completes, or None if places are missing; raise BadMove.

        A text that can be both a place and a whole move (in some games) is a place if one has
        been entered already, else a move.
        """
        named = self._named(text)
        if not self.touched or named is None:
            try:
                return self.game.parse_move(text, self.position)
            except BadMove as error:
                if named is None:
                    raise self._complaint(text, error) from error
        assert named is not None
        self.touched = named
        return self._completed()

    def _completed(self) -> Any:
        """Return the entered move unless it is the beginning of a longer one."""
        complete = [move for move in self.moves if self.steps[move] == self.touched]
        return complete[0] if len(complete) == len(self.moves) else None

    def _named(self, text: str) -> tuple[str, ...] | None:
        """Return the places so far and those of a text, if a legal move begins with them."""
        known = {step for steps in self.steps.values() for step in steps}
        names = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
        wanted = check_length(text, BadMove).strip().lower()
        if not wanted or not re.fullmatch(f"{SEPARATORS}(?:(?>{names}){SEPARATORS})++", wanted):
            return None
        touched = (*self.touched, *re.findall(names, wanted))
        return touched if self._beginning_with(touched) else None

    def _beginning_with(self, touched: tuple[str, ...]) -> list[Any]:
        size = len(touched)
        return [move for move, steps in self.steps.items() if steps[:size] == touched]

    def _complaint(self, text: str, error: BadMove) -> BadMove:
        if not self.touched:
            return error
        return BadMove(f"{quote(text)} does not go on from {'-'.join(self.touched)}")

    def _sign(self, move: Any) -> str:
        """Return the text before the next place in a written move; guess if it omits places."""
        written, end = str(move), 0
        for step in self.steps[move][: len(self.touched)]:
            end = max(end, written.find(step, end) + len(step))
        following = self.steps[move][len(self.touched) :]
        begin = written.find(following[0], end) if following else -1
        if begin < 0:
            return "-" if len(self.touched) % 2 else ""
        return written[end:begin].strip()
