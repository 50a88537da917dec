"""From a position to a move: decode it, mask illegal classes if the legality check is on, and
describe the decision."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ludus.games.nine_mens_morris.board import Move
from ludus.learn.nnmm.chain import Chain, DecodingRule
from ludus.learn.nnmm.decoding import (
    Decoder,
    MoveClasses,
    PartialMoves,
    class_point_name,
    to_classes,
    to_entries,
    to_moves,
    top_k,
)
from ludus.learn.nnmm.parts import NUM_CLASSES, PARTS, Order
from ludus.learn.nnmm.weights import Array


class CheckedMove(NamedTuple):
    """A legal move and how the legality check changed it."""

    move: Move

    begun: PartialMoves
    """The move with its class probabilities."""

    changed: tuple[int, ...]
    """The parts, by index in PARTS, whose most likely class was illegal."""


def decode_legal_move(reading: Decoder, order: Order, legal: Sequence[Move]) -> CheckedMove:
    """Decode the move of a decoder's one position with the legality check (Galassi 2018, 5.5.1).

    Each part becomes the legal class that the network ranks highest. A class is legal if some legal
    move has it together with the parts chosen before, so no choice leads to a dead end.
    """
    left = list(zip(to_classes(legal), legal, strict=True))
    begun, changed = reading.begin(), []
    for number, part in enumerate(order.parts):
        found = reading.probabilities(number, begun)
        ranking = top_k(reading.ranks(number, found), NUM_CLASSES)[0].tolist()
        allowed = {classes[part] for classes, _ in left}
        chosen = next(each for each in ranking if each in allowed)
        if chosen != ranking[0]:
            changed.append(part)
        left = [pair for pair in left if pair[0][part] == chosen]
        begun = begun.with_part(part, np.array([[chosen]]), found)
    return CheckedMove(left[0][1], begun, tuple(changed))


NO_SCORES: Mapping[Move, float] = {}


class Decision(NamedTuple):
    """A move, its probabilities and the changes by the legality check."""

    move: Move

    classes: MoveClasses
    """Shape (3,)."""

    probabilities: Array
    """Shape (3, 25): class probabilities of each part, given the parts chosen before it."""

    changed: tuple[int, ...] = ()
    """The parts, by index in PARTS, that the legality check has changed."""

    scores: Mapping[Move, float] = NO_SCORES
    """Joint probabilities of some legal moves."""

    def told(self) -> str:
        """Return a one-sentence description for users."""
        said = []
        for part, name in enumerate(PARTS):
            chosen = int(self.classes[part])
            point = class_point_name(chosen) if chosen else "none"
            said.append(f"{name} {point} {self.probabilities[part, chosen]:.0%}")
        refused = " and ".join(PARTS[part] for part in self.changed)
        return ", ".join(said) + (f"; the check has changed {refused}" if refused else "")


class ChainPolicy:
    """A chain with its decoding options."""

    def __init__(
        self, chain: Chain, has_check: bool, rule: DecodingRule, breadth: int, symmetries: int
    ) -> None:
        self._chain = chain
        self._has_check = has_check
        self._rule = rule
        self._breadth = breadth
        self._symmetries = symmetries

    def one(self, position: Any) -> Decision:
        """Decide on one position, with scores."""
        reading = self._reading(position)
        found = reading.at_once(self._breadth)
        chosen = 0 if self._rule == "parts" else 1
        legal = position.legal_moves()
        moves = to_moves(found.classes)
        likely = zip(moves, found.likely.tolist(), strict=True)
        scores = {move: share for move, share in likely if move in legal}
        decision = Decision(moves[chosen], found.classes[chosen], found.probabilities[chosen])
        if self._has_check and decision.move not in legal:
            decision = self._legal(decision, reading, legal)
        return decision._replace(scores=scores)

    def many(self, positions: Sequence[Any]) -> list[Decision]:
        """Decide on many positions in one batch, without scores."""
        entries = to_entries(positions)
        answer = self._chain.parts(entries, self._rule, self._symmetries, self._breadth)
        moves = to_moves(answer.classes)
        found = list(map(Decision, moves, answer.classes, answer.probabilities))
        if self._has_check:
            for number, position in enumerate(positions):
                legal = position.legal_moves()
                if moves[number] not in legal:
                    found[number] = self._legal(found[number], self._reading(position), legal)
        return found

    def _legal(self, refused: Decision, reading: Decoder, legal: Sequence[Move]) -> Decision:
        """Replace an illegal move by the next best legal one."""
        if self._rule == "joint":
            ranked = reading.joint(self._breadth)
            for number, move in enumerate(to_moves(ranked.classes)):
                if move in legal:
                    classes = ranked.classes[number]
                    changed = tuple(np.flatnonzero(classes != refused.classes).tolist())
                    return Decision(move, classes, ranked.probabilities[number], changed)
        move, begun, changed = decode_legal_move(reading, self._chain.order, legal)
        return Decision(move, begun.classes[0], begun.probabilities[0], changed)

    def _reading(self, position: Any) -> Decoder:
        return self._chain.reading(to_entries([position]), self._symmetries)
