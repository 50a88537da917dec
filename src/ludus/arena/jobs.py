"""One game as a value: whoever plays it, wherever and whenever, comes to the same result."""

import hashlib
from dataclasses import dataclass
from typing import NamedTuple

from ludus.core.limit import Limit
from ludus.core.match import MAX_PLIES

SEED_BITS = 62
DEFAULT_GRACE = 0.5


class Key(NamedTuple):
    """What tells a game from every other one. A store holds one result for each key."""

    tournament: str
    first: str
    second: str
    number: int


@dataclass(frozen=True, slots=True)
class Conditions:
    """What all games of a tournament have in common."""

    game: str
    """A spec, as in `hexapawn:size=4`."""

    rules: str = ""
    """A preset and options, as `ludus match --rules` takes them."""

    limit: Limit = Limit()  # noqa: RUF009 - frozen

    grace: float = DEFAULT_GRACE
    """Seconds by which a player may exceed `limit.time` before it loses by `timeout`."""

    max_plies: int = MAX_PLIES
    """A longer game is called a draw."""


@dataclass(frozen=True, slots=True)
class Job:
    """A game that is to be played."""

    key: Key
    conditions: Conditions

    is_swapped: bool
    """Whether the second player of the pairing has the side that moves first."""

    start: str = ""
    """The position to begin with; empty for the start of the game."""

    @property
    def players(self) -> tuple[str, str]:
        """The players' specs by side."""
        _, first, second, _ = self.key
        return (second, first) if self.is_swapped else (first, second)

    @property
    def seed(self) -> int:
        """Everything random in the game comes from its key."""
        return seed_of(*self.key)


@dataclass(frozen=True, slots=True)
class GameResult:
    """What became of a job."""

    key: Key

    winner: int | None
    """0 if the first player of the pairing won, 1 if the second did, None for a draw."""

    reason: str
    """How the game ended, in the game's own word, or `illegal`, `timeout`, `crash`, `length`."""

    message: str
    """What a player that crashed, dawdled or cheated left behind; empty otherwise."""

    plies: int
    seconds: float

    record: str
    """The game in the form of `ludus.core.record`."""


def seed_of(*parts: str | int) -> int:
    """A seed for whatever these parts name, the same on every machine.

    >>> seed_of("a", 1) == seed_of("a", 1) != seed_of("a", 2)
    True
    """
    data = "\0".join(map(str, parts)).encode()
    whole = int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big")
    return whole >> (64 - SEED_BITS)
