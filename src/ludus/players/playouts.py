"""Flat Monte Carlo: the move after which random games go best."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ludus.core.errors import BadSpec
from ludus.core.limit import Limit
from ludus.core.player import Choice, Player
from ludus.players.random_games import Scores, is_compiled, random_games

MAX_BATCH = 64
"""Random games behind one move, at most, between two looks at what is left to spend."""


@dataclass(frozen=True, slots=True)
class Options:
    """How much work goes into a move."""

    games: int = 2000
    """Random games for one decision, shared equally among the legal moves."""

    plies: int = 16_000
    """Plies of these games that may be played in Python; compiled ones are not counted."""

    threads: int = 1
    """Threads for random games in compiled code; the choice does not depend on it."""

    def __post_init__(self) -> None:
        for name, most in (
            ("games", 100_000_000),
            ("plies", 100_000_000),
            ("threads", 256),
        ):
            value = getattr(self, name)
            if not 1 <= value <= most:
                raise BadSpec(f"playouts {name}={value} must be from 1 to {most}")


@dataclass(slots=True)
class Tally:
    """What the random games behind one move came to, as the side that made it sees them."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    points: int = 0

    def add(self, scores: Scores, side: int) -> None:
        """Count games whose points are those of side 0."""
        for points, games in scores.items():
            own = -points if side else points
            self.games += games
            self.wins += games * (own > 0)
            self.draws += games * (own == 0)
            self.points += games * own

    @property
    def mean(self) -> float:
        """Points a game."""
        return self.points / self.games

    def __str__(self) -> str:
        drawn = f" and draws {self.draws / self.games:.0%}" if self.draws else ""
        return f"wins {self.wins / self.games:.0%}{drawn} of {self.games} random games"


class PlayoutPlayer(Player):
    """Plays random games behind every legal move and takes the move that scored best."""

    title: ClassVar[str] = "plays random games behind each move and takes the best"
    options: ClassVar[Options] = Options()

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        moves = position.legal_moves()
        if len(moves) == 1:
            return Choice(moves[0], "has no choice")
        after = {move: position.play(move) for move in moves}
        ends = {
            move: outcome.score(position.mover)
            for move, reached in after.items()
            if (outcome := reached.outcome()) is not None
        }
        if ends and max(ends.values()) > 0:
            move = self._best(ends)
            return Choice(move, "wins at once", {move: float(ends[move])})
        going_on = {move: reached for move, reached in after.items() if move not in ends}
        tallies = self._try(going_on, position.mover, limit)
        scores = {move: float(score) for move, score in ends.items()}
        scores |= {move: tally.mean for move, tally in tallies.items()}
        if not scores:
            return Choice(self.random.choice(moves), "had no time to think")
        move = self._best(scores)
        comment = str(tallies[move]) if move in tallies else "ends the game"
        return Choice(move, comment, scores)

    def _best(self, scores: Mapping[Any, float]) -> Any:
        """One of the moves with the highest score."""
        highest = max(scores.values())
        return self.random.choice([move for move, score in scores.items() if score == highest])

    def _try(self, after: Mapping[Any, Any], side: int, limit: Limit) -> dict[Any, Tally]:
        """Random games behind every move, as many as limit and options allow."""
        began, plies = time.perf_counter(), 0
        total = min(self.settings.games, limit.nodes or self.settings.games)
        is_free = limit.time is None and is_compiled(self.game)
        tallies: dict[Any, Tally] = {}
        for move, games in self._batches(list(after), total, total if is_free else 1):
            if limit.time is not None and time.perf_counter() - began >= limit.time:
                break
            if plies >= self.settings.plies:
                break
            threads = self.settings.threads
            ended = random_games(self.game, after[move], games, self.random, threads)
            plies += ended.python_plies
            tallies.setdefault(move, Tally()).add(ended.scores, side)
        # Legal order again, so that ties are broken in the same way whoever was tried first.
        return {move: tallies[move] for move in after if move in tallies}

    def _batches(self, moves: list[Any], total: int, size: int) -> Iterator[tuple[Any, int]]:
        """Moves in turn and how many games to play behind them: `size`, then more and more."""
        self.random.shuffle(moves)
        share, more = divmod(total, max(len(moves), 1))
        left = {move: share + (number < more) for number, move in enumerate(moves)}
        while any(left.values()):
            for move in moves:
                if games := min(size, left[move]):
                    left[move] -= games
                    yield move, games
            size = min(2 * size, MAX_BATCH)
