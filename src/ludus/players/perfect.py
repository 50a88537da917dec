"""Perfect play where it is known, and search where it is not.

A won game is won as fast as possible, a lost one is lost as slowly as possible. Of moves that
draw, the one is played after which the opponent has the fewest replies that hold the draw; of
those the one with the most replies in all, which are as many ways to go wrong; and a move that
ends the game in a draw only if there is no other. What is equal after that is left to chance, and
with `draws=any` so are all moves that draw.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from ludus.core.errors import BadSpec
from ludus.core.game import AnyGame
from ludus.core.limit import Limit
from ludus.core.player import Choice, Player
from ludus.oracle.finding import oracle_for
from ludus.oracle.oracle import Oracle, RatedMove, Value
from ludus.players.evaluation import MAN, evaluation
from ludus.players.probing import Found, ProbingSearch, plies_to_end

Draws = Literal["tricky", "any"]

VERBS = {"win": "wins", "loss": "loses", "draw": "draws"}


@dataclass(frozen=True, slots=True)
class Options:
    """Where perfect values are, and what is done without them."""

    oracle: str = ""
    """A folder that `ludus solve` has written; else the one that `ludus value` would ask."""

    nodes: int = 20_000
    """Positions that a search may visit where the game is not solved."""

    draws: Draws = "tricky"
    """Which of the moves that draw: tricky, one that is hard to answer; or any."""

    def __post_init__(self) -> None:
        if not 1 <= self.nodes <= 1_000_000_000:
            raise BadSpec(f"perfect nodes={self.nodes} must be from 1 to 1000000000")


@dataclass(frozen=True, slots=True)
class Replies:
    """What a move that draws leaves to the opponent."""

    hold: int
    """Replies that keep the draw."""

    total: int

    @property
    def rank(self) -> tuple[float, int]:
        """Smaller is better."""
        return self.hold if self.total else math.inf, -self.total

    def __str__(self) -> str:
        if not self.total:
            return "draws, and the game is over"
        return f"drawn: {self.hold} of {self.total} {_plural(self.total, 'reply', 'replies')} hold"


class PerfectPlayer(Player):
    """Keeps what the position is worth, by an oracle if it can and by search if it must."""

    title: ClassVar[str] = "plays perfectly where the game is solved, and searches elsewhere"
    options: ClassVar[Options] = Options()
    games: ClassVar[frozenset[str] | None] = frozenset(
        {"nine_mens_morris", "noughts_and_crosses", "hexapawn"}
    )

    def __init__(self, game: AnyGame, settings: Any, spec: str) -> None:
        super().__init__(game, settings, spec)
        folder = Path(settings.oracle) if settings.oracle else None
        self.oracle: Oracle = oracle_for(game, folder, needs_depth=True)

    @cached_property
    def name(self) -> str:
        """What this player is, as far as its oracle goes."""
        if self.oracle.knows(self.game.start()):
            return "perfect"
        return f"perfect {self.oracle.extent}, search before that"

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        if self.oracle.knows(position):
            return self._look_up(position)
        return self._search(position, limit)

    def _look_up(self, position: Any) -> Choice:
        rated = self.oracle.moves(position)
        scores = {each.move: _share(each) for each in rated}
        first = Value(rated[0].value, rated[0].depth)
        best = [each.move for each in rated if Value(each.value, each.depth) == first]
        if first.result != "draw" or self.settings.draws == "any":
            return Choice(self.random.choice(best), _spoken(first), scores)
        replies = {move: self._replies(position.play(move)) for move in best}
        fewest = min(each.rank for each in replies.values())
        move = self.random.choice([move for move in best if replies[move].rank == fewest])
        return Choice(move, str(replies[move]), scores)

    def _replies(self, position: Any) -> Replies:
        rated = self.oracle.moves(position)
        return Replies(sum(each.value == "draw" for each in rated), len(rated))

    def _search(self, position: Any, limit: Limit) -> Choice:
        nodes = min(self.settings.nodes, limit.nodes or self.settings.nodes)
        within = Limit(limit.time, nodes, limit.depth)
        found = ProbingSearch(self.oracle, evaluation(self.game), within).run(position)
        if found is None:
            return Choice(self.random.choice(position.legal_moves()), "had no time to think")
        move = self.random.choice(found.moves)
        scores = {each: score / MAN for each, score in found.scores.items()}
        return Choice(move, self._explanation(found), scores)

    def _explanation(self, found: Found) -> str:
        """What the search saw, and why there was one."""
        plies = plies_to_end(found.best)
        if plies is not None:
            seen = _spoken(Value("win" if found.best > 0 else "loss", plies))
        else:
            seen = f"{found.best / MAN:+.2f} men"
        ahead = f"{found.depth} {_plural(found.depth, 'ply', 'plies')}"
        return f"search {ahead} deep: {seen} (perfect {self.oracle.extent})"


def _share(rated: RatedMove) -> float:
    """From 1 for a win at once to -1 for a loss at once, with draws at 0."""
    if rated.value == "draw":
        return 0.0
    share = 1 / (1 + rated.depth / 1000) if rated.depth else 1.0
    return share if rated.value == "win" else -share


def _spoken(value: Value) -> str:
    return f"{VERBS[value.result]}{str(value).removeprefix(value.result)}"


def _plural(number: int, one: str, many: str) -> str:
    return one if number == 1 else many
