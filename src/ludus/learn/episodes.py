"""Online training: a learner plays game after game against an opponent that never errs.

A learner uses the contract of `ludus.core.game`, the start position and its opponent's moves; exact
values are for the opponent and for the regret. The regret of a game is that of `ludus.regret`: the
sum of what the learner's moves give away. Against an opponent that never errs it is the minimax
regret of the paper, the value of the start position minus the result.

Games begin at `Game.training_starts`: from the initial position the opponent holds the draw in all
these games, so a learner could never win.
"""

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from ludus.core.errors import BadSpec, quote
from ludus.core.executors import TaskExecutor
from ludus.core.game import AnyGame, Move, Outcome, Position
from ludus.games import game as named_game
from ludus.learn.checkpoint import TrainingState, dump_random, load_random
from ludus.learn.config import Options, TrainingConfig, argument_field
from ludus.learn.training import Clock, Training, Weights, fit
from ludus.oracles import Verdict
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
    """What the learner's moves gave away, where a win is 1, a draw 0 and a loss -1."""

    @property
    def score(self) -> int:
        """1 if the learner won, 0 for a draw, -1 if it lost."""
        return self.outcome.score(self.positions[0].mover)


class PerfectOpponent:
    """Plays the best value, the quickest win, the slowest loss, and the first of equal moves.

    It also computes regret. Verdicts are cached, so its time is negligible.
    """

    def __init__(self, game: AnyGame) -> None:
        self.oracle = find_oracle(game)
        self.random = random.Random(0)
        self._verdicts: dict[Position, Verdict] = {}

    def judge(self, position: Position) -> Verdict:
        """Return the exact values of a position's moves."""
        if position not in self._verdicts:
            self._verdicts[position] = self.oracle.verdict(position)
        return self._verdicts[position]

    def choose_move(self, position: Position) -> Move:
        """Return its move."""
        return self.judge(position).moves[0].move

    def compute_regret(self, positions: Sequence[Position], moves: Sequence[Move]) -> int:
        """Return the regret of the moves of the side that begins."""
        played = zip(positions, moves, strict=False)
        own = [each for each in played if each[0].mover == positions[0].mover]
        # These learners play games without dice, whose utilities are whole numbers.
        return int(sum(self.judge(position).cost(move) for position, move in own))


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
    return Episode(
        tuple(positions), tuple(moves), outcome, opponent.compute_regret(positions, moves)
    )


class Learner(ABC):
    """A learner that plays games and learns from them. Built by `ludus.learn.learner`."""

    system: ClassVar[str]
    """Its name in `ludus.LEARNERS`."""

    Options: ClassVar[type[Options]]
    """The class of its options."""

    games: ClassVar[frozenset[str] | None] = None
    """Ids of the games that it can learn; None for all."""

    def __init__(self, game: AnyGame, options: Any = None, spec: str = "") -> None:
        """Create an untrained learner."""
        self.game = game
        self.options: Any = self.Options() if options is None else options
        self.name = spec or self.system
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

    @abstractmethod
    def state(self) -> TrainingState:
        """Return what it has learned and all that further learning depends on."""

    @abstractmethod
    def load(self, state: TrainingState) -> None:
        """Take over the state of a learner with the same options."""

    @abstractmethod
    def export(self, training_run: Mapping[str, Any]) -> Weights:
        """Return what it has learned, with a description of the training."""

    @abstractmethod
    def summary(self) -> str:
        """Return what it has learned, in a few words after `has`."""

    def init_from(self, file: Path) -> None:
        """Begin with what a file of this learner holds."""
        raise BadSpec(f"{quote(self.name)} cannot begin from existing weights")


MAX_START_PLIES = 4
"""Maximum number of plies before a start position."""

StartSampling = Literal["uniform", "shuffled", "one", "listed"]
"""uniform: sampled for each game; shuffled: all before any repeats; one: the same for all games;
listed: in the given order, again and again.
"""


class StartSampler:
    """Says for every game the positions that it may begin with."""

    def __init__(
        self, starts: Sequence[Position], sampling: StartSampling, source: random.Random
    ) -> None:
        self._sampling, self._source = sampling, source
        self._starts = [source.choice(starts)] if sampling == "one" else list(starts)
        self.order: list[int] = []
        """Numbers of the positions that come next, if they come in an order; the last is next."""

    def next_choices(self) -> Sequence[Position]:
        """Return the positions that the next game may begin with."""
        if self._sampling in ("uniform", "one"):
            return self._starts
        if not self.order:
            numbers = range(len(self._starts))
            is_listed = self._sampling == "listed"
            self.order = list(numbers if is_listed else self._source.sample(numbers, len(numbers)))
            self.order.reverse()
        return [self._starts[self.order.pop()]]


