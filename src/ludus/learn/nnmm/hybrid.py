"""Networks propose and a small search decides: the hybrid of section 7.2 of the thesis.

A small search is sure of men it wins and of the end of the game, and knows little of what else a
position is worth. So how likely the networks find a move counts, too, as a part of a man.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ludus._native import search as native
from ludus.core.errors import BadSpec
from ludus.core.limit import Limit
from ludus.core.player import Choice, Player
from ludus.games.nine_mens_morris.board import SYMMETRIES
from ludus.games.nine_mens_morris.move import Move
from ludus.learn.nnmm import shipped
from ludus.learn.nnmm.check import checked
from ludus.learn.nnmm.positions import as_entries, as_moves, check_rules
from ludus.players.negascout import MAN, NegascoutPlayer
from ludus.players.negascout import Options as SearchOptions

MAX_K = 9
MAX_DEPTH = 20
MAX_TRUST = 10

LEAST_LIKELY = 1e-6
"""No move counts as less likely, so that no trust makes an open game look worse than a lost one."""


@dataclass(frozen=True, slots=True)
class Options:
    """How much is proposed, and how far the search looks."""

    k: int = 3
    """How many classes of each part are proposed, each given those before it: 27 moves for 3."""

    depth: int = 2
    """Plies of the search, the proposed move included; 1 is a score of what it leads to."""

    trust: float = 0.2
    """How many men it is worth that a move is e times as likely; 0: the search alone decides, but
    for moves to which it gives the same score."""

    weights: str = ""
    """A file that `ludus train nnmm` or `ludus nnmm` wrote; else shipped networks propose."""

    size: str = shipped.BEST
    """Which of the shipped networks."""

    order: str = ""
    """The order in which the parts of a move are chosen, such as TFR."""

    symmetries: int = 1
    """Through how many of the 16 symmetries the networks see a position."""

    def __post_init__(self) -> None:
        for name, most in (("k", MAX_K), ("depth", MAX_DEPTH), ("symmetries", len(SYMMETRIES))):
            if not 1 <= getattr(self, name) <= most:
                raise BadSpec(f"hybrid {name}={getattr(self, name)} must be from 1 to {most}")
        if not 0 <= self.trust <= MAX_TRUST:
            raise BadSpec(f"hybrid trust={self.trust} must be from 0 to {MAX_TRUST}")


class HybridPlayer(Player):
    """Searches the moves that networks propose, and no others, a few plies deep."""

    title: ClassVar[str] = "networks propose some moves, a small search chooses among them"
    options: ClassVar[Options] = Options()
    games: ClassVar[frozenset[str] | None] = frozenset({"nine_mens_morris"})

    settings: Options

    def __init__(self, game: Any, settings: Options, spec: str) -> None:
        super().__init__(game, settings, spec)
        check_rules(game.rules)
        self.chain = shipped.chain(settings.weights, settings.size, settings.order)
        # Solved endings stay closed: what is measured is what networks and a small search can do.
        search = SearchOptions(depth=settings.depth, multipv=settings.k**3, endings=False)
        self._search = NegascoutPlayer(game, search, f"negascout:depth={settings.depth}")

    def begin(self, seed: int) -> None:
        super().begin(seed)
        self._search.begin(seed)

    def stop(self) -> None:
        """End the search that runs on another thread."""
        self._search.stop()

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        proposed = self.proposed(position)
        if len(proposed) == 1:
            return Choice(next(iter(proposed)), "the networks propose no other legal move")
        found = self._search.think(position, limit, only=list(proposed)).scores
        scores = {move: self._worth(score, proposed[move]) for move, score in found.items()}
        best = max(scores, key=lambda move: (scores[move], proposed[move]))
        said = f"{found[best]:+.2f} men at depth {self.settings.depth}"
        return Choice(
            best, f"{said}, {proposed[best]:.0%} likely, best of {len(proposed)} proposed", scores
        )

    def _worth(self, score: float, likely: float) -> float:
        """What search and networks together think of a move, in men."""
        if abs(score) * MAN >= native.DECIDED:
            return score  # the end is seen, and nobody can know better
        return score + self.settings.trust * math.log(max(likely, LEAST_LIKELY))

    def proposed(self, position: Any) -> dict[Move, float]:
        """The legal moves among those that the networks propose, with how likely each is."""
        legal = position.legal_moves()
        reading = self.chain.reading(as_entries([position]), self.settings.symmetries)
        begun = reading.proposals(self.settings.k)
        moves = dict(zip(as_moves(begun.classes), begun.likely.tolist(), strict=True))
        found = {move: likely for move, likely in moves.items() if move in legal}
        if found:
            return found
        move, begun, _ = checked(reading, self.chain.order, legal)
        return {move: float(begun.likely[0])}
