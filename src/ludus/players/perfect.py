"""Perfect play where the game is solved; elsewhere an error, or alpha-beta search on request.

A win is as fast, a loss as slow as possible. Among drawing moves, the player prefers those after
which the opponent has the fewest replies that hold the draw, then those with the most replies in
total, which are opportunities for errors; a move that ends the game in a draw comes last. Remaining
ties are broken at random; with `draws=any` all drawing moves are tied.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from ludus.core.errors import quote
from ludus.core.game import MAN_VALUE, AnyGame, Position
from ludus.core.player import Choice, Limit, Player
from ludus.core.spec import check_ranges
from ludus.oracles.interface import Oracle, RatedMove, Unsolved, Value, describe_distance
from ludus.oracles.selection import oracle as find_oracle
from ludus.players.alpha_beta import AlphaBetaSearch, SearchResult, score_to_plies

DrawPreference = Literal["tricky", "any"]

Fallback = Literal["none", "search"]

RESULT_VERBS = {"win": "wins", "loss": "loses", "draw": "draws"}


@dataclass(frozen=True, slots=True)
class PerfectOptions:
    """The source of perfect values, the search limit elsewhere, and the choice among draws."""

    oracle: str = ""
    """A folder written by `ludus solve`; by default the one that `ludus value` would use."""

    fallback: Fallback = "none"
    """Where the game is not solved: none refuses to play; search is alpha-beta, not perfect."""

    nodes: int = 20_000
    """Maximum number of positions that the search visits."""

    draws: DrawPreference = "tricky"
    """Choice among drawing moves: tricky, with few replies that hold the draw; or any."""

    def __post_init__(self) -> None:
        check_ranges(self, "perfect", nodes=(1, 1_000_000_000))


@dataclass(frozen=True, slots=True)
class DrawReplies:
    """Counts of the opponent's replies to a drawing move."""

    num_holding: int
    """Replies that keep the draw."""

    num_replies: int

    @property
    def rank(self) -> tuple[float, int]:
        """Sort key; smaller is better."""
        return self.num_holding if self.num_replies else math.inf, -self.num_replies

    def __str__(self) -> str:
        if not self.num_replies:
            return "draws, and the game is over"
        replies = _pluralize(self.num_replies, "reply", "replies")
        return f"drawn: {self.num_holding} of {self.num_replies} {replies} hold"


class PerfectPlayer(Player):
    """Preserves the value of the position by an oracle; with fallback=search it may also search."""

    title: ClassVar[str] = "plays perfectly where the game is solved"
    options: ClassVar[PerfectOptions] = PerfectOptions()
    page_options: ClassVar[Mapping[str, str]] = {"fallback": "search"}

    def __init__(self, game: AnyGame, settings: Any = None, spec: str = "") -> None:
        super().__init__(game, settings, spec)
        settings = self.settings
        folder = Path(settings.oracle) if settings.oracle else None
        self.oracle: Oracle = find_oracle(game, folder, needs_depth=True)
        if game.is_in_points:
            # There is no search for games with dice: the whole game must be solved.
            self.oracle.value(game.start())

    @cached_property
    def name(self) -> str:
        """The player's name, with the coverage of its oracle if that is not the whole game."""
        if self.oracle.has_value(self.game.start()):
            return "perfect"
        before = "search" if self.settings.fallback == "search" else "no moves"
        return f"perfect {self.oracle.coverage}, {before} before that"

    @property
    def notice(self) -> str:
        """What is exact, and what would make all of it exact."""
        if self.settings.fallback == "none" or self.oracle.has_value(self.game.start()):
            return ""
        advice = f"; {self.oracle.advice} makes it exact" if self.oracle.advice else ""
        return f"{self.spec} is exact {self.oracle.coverage} and searches before that{advice}"

    def check_start(self, position: Position) -> None:
        if self.settings.fallback == "none" and not self.oracle.has_value(position):
            advice = f"; {self.oracle.advice} solves it" if self.oracle.advice else ""
            raise Unsolved(
                f"perfect cannot play from {quote(str(position), 80)}: {self.game.id} is solved "
                f"{self.oracle.coverage}; perfect:fallback=search searches before that{advice}"
            )

    def choose(self, position: Position, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        if self.oracle.has_value(position):
            return self._choose_by_oracle(position)
        self.check_start(position)
        return self._search(position, limit)

    def _choose_by_oracle(self, position: Position) -> Choice:
        rated = self.oracle.rate_moves(position)
        scores = {each.move: _score_move(each) for each in rated}
        first = Value(rated[0].value, rated[0].depth, rated[0].equity)
        best = [
            each.move
            for each in rated
            if not each.cost and (each.value, each.depth) == (first.result, first.depth)
        ]
        if first.result != "draw" or self.settings.draws == "any":
            return Choice(self.random.choice(best), _format_value(first), scores)
        replies = {move: self._count_replies(position.play(move)) for move in best}
        fewest = min(each.rank for each in replies.values())
        move = self.random.choice([move for move in best if replies[move].rank == fewest])
        return Choice(move, str(replies[move]), scores)

    def _count_replies(self, position: Position) -> DrawReplies:
        rated = self.oracle.rate_moves(position)
        return DrawReplies(sum(each.value == "draw" for each in rated), len(rated))

    def _search(self, position: Position, limit: Limit) -> Choice:
        budget = limit.tighten(nodes=self.settings.nodes)
        found = AlphaBetaSearch(self.game, self.oracle, budget).run(position)
        if found is None:
            return Choice(self.random.choice(position.legal_moves()), "had no time to think")
        move = self.random.choice(found.moves)
        scores = {each: score / MAN_VALUE for each, score in found.scores.items()}
        return Choice(move, self._explain(found), scores)

    def _explain(self, found: SearchResult) -> str:
        """Describe the result of the search and the coverage of the oracle."""
        plies = score_to_plies(found.best)
        if plies is not None:
            result = f"{'wins' if found.best > 0 else 'loses'}{describe_distance(plies)}"
        else:
            result = f"{found.best / MAN_VALUE:+.2f} men"
        ahead = f"{found.depth} {_pluralize(found.depth, 'move', 'moves')}"
        return f"looking {ahead} ahead: {result} (perfect {self.oracle.coverage})"


def _score_move(rated: RatedMove) -> float:
    """Return a score from 1 for an immediate win to -1 for an immediate loss; 0 for draws.

    In games with dice it is the equity.
    """
    if rated.equity is not None:
        return rated.equity
    if rated.value == "draw":
        return 0.0
    utility = 1 / (1 + rated.depth / 1000) if rated.depth else 1.0
    return utility if rated.value == "win" else -utility


def _format_value(value: Value) -> str:
    if value.equity is not None:
        return str(value)
    if value.result == "draw" or not value.depth:
        return f"{RESULT_VERBS[value.result]}{str(value).removeprefix(value.result)}"
    return f"{RESULT_VERBS[value.result]}{describe_distance(value.depth)}"


def _pluralize(number: int, one: str, many: str) -> str:
    return one if number == 1 else many
