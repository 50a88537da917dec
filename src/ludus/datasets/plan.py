"""How a dataset is to be generated, as a value; the same value gives the same file."""

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from typing import Any

from ludus.core.errors import BadSpec
from ludus.core.limit import Limit

MAX_STATES = 100_000_000
SEED_BITS = 62


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides what a generated dataset holds."""

    game: str
    """A spec, as in `nine_mens_morris:men=7`."""

    teacher: str
    """The player whose moves are kept."""

    opponents: tuple[str, ...]
    """Whom the teacher plays; it is one of them where it should play itself."""

    states: int
    """How many positions are wanted."""

    rules: str = ""
    """A preset and options, as `--rules` takes them."""

    options: str = ""
    """Options of the generator, `key=value,…`."""

    limit: Limit = Limit()  # noqa: RUF009 - frozen
    """What the teacher may spend on a move. With a time no two runs are alike."""

    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.states <= MAX_STATES:
            raise BadSpec(f"states={self.states} must be from 1 to {MAX_STATES}")
        if not self.opponents:
            raise BadSpec("the teacher needs at least one opponent")

    def as_json(self) -> dict[str, Any]:
        """The plan as JSON can hold it."""
        return {**dataclasses.asdict(self), "opponents": list(self.opponents)}

    def seed_of(self, *parts: str | int) -> int:
        """A seed for what these parts name, the same on every machine and for every process."""
        data = json.dumps([self.seed, *parts]).encode()
        whole = int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big")
        return whole >> (64 - SEED_BITS)


def split_players(text: str) -> tuple[str, ...]:
    """Players of a list, apart by semicolons or commas, each once.

    A comma may also part the options of a player, so `key=value` belongs to the player before it.

    >>> split_players("random,negascout:nodes=100,level=3;newbie")
    ('random', 'negascout:nodes=100,level=3', 'newbie')
    """
    found: list[str] = []
    for group in text.split(";"):
        is_first = True
        for part in filter(None, (piece.strip() for piece in group.split(","))):
            name, _, _ = part.partition(":")
            if "=" in name and not is_first:
                found[-1] += f",{part}"
            else:
                found.append(part)
            is_first = False
    return tuple(dict.fromkeys(found))
