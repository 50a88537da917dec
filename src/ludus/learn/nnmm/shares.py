"""So many of so many: what the tests of chapter 6 count, part of a dataset by part."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Share:
    """A count of hits among a count of cases."""

    hits: int
    of: int

    @classmethod
    def counted(cls, is_hit: Mask, among: Mask | None = None) -> Self:
        """How many are hits, of all or of those that `among` names."""
        if among is None:
            return cls(int(np.count_nonzero(is_hit)), len(is_hit))
        return cls(int(np.count_nonzero(is_hit & among)), int(np.count_nonzero(among)))

    @property
    def percent(self) -> float | None:
        """None where there was no case at all."""
        return 100 * self.hits / self.of if self.of else None

    def plus(self, other: "Share") -> "Share":
        return Share(self.hits + other.hits, self.of + other.of)


Lines = dict[str, Share]
"""The lines of a test by name."""


def summed(parts: Iterable[Lines]) -> Lines:
    """The lines of a whole dataset from those of its parts."""
    found: Lines = {}
    for lines in parts:
        for name, share in lines.items():
            found[name] = found[name].plus(share) if name in found else share
    return found
