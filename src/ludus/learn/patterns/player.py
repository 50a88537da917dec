"""The Fuzzy player: likely to make good moves, and never sure to."""

import atexit
from pathlib import Path
from typing import Any, ClassVar

from ludus._native import patterns as native
from ludus.core.limit import Limit
from ludus.core.pictures import Picture
from ludus.core.player import Choice, Player
from ludus.learn.patterns.file import save
from ludus.learn.patterns.fuzzy import Knowledge
from ludus.learn.patterns.pictures import chances, patterns_made, threats
from ludus.learn.patterns.settings import Options, knowledge
from ludus.learn.patterns.shipped import network
from ludus.learn.patterns.watching import Watcher
from ludus.learn.patterns.whole import check_place


class FuzzyPlayer(Player):
    """Draws among its moves in proportion to what a network of patterns thinks of them."""

    title: ClassVar[str] = "draws moves by the scores of a network of board patterns it has learned"
    options: ClassVar[Options] = Options()
    games: ClassVar[frozenset[str] | None] = frozenset({"nine_mens_morris"})

    def __init__(self, game: Any, settings: Options, spec: str) -> None:
        super().__init__(game, settings, spec)
        self._settings = settings.settings()
        self._choice: Choice | None = None
        self.network = network(self._settings.network)
        self._use_network()
        mutual = self._settings.mutual
        self._watcher = Watcher(self.network, self._settings.weights, mutual)
        if settings.save:
            check_place(Path(settings.save))
            atexit.register(self._end_match)  # the last match of the day has no next one

    def begin(self, seed: int) -> None:
        super().begin(seed)
        self._end_match()

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        choice = self._choice = self._draw(position)
        if self.settings.learn:
            self._watcher.see(position, choice.move)
            if self._watcher.is_over:
                self._end_match()
        return choice

    def pictures(self, position: Any) -> list[Picture]:
        """The chances of its moves, the patterns of the one it made, and what it saw coming."""
        if self._choice is None or not self._choice.scores:
            return []
        known, move = self.knowledge, self._choice.move
        seen = threats(position, known)
        return [
            chances(self._choice.scores),
            *patterns_made(position, move, known),
            *([seen] if seen is not None else []),
        ]

    def _end_match(self) -> None:
        """What was seen of a match counts from now on."""
        if self._watcher.end():
            self._use_network()
            if self.settings.save:
                save(self.network, Path(self.settings.save))

    def _draw(self, position: Any) -> Choice:
        moves = position.legal_moves()
        weights = self.compiled.weights(position.bits, position.hands, position.mover)
        if not weights:
            return Choice(moves[0], "cannot move")
        move = self.random.choices(moves, weights)[0]
        total = sum(weights)
        shares = {each: weight / total for each, weight in zip(moves, weights, strict=True)}
        return Choice(move, f"{shares[move]:.0%} likely among {len(moves)} moves", shares)

    def _use_network(self) -> None:
        """Score all patterns by what the network knows now."""
        self.knowledge = knowledge(self.network, self._settings)
        self.compiled = compiled(self.game.rules, self.knowledge)


def compiled(rules: Any, known: Knowledge) -> native.Fuzzy:
    """The twin of `weigh` for positions under these rules."""
    return native.Fuzzy(
        rules,
        known.scores,
        sorted(known.edges),
        known.rate_threshold,
        known.move_threshold,
        known.corners,
        known.defends,
        known.take,
    )
