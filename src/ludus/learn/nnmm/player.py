"""Players that use the networks: `nnmm` alone (Galassi 2016, section 5.5) and `hybrid`, where a
small search chooses among proposed moves (section 7.2)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus._native import search as native
from ludus.core.game import MAN_VALUE, AnyGame
from ludus.core.marks import Picture
from ludus.core.player import Choice, Limit, Player
from ludus.core.spec import check_ranges
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.games.nine_mens_morris.board import SYMMETRIES, Move
from ludus.games.nine_mens_morris.position import MorrisPosition
from ludus.learn.move_explanation import (
    DecodingRule,
    MoveDecision,
    select_by_parts,
    split_move,
)
from ludus.learn.nnmm.chain import (
    DEFAULT_BREADTH,
    DEFAULT_SIZE,
    Decoder,
    NetworkChain,
    PartialMoves,
    check_rules,
    load_chain,
    top_k,
)
from ludus.learn.nnmm.parts import (
    NUM_CLASSES,
    POINT_OF_CLASS,
    PartOrder,
    classes_to_moves,
    moves_to_classes,
)
from ludus.learn.nnmm.weights import Array
from ludus.players.negascout import NegascoutOptions as SearchOptions
from ludus.players.negascout import NegascoutPlayer, format_men


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


@dataclass(frozen=True, slots=True)
class NnmmOptions:
    """Which networks play, and how their moves are decoded."""

    weights: str = ""
    """A file of networks, as `ludus train nnmm` writes it; by default, shipped networks play."""

    size: str = DEFAULT_SIZE
    """Which of the shipped networks."""

    order: str = ""
    """The order in which the parts of a move are chosen, such as TFR: TO, FROM, REMOVE."""

    check: bool = True
    """Whether illegal choices are ruled out for every part; without, moves may be illegal."""

    rule: DecodingRule = "parts"
    """parts: the best of each part in turn. joint: the move that is most likely as a whole."""

    breadth: int = DEFAULT_BREADTH
    """Beam width of `joint`, and the number of moves that are scored for display."""

    symmetries: int = 1
    """The number of the 16 symmetries of the board over which probabilities are averaged."""

    def __post_init__(self) -> None:
        check_ranges(self, breadth=(1, NUM_CLASSES), symmetries=(1, len(SYMMETRIES)))


class NnmmPlayer(Player):
    """Networks choose where a man goes, which man moves and which man is taken."""

    title: ClassVar[str] = "networks that have learned good moves choose TO, FROM and REMOVE"
    options: ClassVar[NnmmOptions] = NnmmOptions()
    games: ClassVar[frozenset[str] | None] = frozenset({"nine_mens_morris"})

    settings: NnmmOptions

    def __init__(self, game: AnyGame, settings: Any = None, spec: str = "") -> None:
        super().__init__(game, settings, spec)
        settings = self.settings
        check_rules(game.rules)
        self.chain = load_chain(settings.weights, settings.size, settings.order)
        self._policy = NetworkChainPolicy(
            self.chain, settings.check, settings.rule, settings.breadth, settings.symmetries
        )
        self.decisions = 0
        """Number of moves chosen so far."""

        self.interventions = 0
        """Number of moves that the legality check changed."""

    def choose(self, position: MorrisPosition, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return self._choice(self._policy.decide(position))

    def choose_many(
        self,
        positions: Sequence[MorrisPosition],
        limit: Limit = Limit(),  # noqa: B008
    ) -> list[Choice]:
        return [self._choice(decision) for decision in self._policy.decide_batch(positions)]

    def pictures(self, position: MorrisPosition) -> list[Picture]:
        """Return a picture of the probabilities of each part, in the order of choice."""
        decision = self._policy.decide(position)
        return [decision.draw_part(part) for part in self.chain.order.parts]

    def _choice(self, decision: MoveDecision) -> Choice:
        self.decisions += 1
        self.interventions += bool(decision.changed_parts)
        return Choice(decision.move, decision.describe(), decision.scores)


MAX_K = 9
MAX_DEPTH = 20
MAX_TRUST = 10

MIN_PROBABILITY = 1e-6
"""Lower bound of probabilities, so that no trust makes an open game look worse than a lost one."""


@dataclass(frozen=True, slots=True)
class HybridOptions:
    """How many moves are proposed, and how deep the search is."""

    k: int = 3
    """Number of classes proposed for each part, each given those before it: 27 moves for 3."""

    depth: int = 2
    """Plies of the search, the proposed move included; 1 evaluates the position after it."""

    trust: float = 0.2
    """Bonus in men for a move that is e times as likely; 0: the search alone decides, and the
    networks only break ties."""

    weights: str = ""
    """A file that `ludus train nnmm`, `import` or `join` wrote; by default, shipped networks
    propose."""

    size: str = DEFAULT_SIZE
    """Which of the shipped networks."""

    order: str = ""
    """The order in which the parts of a move are chosen, such as TFR."""

    symmetries: int = 1
    """The number of the 16 symmetries of the board over which probabilities are averaged."""

    def __post_init__(self) -> None:
        ranges = {"k": (1, MAX_K), "depth": (1, MAX_DEPTH), "symmetries": (1, len(SYMMETRIES))}
        check_ranges(self, "hybrid", **ranges, trust=(0, MAX_TRUST))


class HybridPlayer(Player):
    """Searches only the moves that the networks propose, a few plies deep.

    A small search is reliable about captures and the end of the game, but evaluates other features
    of a position poorly. So the probability of a move counts too, as a fraction of a man.
    """

    title: ClassVar[str] = "networks propose some moves, a small search chooses among them"
    options: ClassVar[HybridOptions] = HybridOptions()
    games: ClassVar[frozenset[str] | None] = frozenset({"nine_mens_morris"})

    settings: HybridOptions

    def __init__(self, game: AnyGame, settings: Any = None, spec: str = "") -> None:
        super().__init__(game, settings, spec)
        settings = self.settings
        check_rules(game.rules)
        self.chain = load_chain(settings.weights, settings.size, settings.order)
        # No endgame tables: they would hide what networks and a small search achieve by themselves.
        search = SearchOptions(depth=settings.depth, multipv=settings.k**3, endings=False)
        self._search = NegascoutPlayer(game, search, f"negascout:depth={settings.depth}")

    def start_game(self, seed: int) -> None:
        super().start_game(seed)
        self._search.start_game(seed)

    def stop(self) -> None:
        """Stop the search that runs on another thread."""
        self._search.stop()

    def choose(self, position: MorrisPosition, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        proposed = self.propose(position)
        if len(proposed) == 1:
            return Choice(next(iter(proposed)), "the networks propose no other legal move")
        found = self._search.think(position, limit, search_moves=list(proposed)).scores
        scores = {
            move: self._combine_scores(score, proposed[move]) for move, score in found.items()
        }
        best = max(scores, key=lambda move: (scores[move], proposed[move]))
        text = format_men(found[best], self.settings.depth)
        return Choice(
            best, f"{text}, {proposed[best]:.0%} likely, best of {len(proposed)} proposed", scores
        )

    def _combine_scores(self, score: float, likely: float) -> float:
        """Return the combined score of search and networks, in men."""
        if abs(score) * MAN_VALUE >= native.DECIDED:
            return score  # the result is proven, so the networks do not count
        return score + self.settings.trust * math.log(max(likely, MIN_PROBABILITY))

    def propose(self, position: MorrisPosition) -> dict[Move, float]:
        """Return the legal moves that the networks propose, with their probabilities."""
        legal = position.legal_moves()
        positions = PositionBatch.from_positions([position])
        decoder = self.chain.decoder(positions, self.settings.symmetries)
        partial = decoder.list_candidates(self.settings.k)
        moves = classes_to_moves(partial.classes)
        likely = zip(moves, partial.probability.tolist(), strict=True)
        found = {move: probability for move, probability in likely if move in legal}
        if found:
            return found
        move, partial, _ = decode_legal_move(decoder, self.chain.order, legal)
        return {move: float(partial.probability[0])}
