"""Networks that choose the parts of a move one after another, each knowing what was chosen before.

The rule `parts` takes the most likely class of each part in turn, as the thesis does; `joint`
follows the few best of each and takes the move that is most likely as a whole.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal, NamedTuple, Self, get_args

import numpy as np

from ludus.core.errors import BadSpec, quoted
from ludus.datasets.morris.entries import Entries
from ludus.learn.nnmm.chooser import Chooser
from ludus.learn.nnmm.committee import Committee, load
from ludus.learn.nnmm.forward import network
from ludus.learn.nnmm.images import Images, check_symmetries
from ludus.learn.nnmm.parts import NUM_CLASSES, PARTS
from ludus.learn.nnmm.reading import Classes, Member, Reading, Voice
from ludus.learn.nnmm.weights import Array, BadWeights, ChainWeights, Tensors

Rule = Literal["parts", "joint"]
RULES: tuple[str, ...] = get_args(Rule)

BATCH = 1024
"""Positions that are worked on together."""

BREADTH = 3
"""How many of the best are followed where nobody says."""


class Answer(NamedTuple):
    """What a chain chooses in some positions."""

    classes: Classes
    """Shape (positions, 3)."""

    probabilities: Array
    """Shape (positions, 3, 25): for each part, given those chosen before it, how likely each class
    is."""


class Chain:
    """The networks of one file, ready to choose."""

    def __init__(self, weights: ChainWeights | Committee) -> None:
        committee = weights if isinstance(weights, Committee) else Committee.of(weights)
        self.order = committee.order
        self.ways = committee.ways
        """How much each set of networks has to say, and how it sees positions."""

        self.models = [each.model for each in committee.sets]
        self.trained = [each.trained for each in committee.sets]
        self._sets = [
            [_choosers(each, tensors) for tensors in each.members] for each in committee.sets
        ]

    @classmethod
    def load(cls, path: Path) -> Self:
        """The chain of a file; BadWeights if it holds none."""
        weights = load(path)
        try:
            return cls(weights)
        except BadWeights as error:
            raise BadWeights(f"{quoted(str(path), 200)} cannot be used: {error}") from error

    @property
    def num_members(self) -> int:
        """How many chains of networks give the mean of what they say."""
        return sum(map(len, self._sets))

    def parts(
        self, entries: Entries, rule: Rule = "parts", symmetries: int = 1, breadth: int = BREADTH
    ) -> Answer:
        """The move of each position; whether the rules of the game allow it is not looked at."""
        if rule not in RULES:
            raise BadSpec(f"rule={quoted(str(rule))} must be one of {', '.join(RULES)}")
        check_breadth(breadth)
        classes = np.empty((len(entries), len(PARTS)), dtype=np.int8)
        probabilities = np.empty((len(entries), len(PARTS), NUM_CLASSES), dtype=np.float32)

        def fill(first: int) -> None:
            batch = slice(first, first + BATCH)
            reading = self.reading(entries[batch], symmetries)
            chosen = reading.in_turn() if rule == "parts" else reading.likeliest_move(breadth)
            classes[batch], probabilities[batch] = chosen.classes, chosen.probabilities

        # Products let other threads go on, so batches can be shared among cores.
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            list(threads.map(fill, range(0, len(entries), BATCH)))
        return Answer(classes, probabilities)

    def reading(self, entries: Entries, symmetries: int = 1) -> Reading:
        """Some positions, to be asked about part by part.

        A set of networks that wants more symmetries than these has them.
        """
        check_symmetries(symmetries)
        voices = [
            Voice(members, Images(entries, model, max(symmetries, way.symmetries)), way.share)
            for members, model, way in zip(self._sets, self.models, self.ways, strict=True)
        ]
        return Reading(self.order, voices)


def _choosers(weights: ChainWeights, member: tuple[Tensors, ...]) -> Member:
    """The networks of one member, those that belong to one part together."""
    found, presence = [], None
    for step, design, tensors in zip(weights.order.steps, weights.designs, member, strict=True):
        inputs = weights.model.width_after(len(step.after))
        built = network(design, tensors, inputs, step.outputs)
        if step.asks_presence:
            presence = built
        else:
            found.append(Chooser(built, presence))
            presence = None
    return found


def check_breadth(breadth: int) -> None:
    """Refuse to follow none, or more than there are."""
    if not 1 <= breadth <= NUM_CLASSES:
        raise BadSpec(f"breadth={breadth} must be from 1 to {NUM_CLASSES}")
