"""From a position to the networks' move, with the legality check or without."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ludus.games.nine_mens_morris.move import Move
from ludus.learn.nnmm.chain import Chain, Rule
from ludus.learn.nnmm.check import checked
from ludus.learn.nnmm.parts import PARTS
from ludus.learn.nnmm.positions import as_entries, as_moves, point_name
from ludus.learn.nnmm.reading import Classes, Reading
from ludus.learn.nnmm.weights import Array

NOTHING: Mapping[Move, float] = {}


class Decision(NamedTuple):
    """A move and how it came about."""

    move: Move

    classes: Classes
    """Shape (3,)."""

    probabilities: Array
    """Shape (3, 25): what was said about each part, given the parts chosen before it."""

    changed: tuple[int, ...] = ()
    """The parts, by their numbers in PARTS, that the legality check has changed."""

    scores: Mapping[Move, float] = NOTHING
    """How likely some legal moves are as a whole."""

    def told(self) -> str:
        """One sentence for a person."""
        said = []
        for part, name in enumerate(PARTS):
            chosen = int(self.classes[part])
            point = point_name(chosen) if chosen else "none"
            said.append(f"{name} {point} {self.probabilities[part, chosen]:.0%}")
        refused = " and ".join(PARTS[part] for part in self.changed)
        return ", ".join(said) + (f"; the check has changed {refused}" if refused else "")


class Decider:
    """A chain and how it is asked."""

    def __init__(
        self, chain: Chain, has_check: bool, rule: Rule, breadth: int, symmetries: int
    ) -> None:
        self._chain = chain
        self._has_check = has_check
        self._rule = rule
        self._breadth = breadth
        self._symmetries = symmetries

    def one(self, position: Any) -> Decision:
        """The decision in one position, with scores."""
        reading = self._reading(position)
        ranked = reading.joint(self._breadth)
        chosen = reading.in_turn() if self._rule == "parts" else ranked
        legal = position.legal_moves()
        likely = dict(zip(as_moves(ranked.classes), ranked.likely.tolist(), strict=True))
        scores = {move: share for move, share in likely.items() if move in legal}
        move = as_moves(chosen.classes[:1])[0]
        decision = Decision(move, chosen.classes[0], chosen.probabilities[0])
        if self._has_check and move not in legal:
            decision = self._legal(decision, reading, legal)
        return decision._replace(scores=scores)

    def many(self, positions: Sequence[Any]) -> list[Decision]:
        """The same for many positions at once, without scores."""
        entries = as_entries(positions)
        answer = self._chain.parts(entries, self._rule, self._symmetries, self._breadth)
        moves = as_moves(answer.classes)
        found = list(map(Decision, moves, answer.classes, answer.probabilities))
        if self._has_check:
            for number, position in enumerate(positions):
                legal = position.legal_moves()
                if moves[number] not in legal:
                    found[number] = self._legal(found[number], self._reading(position), legal)
        return found

    def _legal(self, refused: Decision, reading: Reading, legal: Sequence[Move]) -> Decision:
        """The next best move that is legal, in the place of one that is not."""
        if self._rule == "joint":
            ranked = reading.joint(self._breadth)
            for number, move in enumerate(as_moves(ranked.classes)):
                if move in legal:
                    classes = ranked.classes[number]
                    changed = tuple(np.flatnonzero(classes != refused.classes).tolist())
                    return Decision(move, classes, ranked.probabilities[number], changed)
        move, begun, changed = checked(reading, self._chain.order, legal)
        return Decision(move, begun.classes[0], begun.probabilities[0], changed)

    def _reading(self, position: Any) -> Reading:
        return self._chain.reading(as_entries([position]), self._symmetries)
