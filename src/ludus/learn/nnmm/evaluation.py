"""How good a chain is on a dataset: the accuracy and the legality test of the thesis at once.

The networks work in pipeline: each knows what those before it chose, right or wrong.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ludus.datasets.morris.entries import Entries
from ludus.learn.nnmm.accuracy import accuracy
from ludus.learn.nnmm.chain import BREADTH, Chain, Rule
from ludus.learn.nnmm.legality import JUDGES, legality
from ludus.learn.nnmm.shares import Lines, summed

BATCH = 16_384
"""Positions after which one can tell how far it is."""


class Evaluation(NamedTuple):
    """The lines of both tests."""

    accuracy: Lines
    """Of the entries that have a move; nothing where none has one."""

    legality: dict[str, Lines]
    """By judge: the rules of the game, and the check of the author's program."""


def num_batches(entries: Entries) -> int:
    """How many evaluations `evaluations` gives."""
    return -(-len(entries) // BATCH)


def evaluations(
    chain: Chain,
    entries: Entries,
    rule: Rule = "parts",
    symmetries: int = 1,
    breadth: int = BREADTH,
) -> Iterator[Evaluation]:
    """The evaluations of a dataset's parts, to be put together by `joined`."""
    for first in range(0, len(entries), BATCH):
        part = entries[first : first + BATCH]
        predicted = chain.parts(part, rule, symmetries, breadth).classes
        has_move = part.has_move
        moves = part[has_move]
        right = accuracy(moves, predicted[has_move], moves.classes) if len(moves) else {}
        yield Evaluation(right, {judge: legality(part, predicted, judge) for judge in JUDGES})


def joined(parts: Iterable[Evaluation]) -> Evaluation:
    """One evaluation from those of the parts."""
    every = list(parts)
    return Evaluation(
        summed(part.accuracy for part in every),
        {judge: summed(part.legality[judge] for part in every) for judge in JUDGES},
    )
