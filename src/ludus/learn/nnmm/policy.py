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
from ludus.learn.nnmm.parts import NUM_CLASSES, PARTS, PartOrder
from ludus.learn.nnmm.weights import Array


class CheckedMove(NamedTuple):
    """A legal move and how the legality check changed it."""

    move: Move

    partial_moves: PartialMoves
    """The move with its class probabilities."""

    changed_parts: tuple[int, ...]
    """The parts, by index in PARTS, whose most likely class was illegal."""


def decode_legal_move(decoder: Decoder, order: PartOrder, legal: Sequence[Move]) -> CheckedMove:
    """Decode the move of a decoder's one position with the legality check (Galassi 2018, 5.5.1).

    Each part becomes the legal class that the network ranks highest. A class is legal if some legal
    move has it together with the parts chosen before, so no choice leads to a dead end.
    """
    left = list(zip(to_classes(legal), legal, strict=True))
    partial, changed = decoder.start(), []
    for number, part in enumerate(order.parts):
        found = decoder.probabilities(number, partial)
        ranking = top_k(decoder.rank_classes(number, found), NUM_CLASSES)[0].tolist()
        allowed = {classes[part] for classes, _ in left}
        chosen = next(each for each in ranking if each in allowed)
        if chosen != ranking[0]:
            changed.append(part)
        left = [pair for pair in left if pair[0][part] == chosen]
        partial = partial.choose_part(part, np.array([[chosen]]), found)
    return CheckedMove(left[0][1], partial, tuple(changed))


NO_SCORES: Mapping[Move, float] = {}


class Decision(NamedTuple):
    """A move, its probabilities and the changes by the legality check."""

    move: Move

    classes: MoveClasses
    """Shape (3,)."""

    probabilities: Array
    """Shape (3, 25): class probabilities of each part, given the parts chosen before it."""

    changed_parts: tuple[int, ...] = ()
    """The parts, by index in PARTS, that the legality check has changed."""

    scores: Mapping[Move, float] = NO_SCORES
    """Joint probabilities of some legal moves."""

    def describe(self) -> str:
        """Return a one-sentence description for users."""
        texts = []
        for part, name in enumerate(PARTS):
            chosen = int(self.classes[part])
            point = class_point_name(chosen) if chosen else "none"
            texts.append(f"{name} {point} {self.probabilities[part, chosen]:.0%}")
        refused = " and ".join(PARTS[part] for part in self.changed_parts)
        return ", ".join(texts) + (f"; the check has changed {refused}" if refused else "")


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

    def decide(self, position: Any) -> Decision:
        """Decide on one position, with scores."""
        decoder = self._decoder(position)
        found = decoder.decode_one_position(self._breadth)
        chosen = 0 if self._rule == "parts" else 1
        legal = position.legal_moves()
        moves = to_moves(found.classes)
        likely = zip(moves, found.probability.tolist(), strict=True)
        scores = {move: probability for move, probability in likely if move in legal}
        decision = Decision(moves[chosen], found.classes[chosen], found.probabilities[chosen])
        if self._has_check and decision.move not in legal:
            decision = self._replace_illegal(decision, decoder, legal)
        return decision._replace(scores=scores)

    def decide_batch(self, positions: Sequence[Any]) -> list[Decision]:
        """Decide on many positions in one batch, without scores."""
        entries = to_entries(positions)
        prediction = self._chain.predict(entries, self._rule, self._symmetries, self._breadth)
        moves = to_moves(prediction.classes)
        found = list(map(Decision, moves, prediction.classes, prediction.probabilities))
        if self._has_check:
            for number, position in enumerate(positions):
                legal = position.legal_moves()
                if moves[number] not in legal:
                    found[number] = self._replace_illegal(
                        found[number], self._decoder(position), legal
                    )
        return found

    def _replace_illegal(
        self, refused: Decision, decoder: Decoder, legal: Sequence[Move]
    ) -> Decision:
        """Replace an illegal move by the next best legal one."""
        if self._rule == "joint":
            ranked = decoder.beam_search(self._breadth)
            for number, move in enumerate(to_moves(ranked.classes)):
                if move in legal:
                    classes = ranked.classes[number]
                    changed = tuple(np.flatnonzero(classes != refused.classes).tolist())
                    return Decision(move, classes, ranked.probabilities[number], changed)
        move, partial, changed = decode_legal_move(decoder, self._chain.order, legal)
        return Decision(move, partial.classes[0], partial.probabilities[0], changed)

    def _decoder(self, position: Any) -> Decoder:
        return self._chain.decoder(to_entries([position]), self._symmetries)
