"""Who generates datasets: one generator for each game, found by the game's id.

`ludus dataset generate GAME` asks the generator of the game for one match after the other, in
several processes, and puts their lines together in the order of the matches. A generator
therefore says what a match gives and when two lines are the same, and needs to know nothing of
processes, files, or of being killed and going on.

A game joins by a line in GENERATORS and a class.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any, ClassVar

from ludus.core.registry import Registry
from ludus.datasets.plan import Plan


class Generator(ABC):
    """What one game contributes. It is made without arguments, in every process anew."""

    title: ClassVar[str]
    """One line for people: what the lines of such a dataset are."""

    teacher: ClassVar[str]
    """The teacher if nobody names one."""

    opponents: ClassVar[tuple[str, ...]]
    """Whom the teacher plays if nobody says so, besides itself."""

    options: ClassVar[Any] = None
    """A frozen dataclass with the default options, or None for a generator without options."""

    line_end: ClassVar[str] = "\n"

    @abstractmethod
    def check(self, plan: Plan) -> None:
        """Refuse a plan that cannot be carried out, with a LudusError."""

    @abstractmethod
    def lines(self, plan: Plan, number: int) -> list[str]:
        """What match `number` gives, without line ends; it depends on the arguments alone.

        Matches are numbered from 0 without end. Some may give nothing, but not all of them.
        """

    @abstractmethod
    def key(self, line: str) -> Hashable:
        """Equal for lines of which a dataset keeps the first only."""


GENERATORS: Registry[type[Generator]] = Registry(
    "generator of datasets for",
    {
        "nine_mens_morris": "ludus.datasets.morris.generator:MorrisGenerator",
        "backgammon": "ludus.protocol.gnubg_expert:ExpertGenerator",
    },
)
"""Game id to generator."""
