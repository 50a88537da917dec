"""Online training: a learner plays game after game against an opponent that never errs.

A learner uses the contract of `ludus.core.game`, the start position and its opponent's moves; exact
values are for the opponent and for the regret. The minimax regret of a game is the value of its
start position to the learner minus the result, where a win is 1, a draw 0 and a loss -1.

Games begin at `Game.training_starts`: from the initial position the opponent holds the draw in all
these games, so a learner could never win.
"""

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Literal

from ludus.core.errors import BadSpec, quote
from ludus.core.game import AnyGame, Move, Outcome, Position
from ludus.oracles import Oracle
from ludus.oracles import oracle as find_oracle


@dataclass(frozen=True, slots=True)
class Episode:
    """A training game."""

    positions: tuple[Position, ...]
    """From the start position, with the learner to move, to the end."""

    moves: tuple[Move, ...]
    """Moves of learner and opponent in turn: `moves[i]` was played in `positions[i]`."""

    outcome: Outcome

    regret: int
    """Value of the start position to the learner minus the result."""

    @property
    def score(self) -> int:
        """1 if the learner won, 0 for a draw, -1 if it lost."""
        return self.outcome.score(self.positions[0].mover)


class PerfectOpponent:
    """Plays the best value, the quickest win, the slowest loss, and the first of equal moves.

    It also computes regret. Replies are cached, so its time is negligible.
    """

    def __init__(self, game: AnyGame, oracle: Oracle | None = None) -> None:
        self.oracle = oracle or find_oracle(game)
        self._replies: dict[Position, Move] = {}

    def choose_move(self, position: Position) -> Move:
        """Return its move."""
        if position not in self._replies:
            self._replies[position] = self.oracle.rate_moves(position)[0].move
        return self._replies[position]

    def compute_regret(self, start: Position, outcome: Outcome) -> int:
        """Return the regret of the side to move in the start position."""
        # These learners play games without dice, whose utilities are whole numbers.
        return int(self.oracle.value(start).utility) - outcome.score(start.mover)


def play_episode(
    start: Position, choose: Callable[[Position], Move], opponent: PerfectOpponent
) -> Episode:
    """Play a game from a position with the learner to move; `choose` gives its moves."""
    positions, moves = [start], list[Move]()
    while (outcome := positions[-1].outcome()) is None:
        position = positions[-1]
        is_learners = position.mover == start.mover
        moves.append(choose(position) if is_learners else opponent.choose_move(position))
        positions.append(position.play(moves[-1]))
    return Episode(tuple(positions), tuple(moves), outcome, opponent.compute_regret(start, outcome))


class Learner(ABC):
    """A learner that plays games and learns from them. Built by `ludus.learn.learner`."""

    options: ClassVar[Any] = None
    """A frozen dataclass with the default options, or None for a learner without options."""

    games: ClassVar[frozenset[str] | None] = None
    """Ids of the games that it can learn; None for all."""

    def __init__(self, game: AnyGame, settings: Any = None, spec: str = "") -> None:
        """Create an untrained learner."""
        self.game = game
        self.settings = self.options if settings is None else settings
        self.name = spec or type(self).__name__.lower()
        if self.games is not None and game.id not in self.games:
            known = ", ".join(sorted(self.games))
            raise BadSpec(f"{self.name} does not learn {game.id}; it learns {known}")
        self.random = random.Random(0)

    def reset_seed(self, seed: int) -> None:
        """Seed the random numbers; called once, before the first game."""
        self.random.seed(seed)

    @abstractmethod
    def train_episode(self, start: Position, opponent: PerfectOpponent) -> Episode:
        """Play one game from this position, with the learner to move, and learn from it."""

    def select_start(self, starts: Sequence[Position], source: random.Random) -> Position:
        """Select the start position of the next game, by default at random.

        Learners that do not override this get the same positions with the same seed.
        """
        return source.choice(starts)

    def transfer(self, earlier: "Learner") -> None:
        """Take over what was learned in another game; raise BadSpec if it cannot."""
        raise BadSpec(f"{quote(self.name)} cannot use what was learned elsewhere")

    def list_rules(self) -> list[str]:
        """Return the learned rules; none if it does not learn rules."""
        return []


MAX_START_PLIES = 4
"""Maximum number of plies before a start position."""

StartSampling = Literal["uniform", "shuffled", "one", "listed"]
"""uniform: sampled for each game; shuffled: all before any repeats; one: the same for all games;
listed: in the given order, again and again.
"""


def iterate_start_choices(
    starts: Sequence[Position], draw: StartSampling, source: random.Random
) -> Iterator[Sequence[Position]]:
    """Yield for every game the positions it may begin with, without end."""
    if draw == "one":
        starts = [source.choice(starts)]
    while draw in ("uniform", "one"):
        yield starts
    while True:
        for board in starts if draw == "listed" else source.sample(starts, len(starts)):
            yield [board]


