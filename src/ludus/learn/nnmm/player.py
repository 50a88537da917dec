"""Players that use the networks: `nnmm` alone (Galassi 2016, section 5.5) and `hybrid`, where a
small search chooses among proposed moves (section 7.2)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ludus._native import search as native
from ludus.core.game import MAN_VALUE, AnyGame
from ludus.core.marks import Picture
from ludus.core.player import Choice, Limit, Player
from ludus.core.spec import check_ranges
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.games.nine_mens_morris.board import SYMMETRIES, Move
from ludus.games.nine_mens_morris.position import MorrisPosition
from ludus.learn.move_explanation import DecodingRule, MoveDecision
from ludus.learn.nnmm.chain import DEFAULT_BREADTH, DEFAULT_SIZE, check_breadth, load_chain
from ludus.learn.nnmm.decoding import check_rules, check_symmetries
from ludus.learn.nnmm.parts import classes_to_moves
from ludus.learn.nnmm.policy import NetworkChainPolicy, decode_legal_move
from ludus.players.negascout import NegascoutOptions as SearchOptions
from ludus.players.negascout import NegascoutPlayer


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
        check_breadth(self.breadth)
        check_symmetries(self.symmetries)


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
        text = f"{found[best]:+.2f} men at depth {self.settings.depth}"
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
