"""Lessons: a learner plays game after game against an opponent that never errs.

What a learner is told of a game is the contract of `ludus.core.game`, the start board and the
moves of its opponent; exact values are for the opponent and for marking. A mark is the minimax
regret of a game: what its start was worth to the learner less what came of it, where a win is
worth 1, a draw 0 and a loss -1.
"""

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

from ludus.core.game import AnyGame
from ludus.core.outcome import Outcome
from ludus.learn.starts import Draw, offers
from ludus.oracle import Oracle, oracle_for

WORTH = {"win": 1, "draw": 0, "loss": -1}


@dataclass(frozen=True, slots=True)
class Played:
    """A game of a lesson."""

    positions: tuple[Any, ...]
    """From the start board, in which the learner is to move, to the end."""

    moves: tuple[Any, ...]
    """The learner's and the opponent's in turn: `moves[i]` was played in `positions[i]`."""

    outcome: Outcome

    regret: int
    """What the start was worth to the learner less what came of it."""

    @property
    def score(self) -> int:
        """1 if the learner won, 0 for a draw, -1 if it lost."""
        return self.outcome.score(self.positions[0].mover)


class Opponent:
    """Plays the best value, the quickest win, the slowest loss, and the first of equal moves.

    It also marks games. Whatever it has looked up is kept, so that its own time hardly counts.
    """

    def __init__(self, game: AnyGame, oracle: Oracle | None = None) -> None:
        self.oracle = oracle or oracle_for(game)
        self._replies: dict[Any, Any] = {}

    def reply(self, position: Any) -> Any:
        """Its move."""
        if position not in self._replies:
            self._replies[position] = self.oracle.moves(position)[0].move
        return self._replies[position]

    def regret(self, start: Any, outcome: Outcome) -> int:
        """What a game cost the side that is to move in its start."""
        return WORTH[self.oracle.value(start).result] - outcome.score(start.mover)


def play_game(start: Any, choose: Callable[[Any], Any], opponent: Opponent) -> Played:
    """A game from a board in which the learner is to move; `choose` gives its moves."""
    positions, moves = [start], list[Any]()
    while (outcome := positions[-1].outcome()) is None:
        position = positions[-1]
        is_learners = position.mover == start.mover
        moves.append(choose(position) if is_learners else opponent.reply(position))
        positions.append(position.play(moves[-1]))
    return Played(tuple(positions), tuple(moves), outcome, opponent.regret(start, outcome))


class Learner(ABC):
    """Something that plays games and learns from them. Built by `ludus.learn.learner`."""

    options: ClassVar[Any] = None
    """A frozen dataclass with the default options, or None for a learner without options."""

    def __init__(self, game: AnyGame, settings: Any = None, spec: str = "") -> None:
        """A learner that knows nothing yet."""
        self.game = game
        self.settings = self.options if settings is None else settings
        self.name = spec or type(self).__name__.lower()
        self.random = random.Random(0)

    def begin(self, seed: int) -> None:
        """Draw random numbers from this seed; called once, before the first game."""
        self.random.seed(seed)

    @abstractmethod
    def play_and_learn(self, start: Any, opponent: Opponent) -> Played:
        """Play one game from this board, in which it is the learner's turn, and learn from it."""

    def pick_start(self, starts: Sequence[Any], source: random.Random) -> Any:
        """The board of these that the next game begins with: any, unless a learner knows better.

        Learners that leave this to chance are given the same boards under the same seed.
        """
        return source.choice(starts)


@dataclass(frozen=True, slots=True)
class Lesson:
    """One game with its mark and what it cost."""

    played: Played

    seconds: float
    """Processor time for playing and learning, that of the opponent's look-ups included."""


def take_lessons(
    learner: Learner,
    starts: Sequence[Any],
    opponent: Opponent,
    games: int,
    seed: int | str,
    draw: Draw = "uniform",
) -> Iterator[Lesson]:
    """So many games one after another. The same seed gives the same start boards to everyone."""
    source = random.Random(f"start boards {seed}")
    learner.begin(random.Random(f"learner {seed}").getrandbits(62))
    opponent.oracle.values(starts)  # solved before the clock runs
    for offered in islice(offers(starts, draw, source), games):
        start = learner.pick_start(offered, source)
        began = time.process_time()
        played = learner.play_and_learn(start, opponent)
        yield Lesson(played, time.process_time() - began)