def count_plies_to(game: AnyGame, start: Position) -> int:
    """Return the number of plies from the initial to a start position, 0 if it is not found."""
    boards = {game.start()}
    for ply in range(MAX_START_PLIES + 1):
        if start in boards:
            return ply
        boards = {board.play(move) for board in boards for move in board.legal_moves()}
    return 0


@dataclass(frozen=True, slots=True)
class TimedEpisode:
    """A training game and its cost."""

    episode: Episode

    seconds: float
    """Processor time for playing and learning, including the opponent's look-ups."""


def train_episodes(
    learner: Learner,
    starts: Sequence[Position],
    opponent: PerfectOpponent,
    games: int,
    seed: int | str,
    start_sampling: StartSampling = "uniform",
) -> Iterator[TimedEpisode]:
    """Play games one after another; a seed gives the same start positions to every learner."""
    source = random.Random(f"start boards {seed}")
    learner.reset_seed(random.Random(f"learner {seed}").getrandbits(62))
    opponent.oracle.values(starts)  # solved before timing starts
    for choices in islice(iterate_start_choices(starts, start_sampling, source), games):
        start = learner.select_start(choices, source)
        began = time.process_time()
        episode = learner.train_episode(start, opponent)
        yield TimedEpisode(episode, time.process_time() - began)


TRAINING_RUN_KEY = "schooling"
"""Key of the parameters of the training run in the files of learners."""


def complete_rules(fields: Any, game: AnyGame) -> Any:
    """Return the rules of a file, with defaults for those that are newer than the file."""
    return {**asdict(type(game.rules)()), **fields} if isinstance(fields, dict) else fields


class SavableLearner(Learner):
    """A learner that can be saved, for `ludus train`."""

    system: ClassVar[str]
    """Its name in `ludus train`."""

    @abstractmethod
    def summary(self) -> str:
        """Return what it has learned, in a few words after `has`."""

    @abstractmethod
    def save(self, file: Path, training_run: dict[str, Any]) -> None:
        """Write all that further training and playing need, and a description of the training."""

    @abstractmethod
    def load(self, file: Path) -> dict[str, Any]:
        """Load the file of a learner with these options; return the description of its training."""


BLOCK_SIZE = 500
"""Games in a block; training can stop between blocks."""

MAX_GAMES = 10_000_000

OpponentKind = Literal["perfect", "random", "mixed"]
StartKind = Literal["boards", "everywhere"]


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """Parameters of a training run, played in blocks so that it can resume exactly.

    All randomness in a block comes from the seed and the block's first game, so the learner's state
    after a block is all that the next one needs.
    """

    games: int
    seed: int = 0

    against: OpponentKind = "perfect"
    """Opponent: perfect, random, or random in a quarter of its moves (mixed)."""

    start: StartKind = "boards"
    """boards: games begin at the published start positions; everywhere: also at the initial
    position and after one ply, so that the learner plays both sides."""

    def __post_init__(self) -> None:
        if not 0 <= self.games <= MAX_GAMES:
            raise BadSpec(f"games={self.games} must be from 0 to {MAX_GAMES}")

    def run_blocks(self, learner: Learner, done: int = 0) -> Iterator[list[TimedEpisode]]:
        """Yield the games block by block, after `done` games, which must end a block."""
        game = learner.game
        starts = game.training_starts() if self.start == "boards" else list_early_positions(game)
        opponent = NoisyOpponent(game, self.against)
        for first in range(done, self.games, BLOCK_SIZE):
            seed = self.seed if first == 0 else f"{self.seed}, game {first}"
            opponent.random.seed(f"opponent {seed}")
            games = min(BLOCK_SIZE, self.games - first)
            yield list(train_episodes(learner, starts, opponent, games, seed))


class NoisyOpponent(PerfectOpponent):
    """Opponent that plays random moves with a given probability."""

    def __init__(self, game: AnyGame, against: OpponentKind) -> None:
        super().__init__(game)
        self.error_rate = {"perfect": 0.0, "mixed": 0.25, "random": 1.0}[against]
        self.random = random.Random(0)

    def choose_move(self, position: Position) -> Move:
        if self.error_rate and self.random.random() < self.error_rate:
            legal: list[Move] = position.legal_moves()
            return self.random.choice(legal)
        return super().choose_move(position)


def list_early_positions(game: AnyGame) -> list[Position]:
    """Return the initial position, those after one ply, and those after one move of each side."""
    start = game.start()
    return [start, *map(start.play, start.legal_moves()), *game.training_starts()]
