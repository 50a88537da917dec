"""The chain in numpy: TO, FROM and REMOVE, each chosen by the expert for the kind of position."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.learn.scholar.asking import Columns, Floats, by_expert, network, softmax
from ludus.learn.scholar.fields import MOVED
from ludus.learn.scholar.weights import CHAIN, BadScholar, ScholarWeights
from ludus.learn.symmetric.forward import Forward
from ludus.learn.symmetric.group import CHOICES, joined

PARTS = ("to", "from", "take")
NO_POINT = 24
"""The choice of no point at all."""

_ONE_OF = np.eye(NO_POINT + 1, dtype=np.float32)


class Chosen(NamedTuple):
    """What the chain chooses, shape (positions, 3), and how likely it holds each choice for."""

    choices: NDArray[np.int64]
    """Points by number, or NO_POINT."""

    chances: Floats
    """Shape (positions, 3, 25), each given the choices before it."""


class Chain:
    """Networks that come to life when a position of their kind turns up."""

    def __init__(self, weights: ScholarWeights) -> None:
        if weights.kind != CHAIN:
            raise BadScholar(f"these networks are a {weights.kind}, not a {CHAIN}")
        self._weights = weights
        self._awake: dict[int, list[Forward]] = {}

    def choose(self, positions: Columns) -> Chosen:
        """Part by part, the likeliest of each, without a look at the rules."""
        number = len(positions.own)
        choices = np.empty((number, len(PARTS)), dtype=np.int64)
        chances = np.empty((number, len(PARTS), NO_POINT + 1), dtype=np.float32)
        for kind, which, things in by_expert(positions):
            seen = things
            for part, each in enumerate(self._experts(kind)):
                said = softmax(each(seen))
                best = said.argmax(axis=1)
                choices[which, part], chances[which, part] = best, said
                seen = np.concatenate([seen, _ONE_OF[best]], axis=1)
        return Chosen(choices, chances)

    def likely(self, positions: Columns, moves: NDArray[np.int64]) -> Floats:
        """How likely moves are as a whole, shape (moves, 3), each of its own position."""
        found = np.ones(len(moves), dtype=np.float32)
        for kind, which, things in by_expert(positions):
            seen, rows = things, np.arange(len(which))
            for part, each in enumerate(self._experts(kind)):
                chosen = moves[which, part]
                found[which] *= softmax(each(seen))[rows, chosen]
                seen = np.concatenate([seen, _ONE_OF[chosen]], axis=1)
        return found

    def _experts(self, kind: int) -> list[Forward]:
        if kind not in self._awake:
            weights = self._weights.expert(kind)
            self._awake[kind] = [
                network(
                    {
                        name.removeprefix(f"{part}."): values
                        for name, values in weights.items()
                        if name.startswith(f"{part}.")
                    },
                    joined(MOVED, *[CHOICES] * number),
                    CHOICES,
                    NO_POINT + 1,
                )
                for number, part in enumerate(PARTS)
            ]
        return self._awake[kind]
