"""A move being typed: all at once, or place by place."""

import re
from typing import Any

from ludus.cli.terminal.places import spoken
from ludus.core.errors import BadMove, check_length, quoted
from ludus.core.game import AnyGame

BETWEEN = r"[\s,;:/>→*x-]*+"
"""What may stand between two places. Nothing here is tried twice, however long the text."""


class Entry:
    """The places a person has named so far, and the legal moves that begin with them."""

    def __init__(self, game: AnyGame, position: Any) -> None:
        self.game = game
        self.position = position
        self.steps = {
            move: tuple(spoken(game, place, position.mover) for place in game.steps(move))
            for move in position.legal_moves()
        }
        self.touched: tuple[str, ...] = ()

    @property
    def moves(self) -> list[Any]:
        """The legal moves that begin with the places named so far."""
        return self._beginning_with(self.touched)

    @property
    def is_pass(self) -> bool:
        """Whether there is nothing to touch: all that can be done is to pass."""
        return not any(self.steps.values())

    @property
    def places(self) -> list[str]:
        """Where the next step can go, in the order of the legal moves."""
        at = len(self.touched)
        rest = (self.steps[move][at:] for move in self.moves)
        return list(dict.fromkeys(steps[0] for steps in rest if steps))

    @property
    def question(self) -> str:
        """What is asked about the next step, as the way the moves are written suggests."""
        if not self.touched:
            return "your move?"
        signs = {self._sign(move) for move in self.moves}
        if signs == {"x"}:
            return "take?"
        return "to?" if signs & {"-", "/", "x"} else "then?"

    def read(self, text: str) -> Any:
        """The move that a text completes, or None if more has to be said; BadMove otherwise.

        The next place is meant first where one has been named already, a whole move elsewhere:
        in some games a place alone can be both.
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
        """The move, if no longer one begins in the same way."""
        complete = [move for move in self.moves if self.steps[move] == self.touched]
        return complete[0] if len(complete) == len(self.moves) else None

    def _named(self, text: str) -> tuple[str, ...] | None:
        """The places so far and those in a text, if a legal move begins with them."""
        known = {step for steps in self.steps.values() for step in steps}
        names = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
        wanted = check_length(text, BadMove).strip().lower()
        if not wanted or not re.fullmatch(f"{BETWEEN}(?:(?>{names}){BETWEEN})++", wanted):
            return None
        touched = (*self.touched, *re.findall(names, wanted))
        return touched if self._beginning_with(touched) else None

    def _beginning_with(self, touched: tuple[str, ...]) -> list[Any]:
        size = len(touched)
        return [move for move, steps in self.steps.items() if steps[:size] == touched]

    def _complaint(self, text: str, error: BadMove) -> BadMove:
        if not self.touched:
            return error
        return BadMove(f"{quoted(text)} does not go on from {'-'.join(self.touched)}")

    def _sign(self, move: Any) -> str:
        """What a written move has before its next place; a guess where it skips places."""
        written, end = str(move), 0
        for step in self.steps[move][: len(self.touched)]:
            end = max(end, written.find(step, end) + len(step))
        following = self.steps[move][len(self.touched) :]
        begin = written.find(following[0], end) if following else -1
        if begin < 0:
            return "-" if len(self.touched) % 2 else ""
        return written[end:begin].strip()
