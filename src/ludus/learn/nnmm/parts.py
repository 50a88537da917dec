"""A move in three parts, and the order in which networks choose them.

>>> Order.parse("TFR").steps[1]
Step(name='FROM', part=1, asks_presence=False, after=(0,))
>>> [step.name for step in Order.parse("FTR5").steps]
['FROM?', 'FROM', 'TO', 'REMOVE?', 'REMOVE']
"""

from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple, Self

from ludus.core.errors import UnknownName, quoted
from ludus.core.spec import suggestion
from ludus.datasets.morris.entries import NUM_CLASSES, PARTS

__all__ = ["NUM_CLASSES", "ORDERS", "PARTS", "PRESENCE_CLASSES", "Order", "Step"]

PRESENCE_CLASSES = 2
"""What a presence network answers: 0, the move has no such part; 1, it has one."""

LETTERS = "".join(part[0] for part in PARTS)
FIVE = "5"
"""Behind an order: five networks, two of which ask whether FROM and REMOVE are there at all."""


class Step(NamedTuple):
    """One network's work within a chain."""

    name: str
    """The part it chooses, with a question mark if it says only whether there is one: `FROM?`."""

    part: int
    """Its number in PARTS, which is its column of `Entries.classes`."""

    asks_presence: bool
    """Whether it says only if the part is there. The network that chooses the point then learns
    from moves that have the part, and its class 0 counts for nothing."""

    after: tuple[int, ...]
    """The parts chosen before, in this order: what its input has behind the position."""

    @property
    def outputs(self) -> int:
        """How many classes the network tells apart."""
        return PRESENCE_CLASSES if self.asks_presence else NUM_CLASSES


@dataclass(frozen=True, slots=True)
class Order:
    """Which part is chosen first, second and last, by three networks or by five."""

    parts: tuple[int, ...] = (0, 1, 2)
    """Numbers of PARTS."""

    has_presence: bool = False
    """Whether a network of its own says if there is a FROM, and one if there is a REMOVE."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The order that a text such as `TFR` or `TFR5` names."""
        if text not in ORDERS:
            raise UnknownName(f"there is no order {quoted(text)}{suggestion(text, ORDERS)}")
        return cls(tuple(LETTERS.index(letter) for letter in text[:3]), text.endswith(FIVE))

    def __str__(self) -> str:
        letters = "".join(LETTERS[part] for part in self.parts)
        return f"{letters}{FIVE if self.has_presence else ''}"

    @property
    def steps(self) -> tuple[Step, ...]:
        """The networks' work, in the order in which it is done."""
        found = []
        for number, part in enumerate(self.parts):
            name, after = PARTS[part], self.parts[:number]
            # Every move has a TO, but for that of a side that passes.
            if self.has_presence and name != "TO":
                found.append(Step(f"{name}?", part, True, after))
            found.append(Step(name, part, False, after))
        return tuple(found)


ORDERS: tuple[str, ...] = tuple(
    "".join(letters) + networks for networks in ("", FIVE) for letters in permutations(LETTERS)
)
"""All orders by name: TFR, TRF, FTR, … with three networks, then with five."""
