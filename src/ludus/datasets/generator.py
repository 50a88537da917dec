"""The plan of a generated dataset, and the interface of a generator."""

import dataclasses
import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

from ludus.core.errors import BadSpec
from ludus.core.player import Limit, check_seed
from ludus.core.spec import Registry, check_ranges

MAX_STATES = 100_000_000
SEED_BITS = 62


@dataclass(frozen=True, slots=True)
class GenerationPlan:
    """Everything that determines a generated dataset; equal plans give equal files."""

    game: str
    """Game spec, for example `nine_mens_morris:men=7`."""

    teacher: str
    """Spec of the player whose moves are recorded."""

    opponents: tuple[str, ...]
    """Specs of the teacher's opponents; may include the teacher itself."""

    states: int
    """Number of positions to generate."""

    rules: str = ""
    """Preset and options, in the format of `--rules`."""

    options: str = ""
    """Options of the generator, `key=value,…`."""

    limit: Limit = Limit()  # noqa: RUF009 - frozen
    """The teacher's limit per move. A time limit makes the result irreproducible."""

    seed: int = 0

    def __post_init__(self) -> None:
        check_ranges(self, states=(1, MAX_STATES))
        check_seed(self.seed)
        if not self.opponents:
            raise BadSpec("the teacher needs at least one opponent")

    def as_json(self) -> dict[str, Any]:
        """Return the plan as a JSON-compatible dictionary."""
        return {**dataclasses.asdict(self), "opponents": list(self.opponents)}

    def seed_of(self, *parts: str | int) -> int:
        """Derive a seed from the plan's seed and `parts`, the same on every machine."""
        data = json.dumps([self.seed, *parts]).encode()
        whole = int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big")
        return whole >> (64 - SEED_BITS)


def parse_players(text: str) -> tuple[str, ...]:
    """Parse a list of player specs separated by semicolons or commas, without repeats.

    A comma may also separate the options of a player: `key=value` belongs to the player before it.

    >>> parse_players("random,negascout:nodes=100,level=3;newbie")
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


class DatasetGenerator(ABC):
    """The part of dataset generation that depends on the game.

    `ludus dataset generate GAME` requests one match after the other in several processes and joins
    their lines in the order of the matches. A generator only defines the lines of a match and when
    two lines are equal; processes, files and resuming are handled by `ludus.datasets.generation`.
    It is constructed without arguments in every process. Generators are registered in
    `ludus.datasets.GENERATORS`.
    """

    title: ClassVar[str]
    """One-line description of the dataset's lines."""

    teacher: ClassVar[str]
    """Spec of the default teacher."""

    opponents: ClassVar[tuple[str, ...]]
    """Specs of the default opponents, besides the teacher itself."""

    options: ClassVar[Any] = None
    """Frozen dataclass with the default options, or None for a generator without options."""

    line_end: ClassVar[str] = "\n"

    @abstractmethod
    def check(self, plan: GenerationPlan) -> None:
        """Raise LudusError for a plan that cannot be executed."""

    @abstractmethod
    def lines(self, plan: GenerationPlan, number: int) -> list[str]:
        """Return the lines of match `number` without line ends; they depend on the arguments alone.

        Matches are numbered from 0 without end. Some matches may give no lines, but not all of
        them.
        """

    @abstractmethod
    def key(self, line: str) -> Hashable:
        """Return a key that is equal for lines of which only the first is kept."""


GENERATORS: Registry[type[DatasetGenerator]] = Registry(
    "generator of datasets for",
    {"nine_mens_morris": "ludus.datasets.morris.generator:MorrisGenerator"},
)
"""Generators by game id; `ludus/__init__.py` adds those of the packages above this one."""
