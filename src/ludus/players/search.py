"""The interface of players whose search reports progress and can be stopped."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ludus.core.game import Position
from ludus.core.player import Choice, Limit


@dataclass(frozen=True, slots=True)
class PrincipalVariation:
    """The moves that a search expects, with the score of the first one."""

    moves: tuple[Any, ...]

    score: int
    """Score from the mover's side, in hundredths of a man or of the game's unit."""

    plies_to_end: int | None = None
    """Plies to a proven end of the game, negative for a loss; None if unproven."""


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """The state of a search after a completed depth."""

    depth: int
    """Plies that are searched completely."""

    max_depth: int
    """Length of the longest line searched, in plies."""

    nodes: int
    """Positions visited."""

    lines: tuple[PrincipalVariation, ...]
    """Principal variations, best first."""


ProgressCallback = Callable[[SearchProgress], bool]
"""Called after every completed depth; returning true stops the search."""


@runtime_checkable
class SearchingPlayer(Protocol):
    """A player whose search reports progress and can be stopped."""

    def think(
        self,
        position: Position,
        limit: Limit,
        watch: ProgressCallback | None = None,
        search_moves: Sequence[Any] = (),
    ) -> Choice:
        """Choose a move, of `search_moves` if there are any, and report progress."""

    def stop(self) -> None:
        """Stop a search running on another thread; it returns the best move found so far."""
