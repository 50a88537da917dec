"""Flat Monte Carlo: the move after which random games go best."""

import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ludus.core.errors import BadSpec
from ludus.core.game import CHANCE, AnyGame
from ludus.core.limit import Limit
from ludus.core.match import MAX_PLIES
from ludus.core.player import Choice, Player

MAX_BATCH = 64
"""Random games behind one move between two looks at the clock, at most."""


@dataclass(frozen=True, slots=True)
class Options:
    """How much work goes into a move."""

    games: int = 2000
    """Random games for one decision, shared equally among the legal moves."""

    threads: int = 1
    """Threads for random games in compiled code; the choice does not depend on it."""

    def __post_init__(self) -> None:
        for name, most in (("games", 100_000_000), ("threads", 256)):
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

    def add(self, score: int, games: int = 1) -> None:
        """Count so many games that scored so many points each."""
        self.games += games
        self.wins += games if score > 0 else 0
        self.draws += games if score == 0 else 0
        self.points += score * games

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
        """Random games behind every move, as many as the limit allows."""
        began = time.perf_counter()
        total = min(self.settings.games, limit.nodes or self.settings.games)
        tallies: dict[Any, Tally] = {}
        for move, games in self._batches(list(after), total, is_timed=limit.time is not None):
            if limit.time is not None and time.perf_counter() - began >= limit.time:
                break
            tally = tallies.setdefault(move, Tally())
            self._play_out(after[move], games, side, tally)
        # Legal order again, so that ties are broken in the same way whoever was tried first.
        return {move: tallies[move] for move in after if move in tallies}

    def _batches(
        self, moves: list[Any], total: int, *, is_timed: bool
    ) -> Iterator[tuple[Any, int]]:
        """Moves and how many games to play behind them; small batches in turn against a clock."""
        self.random.shuffle(moves)
        share, more = divmod(total, max(len(moves), 1))
        left = {move: share + (number < more) for number, move in enumerate(moves)}
        batch = 1 if is_timed else total
        while any(left.values()):
            for move in moves:
                if games := min(batch, left[move]):
                    left[move] -= games
                    yield move, games
            batch = min(2 * batch, MAX_BATCH)

    def _play_out(self, position: Any, games: int, side: int, tally: Tally) -> None:
        """Add so many random games to the tally: compiled where the position can, else here."""
        if hasattr(position, "playouts"):
            seed, threads = self.random.getrandbits(63), self.settings.threads
            result = position.playouts(games, seed=seed, threads=threads, max_plies=MAX_PLIES)
            for winner, score in ((side, 1), (1 - side, -1)):
                tally.add(score, result["wins"][winner])
            tally.add(0, result["draws"])
            return
        for _ in range(games):
            tally.add(random_score(self.game, position, side, self.random))


def random_score(game: AnyGame, position: Any, side: int, source: random.Random) -> int:
    """What a game of random moves from here brings this side; 0 if it does not end."""
    for _ in range(MAX_PLIES):
        outcome = position.outcome()
        if outcome is not None:
            score: int = outcome.score(side)
            return score
        if position.mover == CHANCE:
            rolls, weights = zip(*game.chances(position), strict=True)
            move = source.choices(rolls, weights)[0]
        else:
            move = source.choice(position.legal_moves())
        position = position.play(move)
    return 0
