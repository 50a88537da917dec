"""Asking experts in numpy: positions as arrays, sorted by who judges them."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.learn.scholar.experts import experts, table
from ludus.learn.scholar.fields import encoded
from ludus.learn.scholar.weights import BadScholar, Tensors
from ludus.learn.symmetric.forward import Forward, parameter_shapes
from ludus.learn.symmetric.group import Permutations
from ludus.oracle.men import num_men

Floats = NDArray[np.float32]


class Columns(NamedTuple):
    """Positions as the side to move sees them, as arrays of one length."""

    own: NDArray[np.uint32]
    other: NDArray[np.uint32]
    own_hand: NDArray[np.uint8]
    other_hand: NDArray[np.uint8]


def columns(positions: Sequence[Any]) -> Columns:
    """The game's positions as arrays."""
    rows = []
    for position in positions:
        mover, bits, hands = position.mover, position.bits, position.hands
        rows.append((bits[mover], bits[1 - mover], hands[mover], hands[1 - mover]))
    own, other, own_hand, other_hand = np.array(rows, dtype=np.uint32).reshape(-1, 4).T
    return Columns(own, other, own_hand.astype(np.uint8), other_hand.astype(np.uint8))


def by_expert(positions: Columns) -> Iterator[tuple[int, NDArray[np.intp], Floats]]:
    """Expert by expert: its number, which of the positions are its, and what it sees."""
    men = num_men(positions.own), num_men(positions.other)
    kinds = experts(positions.own_hand, positions.other_hand, *men, table())
    for kind in np.unique(kinds).tolist():
        which = np.flatnonzero(kinds == kind)
        yield kind, which, encoded(*(column[which] for column in positions))


def network(
    weights: Tensors,
    things: Permutations,
    answers: Permutations | None,
    outputs: int,
    repeats: int = 1,
) -> Forward:
    """A network out of a file; BadScholar if the tensors do not make one."""
    first = weights.get("first")
    if first is None or first.ndim != 2:
        raise BadScholar("an expert has no first layer")
    blocks = sum(name.endswith("layer1") for name in weights)
    wanted = parameter_shapes(things.shape[1], outputs, len(first), blocks, answers is None)
    if {name: values.shape for name, values in weights.items()} != wanted:
        raise BadScholar("an expert's tensors do not make a network")
    return Forward(weights, things, answers, repeats)


def said_by(expert: Forward, things: Floats) -> Floats:
    """What an expert says to each position; BadScholar if that is no number."""
    # Weights out of a file may be so large that there is no number for what comes out.
    with np.errstate(over="ignore", invalid="ignore"):
        outputs = expert(things)
    if not np.isfinite(outputs).all():
        raise BadScholar("an expert's answer is no number")
    return outputs


def shares(outputs: Floats) -> Floats:
    """(positions, choices) as probabilities."""
    raised = np.exp(outputs - outputs.max(axis=1, keepdims=True))
    found: Floats = raised / raised.sum(axis=1, keepdims=True)
    return found
