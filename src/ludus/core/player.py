"""The contract every player keeps: one decision at a time, with an explanation if it has one."""

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

from ludus.core.game import AnyGame
from ludus.core.limit import Limit
from ludus.core.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Choice:
    """A player's decision and, where the player can tell, why."""

    move: Any

    comment: str = ""
    """One sentence for a person."""

    scores: Mapping[Any, float] = field(default_factory=lambda: MappingProxyType({}))
    """Move to what the player thinks of it, higher is better; empty if it does not compare."""


class Player(ABC):
    """One way of choosing a move. Built from a spec string by `ludus.player`."""

    title: ClassVar[str]
    """One line for people: what this player does."""

    options: ClassVar[Any] = None
    """A frozen dataclass with the default options, or None for a player without options."""

    games: ClassVar[frozenset[str] | None] = None
    """Ids of the games it can play; None for all."""

    def __init__(self, game: AnyGame, settings: Any, spec: str) -> None:
        self.game = game
        self.settings = settings
        self.spec = spec
        self.random = random.Random(0)

    @property
    def name(self) -> str:
        """What people read; a player that is not always the same says here what it is now."""
        return self.spec

    def begin(self, seed: int) -> None:
        """A new game starts: forget the last one and draw random numbers from this seed."""
        self.random.seed(seed)

    def end(self, outcome: Outcome) -> None:  # noqa: B027 - most players need not know
        """The game that began last is over. Not every game comes to its end."""

    @abstractmethod
    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        """A legal move of a position that is not over and whose mover is not CHANCE."""

    def choose_many(self, positions: Sequence[Any], limit: Limit = Limit()) -> list[Choice]:  # noqa: B008
        """One choice per position; players that are faster in batches say so here."""
        return [self.choose(position, limit) for position in positions]
