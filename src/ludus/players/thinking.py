"""Players that can be watched while they think, and stopped."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ludus.core.limit import Limit
from ludus.core.player import Choice


@dataclass(frozen=True, slots=True)
class ExpectedLine:
    """Moves that a search expects, and what it thinks of the first of them."""

    moves: tuple[Any, ...]

    points: int
    """Hundredths of a man, or of whatever the game is about, as the mover sees it."""

    plies_to_end: int | None = None
    """How far away the end of the game is, where it was seen; negative for a loss."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search has come."""

    depth: int
    """Plies that were searched in full."""

    deepest: int
    """Plies that the longest line was followed."""

    nodes: int
    """Positions visited."""

    lines: tuple[ExpectedLine, ...]
    """Best first."""


Watch = Callable[[Progress], bool]
"""Told of every depth that has been searched; by returning true it ends the search."""


@runtime_checkable
class Thinker(Protocol):
    """A player that tells what it thinks while it does, and can be told to come to an end."""

    def think(
        self, position: Any, limit: Limit, watch: Watch | None = None, only: Sequence[Any] = ()
    ) -> Choice:
        """As `choose`, watched, and perhaps restricted to some of the legal moves."""

    def stop(self) -> None:
        """End what another thread thinks about; it then plays the best move it has."""
