"""Flat Monte Carlo player: chooses the move whose random games score best."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ludus.core.game import Move, Position
from ludus.core.player import Choice, Limit, Player
from ludus.core.spec import check_ranges
from ludus.players.random_play import ScoreCounts, play_random_games

MAX_BATCH = 64
"""Maximum number of random games of one move between two checks of the budget."""


@dataclass(frozen=True, slots=True)
class PlayoutOptions:
    """The budget for a move."""

    games: int = 2000
    """Random games per decision, divided equally among the legal moves."""

    plies: int = 16_000
    """Maximum plies of these games played in Python; compiled ones are not counted."""

    threads: int = 1
    """Threads for random games in compiled code; the choice does not depend on it."""

    def __post_init__(self) -> None:
        most = 100_000_000
        check_ranges(self, "playouts", games=(1, most), plies=(1, most), threads=(1, 256))


@dataclass(slots=True)
class PlayoutTally:
    """Results of the random games after one move, from the mover's side."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    points: int = 0

    def add(self, scores: ScoreCounts, side: int) -> None:
        """Add games, whose scores are those of side 0, for this side."""
        for points, games in scores.items():
            own = -points if side else points
            self.games += games
            self.wins += games * (own > 0)
            self.draws += games * (own == 0)
            self.points += games * own

    @property
    def mean(self) -> float:
        """Mean points per game."""
        return self.points / self.games

    def __str__(self) -> str:
        draws = f" and draws {self.draws / self.games:.0%}" if self.draws else ""
        return f"wins {self.wins / self.games:.0%}{draws} of {self.games} random games"


class PlayoutPlayer(Player):
    """Plays random games after every legal move and chooses the move with the highest mean."""

    title: ClassVar[str] = "plays random games behind each move and takes the best"
    options: ClassVar[PlayoutOptions] = PlayoutOptions()
    score_unit = "points"

    def choose(self, position: Position, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
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
            move = self._choose_best(ends)
            return Choice(move, "wins at once", {move: float(ends[move])})
        unfinished = {move: reached for move, reached in after.items() if move not in ends}
        tallies = self._run_playouts(unfinished, position.mover, limit)
        scores = {move: float(score) for move, score in ends.items()}
        scores |= {move: tally.mean for move, tally in tallies.items()}
        if not scores:
            return Choice(self.random.choice(moves), "had no time to think")
        move = self._choose_best(scores)
        comment = str(tallies[move]) if move in tallies else "ends the game"
        return Choice(move, comment, scores)

    def _choose_best(self, scores: Mapping[Move, float]) -> Move:
        """Return one of the moves with the highest score, at random."""
        highest = max(scores.values())
        return self.random.choice([move for move, score in scores.items() if score == highest])

    def _run_playouts(
        self, after: Mapping[Move, Position], side: int, limit: Limit
    ) -> dict[Move, PlayoutTally]:
        """Play random games after every move, as many as limit and options allow."""
        began, plies = time.perf_counter(), 0
        total = min(self.settings.games, limit.nodes or self.settings.games)
        is_free = limit.time is None and self.game.has_native_playouts
        tallies: dict[Move, PlayoutTally] = {}
        for move, games in self._iterate_batches(list(after), total, total if is_free else 1):
            if limit.time is not None and time.perf_counter() - began >= limit.time:
                break
            if plies >= self.settings.plies:
                break
            threads = self.settings.threads
            ended = play_random_games(self.game, after[move], games, self.random, threads)
            plies += ended.num_python_plies
            tallies.setdefault(move, PlayoutTally()).add(ended.scores, side)
        # Legal order again, so that breaking ties does not depend on the shuffled order.
        return {move: tallies[move] for move in after if move in tallies}

    def _iterate_batches(
        self, moves: list[Move], total: int, size: int
    ) -> Iterator[tuple[Move, int]]:
        """Yield moves in turn with a number of games: first `size`, doubling up to MAX_BATCH."""
        self.random.shuffle(moves)
        per_move, more = divmod(total, max(len(moves), 1))
        left = {move: per_move + (number < more) for number, move in enumerate(moves)}
        while any(left.values()):
            for move in moves:
                if games := min(size, left[move]):
                    left[move] -= games
                    yield move, games
            size = min(2 * size, MAX_BATCH)
