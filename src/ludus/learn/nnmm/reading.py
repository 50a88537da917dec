"""Some positions before the networks of a chain: moves grow part by part, the likely ones first."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.learn.nnmm.chooser import Chooser
from ludus.learn.nnmm.images import Images
from ludus.learn.nnmm.parts import NUM_CLASSES, PARTS, Order
from ludus.learn.nnmm.weights import Array

Classes = NDArray[np.int8]
"""Columns TO, FROM and REMOVE: 0 for none, 1 to 24 for the points in reading order."""

ROUNDING = 256
"""Numbers that are equal but for rounding are less than so many of the smallest steps apart."""

Member = Sequence[Chooser]
"""One for each part, in the order in which they are chosen."""


class Voice(NamedTuple):
    """One set of networks before some positions, and how much it has to say."""

    members: Sequence[Member]

    images: Images

    share: float = 1.0
    """Those of all voices add up to 1."""

    def probabilities(
        self, number: int, position: NDArray[np.intp], choices: NDArray[np.int8]
    ) -> Array:
        """How likely each class of the next part is, the mean over all members and symmetries."""
        rows = self.images.rows(position, choices)
        found = self.members[0][number].probabilities(rows)
        for member in self.members[1:]:
            found += member[number].probabilities(rows)
        found /= len(self.members)
        return self.images.seen_back(found)


class Begun(NamedTuple):
    """Moves of which some parts are chosen, equally many of each position, in a row."""

    position: NDArray[np.intp]
    """The number of each move's position."""

    classes: Classes
    """Shape (moves, 3); what is not chosen yet is 0."""

    likely: Array
    """How likely what is chosen is as a whole."""

    probabilities: Array
    """Shape (moves, 3, 25): what the networks said when the parts were chosen."""

    def some(self, which: NDArray[np.intp] | slice) -> "Begun":
        """Moves by their numbers, which may repeat."""
        return Begun(
            self.position[which],
            self.classes[which],
            self.likely[which],
            self.probabilities[which],
        )

    def with_part(self, part: int, classes: NDArray[np.intp], probabilities: Array) -> "Begun":
        """Each move with each of these classes for a part, shape (moves, classes)."""
        self.probabilities[:, part] = probabilities
        more = self.some(np.repeat(np.arange(len(classes)), classes.shape[1]))
        more.classes[:, part] = classes.reshape(-1)
        chosen = np.take_along_axis(probabilities, classes, axis=1).reshape(-1)
        return more._replace(likely=more.likely * chosen)

    def and_more(self, other: "Begun") -> "Begun":
        """These moves and others behind them."""
        return Begun(
            np.concatenate([self.position, other.position]),
            np.concatenate([self.classes, other.classes]),
            np.concatenate([self.likely, other.likely]),
            np.concatenate([self.probabilities, other.probabilities]),
        )

    def firsts(self, number: int) -> "Begun":
        """Of every so many moves the first."""
        return self.some(np.arange(0, len(self.position), number))