def count_plies_to(game: AnyGame, start: Position) -> int:
    """Return the number of plies from the initial to a start position, 0 if it is not found."""
    boards = {game.start()}
    for ply in range(MAX_START_PLIES + 1):
        if start in boards:
            return ply
        boards = {board.play(move) for board in boards for move in board.legal_moves()}
    return 0


def complete_rules(fields: Any, game: AnyGame) -> Any:
    """Return the rules of a file, with defaults for those that are newer than the file."""
    return {**asdict(type(game.rules)()), **fields} if isinstance(fields, dict) else fields


MAX_GAMES = 10_000_000

BLOCK_SIZE = 500
"""Games between two seeds of the random numbers."""

OpponentKind = Literal["perfect", "random", "mixed"]
StartKind = Literal["boards", "everywhere"]


class EpisodeConfig(TrainingConfig):
    """Configuration of training by playing games."""

    game: str = argument_field("noughts_and_crosses")
    """A game, optionally with a preset and options: hexapawn:size=4."""

    rules: str = ""
    """Preset and options of the rules."""

    games: int = Field(200, ge=1, le=MAX_GAMES)
    """Number of games."""

    against: OpponentKind = "perfect"
    """Opponent: perfect, random, or random in a quarter of its moves (mixed)."""

    start: StartKind = "boards"
    """boards: games begin at the published start positions; everywhere: also at the initial
    position and after one ply, so that the learner plays both sides."""


class EpisodeTraining(Training[EpisodeConfig]):
    """Training of a learner that plays game after game; a step is a game."""

    Config: ClassVar[type[EpisodeConfig]] = EpisodeConfig
    learner_class: ClassVar[type[Learner]]
    """The class of the learner; its options are fields of the config."""

    def __init__(
        self,
        config: EpisodeConfig,
        *,
        learner: Learner | None = None,
        starts: Sequence[Position] = (),
        start_sampling: StartSampling = "uniform",
        opponent: PerfectOpponent | None = None,
        block: int = BLOCK_SIZE,
    ) -> None:
        """Prepare the training, with what replaces the config's choice if it is given.

        Random numbers are seeded anew after every `block` games.
        """
        super().__init__(config)
        self.learner = self._make_learner() if learner is None else learner
        game = self.learner.game
        self.title = f"{self.learner.name} {game.id}"
        self.max_steps = config.games
        self.opponent = opponent or NoisyOpponent(game, config.against)
        self._source = random.Random()
        self._block = block
        self._reset_seed(config.seed)
        starts = starts or list_starts(game, config.start)
        self.opponent.oracle.values(starts)  # solved before timing starts
        self._starts = StartSampler(starts, start_sampling, self._source)
        self.regrets: list[int] = []
        self.seconds: list[float] = []
        """Processor time of each game, for playing and learning."""

        self._num_shown = 0

    def _make_learner(self) -> Learner:
        config, kind = self.config, self.learner_class.Options
        options = kind.parse({name: getattr(config, name) for name in kind.model_fields})
        return self.learner_class(named_game(config.game, config.rules), options)

    def _reset_seed(self, seed: int | str) -> None:
        self.opponent.random.seed(f"opponent {seed}")
        self._source.seed(f"start boards {seed}")
        self.learner.reset_seed(random.Random(f"learner {seed}").getrandbits(62))

    def step(self, clock: Clock) -> None:
        """Play a game and learn from it."""
        number = len(self.regrets)
        if number and number % self._block == 0:
            self._reset_seed(f"{self.config.seed}, game {number}")
        start = self.learner.select_start(self._starts.next_choices(), self._source)
        began = time.process_time()
        episode = self.learner.train_episode(start, self.opponent)
        self.seconds.append(time.process_time() - began)
        self.regrets.append(episode.regret)

    def metrics(self) -> dict[str, float]:
        new = self.regrets[self._num_shown :]
        self._num_shown = len(self.regrets)
        return {"regret a game": sum(new) / len(new)}

    def state(self) -> TrainingState:
        learned = self.learner.state()
        facts = {
            "learner": learned.facts,
            "random": dump_random(self.learner.random),
            "source": dump_random(self._source),
            "opponent": dump_random(self.opponent.random),
            "order": list(self._starts.order),
            "regrets": self.regrets,
            "seconds": self.seconds,
        }
        return TrainingState(facts, learned.arrays)

    def load(self, state: TrainingState) -> None:
        facts = state.facts
        self.learner.load(TrainingState(facts["learner"], state.arrays))
        load_random(self.learner.random, facts["random"])
        load_random(self._source, facts["source"])
        load_random(self.opponent.random, facts["opponent"])
        self._starts.order = list(facts["order"])
        self.regrets, self.seconds = list(facts["regrets"]), list(facts["seconds"])
        self._num_shown = len(self.regrets)

    def init_from(self, file: Path) -> None:
        self.learner.init_from(file)

    def export(self) -> Weights:
        run = {name: getattr(self.config, name) for name in ("games", "seed", "against", "start")}
        return self.learner.export({**run, "games": len(self.regrets)})

    def report(self) -> dict[str, Any]:
        config, games = self.config, len(self.regrets)
        return {
            "system": self.learner.name,
            "game": self.learner.game.id,
            "rules": asdict(self.learner.game.rules),
            "options": self.learner.options.model_dump(mode="json"),
            "games": config.games,
            "seed": config.seed,
            "against": config.against,
            "start": config.start,
            "cumulative_regret": sum(self.regrets),
            "mean_regret": sum(self.regrets) / games if games else None,
            "seconds_a_game": sum(self.seconds) / games if games else None,
            "learned": self.learner.summary(),
        }

    def describe(self, report: Mapping[str, Any]) -> str:
        games = len(self.regrets)
        played = (
            f"cumulative regret while learning {report['cumulative_regret']} in {games} games, "
            f"{report['mean_regret']:.4f} a game, {1000 * report['seconds_a_game']:.2f} ms a game"
            if games
            else "no game was played"
        )
        return f"{played}\n{self.learner.name} has {report['learned']}"


