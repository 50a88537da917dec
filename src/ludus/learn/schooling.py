"""A whole schooling: lessons in blocks, so that one that was interrupted goes on as if it had not.

All that is random in a block comes from the seed and the number of the block, so what is known
after a block is all that the next one needs.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ludus.core.errors import BadSpec
from ludus.core.game import AnyGame
from ludus.learn.lessons import Learner, Lesson, Opponent, take_lessons
from ludus.learn.starts import start_boards

BLOCK = 500
"""Games between two chances to stop."""

MAX_GAMES = 10_000_000

Against = Literal["perfect", "random", "mixed"]
From = Literal["boards", "everywhere"]


@dataclass(frozen=True, slots=True)
class Schooling:
    """What a learner is taught with."""

    games: int
    seed: int = 0

    against: Against = "perfect"
    """Whom it plays: an opponent that never errs, one that moves at random, or one that does so
    every fourth time."""

    start: From = "boards"
    """Where games begin: at the boards of the published lessons, or also at the start of the game
    and after one ply, so that the learner gets to know both sides."""

    def __post_init__(self) -> None:
        if not 0 <= self.games <= MAX_GAMES:
            raise BadSpec(f"games={self.games} must be from 0 to {MAX_GAMES}")

    def blocks(self, learner: Learner, done: int = 0) -> Iterator[list[Lesson]]:
        """The lessons of a learner who has had `done` games, which ended with a block."""
        game = learner.game
        starts = start_boards(game) if self.start == "boards" else all_starts(game)
        opponent = Sparring(game, self.against)
        for first in range(done, self.games, BLOCK):
            seed = self.seed if first == 0 else f"{self.seed}, game {first}"
            opponent.random.seed(f"opponent {seed}")
            games = min(BLOCK, self.games - first)
            yield list(take_lessons(learner, starts, opponent, games, seed))


class Sparring(Opponent):
    """An opponent that may err."""

    def __init__(self, game: AnyGame, against: Against) -> None:
        super().__init__(game)
        self.errs = {"perfect": 0.0, "mixed": 0.25, "random": 1.0}[against]
        self.random = random.Random(0)

    def reply(self, position: Any) -> Any:
        if self.errs and self.random.random() < self.errs:
            return self.random.choice(position.legal_moves())
        return super().reply(position)


def all_starts(game: AnyGame) -> list[Any]:
    """The start of the game, what one ply makes of it, and the boards one full move ahead."""
    start = game.start()
    return [start, *map(start.play, start.legal_moves()), *start_boards(game)]
