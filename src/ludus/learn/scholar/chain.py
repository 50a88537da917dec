"""The chain in numpy: TO, FROM and REMOVE, each chosen by the expert for the kind of position."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.learn.scholar.asking import Columns, Floats, by_expert, network, said_by, shares
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


class Ranked(NamedTuple):
    """Moves in the eyes of the chain, shape (moves, 3) each: by part, given the parts before it."""

    chances: Floats
    """How likely the move's own part is."""

    likeliest: NDArray[np.int64]
    """What the chain itself would choose there."""

    def some(self, first: int, end: int) -> "Ranked":
        return Ranked(self.chances[first:end], self.likeliest[first:end])


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
                said = shares(said_by(each, seen))
                best = said.argmax(axis=1)
                choices[which, part], chances[which, part] = best, said
                seen = np.concatenate([seen, _ONE_OF[best]], axis=1)
        return Chosen(choices, chances)

    def said(self, positions: Columns, moves: NDArray[np.int64]) -> Floats:
        """What is said on the way to a move in each position: as `Chosen.chances`."""
        found = np.empty((len(moves), len(PARTS), NO_POINT + 1), dtype=np.float32)
        for kind, which, things in by_expert(positions):
            for part, each in enumerate(self._experts(kind)):
                said = said_by(each, _with(things, moves[which, :part]))
                found[which, part] = shares(said)
        return found

    def ranked(
        self, positions: Columns, owner: NDArray[np.int64], moves: NDArray[np.int64]
    ) -> Ranked:
        """Moves, (moves, 3), of the positions whose numbers are `owner`.

        Moves that begin alike share what is said about their beginnings.
        """
        chances = np.empty(moves.shape, dtype=np.float32)
        likeliest = np.empty(moves.shape, dtype=np.int64)
        row = np.empty(len(positions.own), dtype=np.int64)
        for kind, which, things in by_expert(positions):
            row[:] = -1
            row[which] = np.arange(len(which))
            here = np.flatnonzero(row[owner] >= 0)
            begun = rows = row[owner[here]]
            for part, each in enumerate(self._experts(kind)):
                _, first, beginning = np.unique(begun, return_index=True, return_inverse=True)
                seen = _with(things[rows[first]], moves[here[first], :part])
                said = shares(said_by(each, seen))
                chosen = moves[here, part]
                chances[here, part] = said[beginning, chosen]
                likeliest[here, part] = said.argmax(axis=1)[beginning]
                begun = begun * (NO_POINT + 1) + chosen
        return Ranked(chances, likeliest)

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
                    self._weights.repeats[kind],
                )
                for number, part in enumerate(PARTS)
            ]
        return self._awake[kind]


def _with(things: Floats, choices: NDArray[np.int64]) -> Floats:
    """What a network sees that is told some parts of a move."""
    if not choices.shape[1]:
        return things
    told = _ONE_OF[choices].reshape(len(things), -1)
    return np.concatenate([things, told], axis=1)
