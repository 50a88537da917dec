"""A game as MIGO sees it: which boards a move leads to, which are won and which are drawn.

Nothing else of a game is known to the learner: no values, no symmetries, no board. Boards are
numbered as they are met, so that everything that is found out about one can be kept in a table.
"""

from collections.abc import Hashable, Iterable
from typing import Any, Protocol


class Primitives(Protocol):
    """The three predicates that tell a game; a state holds the board and who is to move."""

    def move(self, state: Any, /) -> Iterable[Hashable]:
        """The states that one move leads to, in a fixed order; none when the game is over."""

    def won(self, state: Any, /) -> bool:
        """Whether the player who has just moved has won."""

    def drawn(self, state: Any, /) -> bool:
        """Whether the game is over and nobody has won."""


class GamePrimitives:
    """The primitives of any game of `ludus.games` without dice."""

    def move(self, state: Any, /) -> list[Any]:
        return [state.play(move) for move in state.legal_moves()]

    def won(self, state: Any, /) -> bool:
        outcome = state.outcome()
        return outcome is not None and outcome.winner == 1 - state.mover

    def drawn(self, state: Any, /) -> bool:
        outcome = state.outcome()
        return outcome is not None and outcome.winner is None


class World:
    """The states of a game by number, with what the primitives say about each of them."""

    def __init__(self, primitives: Primitives | None = None) -> None:
        self.primitives: Primitives = primitives or GamePrimitives()
        self.states: list[Any] = []
        self._numbers: dict[Any, int] = {}
        self._moves: list[tuple[int, ...] | None] = []
        self._won: dict[int, bool] = {}
        self._drawn: dict[int, bool] = {}

    def number(self, state: Any) -> int:
        """The number of a state; a new one if it was never met."""
        found = self._numbers.get(state)
        if found is None:
            found = self._numbers[state] = len(self.states)
            self.states.append(state)
            self._moves.append(None)
        return found

    def moves(self, number: int) -> tuple[int, ...]:
        """The states that one move leads to."""
        found = self._moves[number]
        if found is None:
            after = self.primitives.move(self.states[number])
            found = self._moves[number] = tuple(map(self.number, after))
        return found

    def won(self, number: int) -> bool:
        """Whether the player who has just moved has won."""
        found = self._won.get(number)
        if found is None:
            found = self._won[number] = self.primitives.won(self.states[number])
        return found

    def drawn(self, number: int) -> bool:
        """Whether the game is over and nobody has won."""
        found = self._drawn.get(number)
        if found is None:
            found = self._drawn[number] = self.primitives.drawn(self.states[number])
        return found