class NoisyOpponent(PerfectOpponent):
    """Opponent that plays random moves with a given probability."""

    def __init__(self, game: AnyGame, against: OpponentKind) -> None:
        super().__init__(game)
        self.error_rate = {"perfect": 0.0, "mixed": 0.25, "random": 1.0}[against]

    def choose_move(self, position: Position) -> Move:
        if self.error_rate and self.random.random() < self.error_rate:
            legal: list[Move] = position.legal_moves()
            return self.random.choice(legal)
        return super().choose_move(position)


def list_starts(game: AnyGame, kind: StartKind) -> list[Position]:
    """Return the positions that games begin with."""
    published: list[Position] = list(game.training_starts())
    if kind == "boards":
        return published
    start = game.start()
    return [start, *map(start.play, start.legal_moves()), *published]


@dataclass(frozen=True, slots=True)
class RunConfig:
    """A series of games of a learner, from scratch or after another series."""

    learner: str
    """Spec of the learner."""

    game: str
    """Spec of the game."""

    games: int
    seed: int
    draw: StartSampling = "uniform"
    """Sampling of start positions."""

    starts: tuple[str, ...] = ()
    """Start positions as text; by default those of the game."""

    after: "RunConfig | None" = None
    """A run in another game whose program is transferred."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """Results of a series of games."""

    regret: list[int]
    """Regret of each game."""

    seconds: list[float]
    """Processor time of each game."""

    learned: list[str]
    """Learned rules, if the learner has rules."""


def train_learner(
    learner: Learner,
    games: int,
    seed: int = 0,
    *,
    starts: Sequence[Position] = (),
    start_sampling: StartSampling = "uniform",
    opponent: PerfectOpponent | None = None,
) -> EpisodeTraining:
    """Train a learner by a series of games with one seed, and return the finished training."""
    training = EpisodeTraining(
        EpisodeConfig(games=games, seed=seed),
        learner=learner,
        starts=starts,
        start_sampling=start_sampling,
        opponent=opponent,
        block=games,
    )
    fit(training)
    return training


def run_training(config: RunConfig) -> RunResult:
    """Train a learner from scratch."""
    training = train_series(config)
    return RunResult(training.regrets, training.seconds, training.learner.list_rules())


def run_trainings(configs: Sequence[RunConfig], executor: TaskExecutor) -> Iterator[RunResult]:
    """Yield the results of many runs in order."""
    if executor.num_workers == 1 or len(configs) == 1:
        return map(run_training, configs)
    return executor.map(run_training, configs)


def train_series(config: RunConfig) -> EpisodeTraining:
    """Train a learner from scratch, or after the series before it; return the training."""
    from ludus.learn import learner as named_learner

    game = named_game(config.game)
    learner = named_learner(config.learner, game)
    if config.after is not None:
        learner.transfer(train_series(config.after).learner)
    return train_learner(
        learner,
        config.games,
        config.seed,
        starts=[game.parse(text) for text in config.starts],
        start_sampling=config.draw,
    )
