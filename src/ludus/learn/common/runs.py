"""Complete training runs of online learners, in parallel processes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ludus.core.executors import TaskExecutor
from ludus.games import game as named_game
from ludus.learn import learner as named_learner
from ludus.learn.common.learner import Learner, PerfectOpponent, StartSampling, train_episodes


@dataclass(frozen=True, slots=True)
class RunConfig:
    """Parameters of a training run, from scratch or after another run."""

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
    """Results of a training run."""

    regret: list[int]
    """Regret of each game."""

    seconds: list[float]
    """Processor time of each game."""

    learned: list[str]
    """Learned rules, if the learner has rules."""


def run_training(config: RunConfig) -> RunResult:
    """Train a learner from scratch."""
    return _run(config)[1]


def run_trainings(configs: Sequence[RunConfig], executor: TaskExecutor) -> Iterator[RunResult]:
    """Yield the results of many runs in order."""
    if executor.num_workers == 1 or len(configs) == 1:
        return map(run_training, configs)
    return executor.map(run_training, configs)


def _run(config: RunConfig) -> tuple[Learner, RunResult]:
    game = named_game(config.game)
    learner = named_learner(config.learner, game)
    if config.after is not None:
        learner.transfer(_run(config.after)[0])
    episodes = train_episodes(
        learner,
        [game.parse(text) for text in config.starts] or game.training_starts(),
        PerfectOpponent(game),
        config.games,
        config.seed,
        config.draw,
    )
    regret, seconds = [], []
    for each in episodes:
        regret.append(each.episode.regret)
        seconds.append(each.seconds)
    return learner, RunResult(regret, seconds, learner.list_rules())
