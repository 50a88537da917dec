"""From a position to a move: decode it and mask illegal classes if the legality check is on."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.games.nine_mens_morris.board import Move
from ludus.games.nine_mens_morris.position import MorrisPosition
from ludus.learn.move_explanation import (
    DecodingRule,
    MoveDecision,
    select_by_parts,
    split_move,
)
from ludus.learn.nnmm.chain import NetworkChain
from ludus.learn.nnmm.decoding import Decoder, PartialMoves, top_k
from ludus.learn.nnmm.parts import (
    NUM_CLASSES,
    POINT_OF_CLASS,
    PartOrder,
    classes_to_moves,
    moves_to_classes,
)
from ludus.learn.nnmm.weights import Array


class CheckedMove(NamedTuple):
    """A legal move and how the legality check changed it."""

    move: Move

    partial_moves: PartialMoves
    """The move with its class probabilities."""

    changed_parts: tuple[int, ...]
    """The parts, by index in PARTS, whose most likely class was illegal."""


def decode_legal_move(decoder: Decoder, order: PartOrder, legal: Sequence[Move]) -> CheckedMove:
    """Decode the move of a decoder's one position with the legality check (Galassi 2016, 5.5.1).

    Each part becomes the legal class that the network ranks highest. A class is legal if some legal
    move has it together with the parts chosen before, so no choice leads to a dead end.
    """
    partial, changed = decoder.start(), list[int]()
    moves = moves_to_classes(legal)

    def choose(part: int, left: NDArray[np.intp]) -> int:
        nonlocal partial
        number = order.parts.index(part)
        found = decoder.probabilities(number, partial)
        ranking = top_k(decoder.rank_classes(number, found), NUM_CLASSES)[0].tolist()
        allowed = set(moves[left, part].tolist())
        chosen: int = next(each for each in ranking if each in allowed)
        if chosen != ranking[0]:
            changed.append(part)
        partial = partial.choose_part(part, np.array([[chosen]]), found)
        return chosen

    move = legal[select_by_parts(moves, order.parts, choose)]
    return CheckedMove(move, partial, tuple(changed))


_CLASSES_BY_POINT = np.argsort(POINT_OF_CLASS % NUM_CLASSES)
"""The classes in the order of the points by number, then that of no point."""


def _make_decision(
    move: Move, probabilities: Array, changed_parts: tuple[int, ...] = ()
) -> MoveDecision:
    """Return a decision from class probabilities of shape (3, 25)."""
    return MoveDecision.from_distributions(move, probabilities[:, _CLASSES_BY_POINT], changed_parts)


class NetworkChainPolicy:
    """A chain with its decoding options."""

    def __init__(
        self,
        chain: NetworkChain,
        has_check: bool,
        rule: DecodingRule,
        breadth: int,
        symmetries: int,
    ) -> None:
        self._chain = chain
        self._has_check = has_check
        self._rule = rule
        self._breadth = breadth
        self._symmetries = symmetries

    def decide(self, position: MorrisPosition) -> MoveDecision:
        """Decide on one position, with scores."""
        decoder = self._decoder(position)
        found = decoder.decode_one_position(self._breadth)
        chosen = 0 if self._rule == "parts" else 1
        legal = position.legal_moves()
        moves = classes_to_moves(found.classes)
        likely = zip(moves, found.probability.tolist(), strict=True)
        scores = {move: probability for move, probability in likely if move in legal}
        move = moves[chosen]
        if self._has_check and move not in legal:
            decision = self._replace_illegal(move, decoder, legal)
        else:
            decision = _make_decision(move, found.probabilities[chosen])
        return decision._replace(scores=scores)

    def decide_batch(self, positions: Sequence[MorrisPosition]) -> list[MoveDecision]:
        """Decide on many positions in one batch, without scores."""
        batch = PositionBatch.from_positions(positions)
        prediction = self._chain.predict(batch, self._rule, self._symmetries, self._breadth)
        moves = classes_to_moves(prediction.classes)
        found = list(map(_make_decision, moves, prediction.probabilities))
        if self._has_check:
            for number, position in enumerate(positions):
                legal = position.legal_moves()
                if moves[number] not in legal:
                    found[number] = self._replace_illegal(
                        moves[number], self._decoder(position), legal
                    )
        return found

    def _replace_illegal(
        self, refused: Move, decoder: Decoder, legal: Sequence[Move]
    ) -> MoveDecision:
        """Replace an illegal move by the next best legal one."""
        if self._rule == "joint":
            ranked = decoder.beam_search(self._breadth)
            for move, probabilities in zip(
                classes_to_moves(ranked.classes), ranked.probabilities, strict=True
            ):
                if move in legal:
                    pairs = zip(split_move(move), split_move(refused), strict=True)
                    changed = tuple(part for part, (new, old) in enumerate(pairs) if new != old)
                    return _make_decision(move, probabilities, changed)
        move, partial, changed = decode_legal_move(decoder, self._chain.order, legal)
        return _make_decision(move, partial.probabilities[0], changed)

    def _decoder(self, position: MorrisPosition) -> Decoder:
        return self._chain.decoder(PositionBatch.from_positions([position]), self._symmetries)