class Reading:
    """Positions and the networks that read them."""

    def __init__(self, order: Order, voices: Sequence[Voice]) -> None:
        self._order = order
        self._voices = voices
        self._positions = voices[0].images.positions

    def begin(self) -> Begun:
        """Every position with no part chosen."""
        number = self._positions
        return Begun(
            np.arange(number),
            np.zeros((number, len(PARTS)), dtype=np.int8),
            np.ones(number, dtype=np.float32),
            np.zeros((number, len(PARTS), NUM_CLASSES), dtype=np.float32),
        )

    def in_turn(self) -> Begun:
        """One move of each position: the most likely class of each part, given those before it."""
        begun = self.begin()
        for number in range(len(PARTS)):
            begun = self.extended(number, begun, 1, is_alone=True)
        return begun

    def joint(self, breadth: int) -> Begun:
        """So many moves of each position, the likeliest first.

        Of all moves begun only so many are ever followed, those that are most likely so far.
        """
        begun = self.begin()
        for number in range(len(PARTS)):
            begun = self.likeliest(self.extended(number, begun, breadth), breadth)
        return begun

    def likeliest_move(self, breadth: int) -> Begun:
        """The first move of `joint` of each position, for fewer questions.

        No move is likelier than what it begins with. So what is less likely so far than a move
        that is known as a whole, the best of each part in turn, is not followed any further.
        """
        known, said = self.begin(), []
        for number, part in enumerate(self._order.parts):
            said.append(self.probabilities(number, known))
            known = known.with_part(part, best_of(said[-1], 1), said[-1])
        enough = known.likely * (1 - ROUNDING * np.finfo(known.likely.dtype).eps)
        begun = self.begin()
        for number, part in enumerate(self._order.parts):
            before, place = self._order.parts[:number], begun.position
            is_known = (begun.classes[:, before] == known.classes[place][:, before]).all(axis=1)
            is_open = ~is_known & (begun.likely >= enough[place])
            found = np.where(is_known[:, None], said[number][place], 0)
            if is_open.any():
                found[is_open] = self.probabilities(number, begun.some(np.flatnonzero(is_open)))
            more = begun.with_part(part, best_of(found, breadth), found)
            begun = self.likeliest(more, breadth)
        return begun.firsts(breadth)

    def at_once(self, breadth: int) -> Begun:
        """Of one position the move chosen in turn, then those of `joint`, from one pass.

        Weights are read from memory once, which is what takes time where positions are few.
        """
        begun = self.begin()
        for number, part in enumerate(self._order.parts):
            found = self.probabilities(number, begun)
            # The first move goes on by itself, whatever the others do; both begin with nothing.
            best = best_of(self.ranks(number, found[:1]), 1)
            alone = begun.some(slice(0, 1)).with_part(part, best, found[:1])
            others = slice(1 if number else 0, None)
            best = best_of(found[others], breadth)
            more = begun.some(others).with_part(part, best, found[others])
            begun = alone.and_more(self.likeliest(more, breadth))
        return begun

    def proposals(self, breadth: int) -> Begun:
        """The best of each part with each other, the likeliest first: 27 moves for 3 of each."""
        begun = self.begin()
        for number in range(len(PARTS)):
            begun = self.extended(number, begun, breadth)
        return self.likeliest(begun, breadth ** len(PARTS))

    def extended(self, number: int, begun: Begun, breadth: int, is_alone: bool = False) -> Begun:
        """Each move with each of the best classes of the next part; `is_alone` as in `ranks`."""
        found = self.probabilities(number, begun)
        ranks = self.ranks(number, found) if is_alone else found
        return begun.with_part(self._order.parts[number], best_of(ranks, breadth), found)

    def probabilities(self, number: int, begun: Begun) -> Array:
        """How likely each class of the next part is, the mean of what all voices say."""
        choices = begun.classes[:, self._order.parts[:number]]
        first, *others = self._voices
        found = first.probabilities(number, begun.position, choices) * first.share
        for voice in others:
            found = found + voice.probabilities(number, begun.position, choices) * voice.share
        return found

    def ranks(self, number: int, probabilities: Array) -> Array:
        """What decides on the next part where it is chosen by itself, the highest first.

        In chains of five networks a part that is more likely there than not is there, even if no
        single point is as likely as none.
        """
        if not self._order.has_presence or PARTS[self._order.parts[number]] == "TO":
            return probabilities
        ranks = probabilities.copy()
        ranks[:, 0] = probabilities[:, 0] >= 0.5
        return ranks

    def likeliest(self, begun: Begun, number: int) -> Begun:
        """Of each position so many moves, those that are most likely as a whole, best first."""
        likely = begun.likely.reshape(self._positions, -1)
        order = best_of(likely, number)
        first = np.arange(len(likely)) * likely.shape[1]
        return begun.some((first[:, None] + order).reshape(-1))


def best_of(values: Array, number: int) -> NDArray[np.intp]:
    """Where the largest so many of each row are, the largest first.

    Points that are symmetric to each other may be equally likely. What differs by no more than
    rounding counts as equal, and of equals the first comes first, on every machine.
    """
    nearly = 1 - ROUNDING * np.finfo(values.dtype).eps
    left = values.copy() if number > 1 else values
    rows, found = np.arange(len(values)), np.empty((len(values), number), dtype=np.intp)
    for place in range(number):
        found[:, place] = (left >= nearly * left.max(axis=1, keepdims=True)).argmax(axis=1)
        if number > 1:
            left[rows, found[:, place]] = -1
    return found
