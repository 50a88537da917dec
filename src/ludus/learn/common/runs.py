"""Complete training runs of online learners, in parallel processes."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from ludus.core.errors import BadSpec, quote
from ludus.games import game as named_game
from ludus.learn import learner as named_learner
from ludus.learn.common.learner import Learner, PerfectOpponent, train_episodes
from ludus.learn.common.start_positions import StartSampling, list_start_positions


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


def run_training(course: RunConfig) -> RunResult:
    """Train a learner from scratch."""
    return _run(course)[1]


def run_trainings(courses: Sequence[RunConfig], jobs: int) -> Iterator[RunResult]:
    """Yield the results of many runs in order, with `jobs` runs in parallel."""
    if jobs == 1 or len(courses) == 1:
        yield from map(run_training, courses)
        return
    # Spawned processes, because torch does not survive a fork.
    with ProcessPoolExecutor(min(jobs, len(courses)), get_context("spawn")) as pool:
        yield from pool.map(run_training, courses)


def _run(course: RunConfig) -> tuple[Learner, RunResult]:
    game = named_game(course.game)
    learner: Any = named_learner(course.learner, game)
    if course.after is not None:
        earlier: Any = _run(course.after)[0]
        if not hasattr(learner, "pupil"):
            raise BadSpec(f"{quote(course.learner)} cannot use what was learned elsewhere")
        learner.pupil.transfer(earlier.program)
    lessons = train_episodes(
        learner,
        list_start_positions(game),
        PerfectOpponent(game),
        course.games,
        course.seed,
        course.draw,
    )
    regret, seconds = [], []
    for lesson in lessons:
        regret.append(lesson.played.regret)
        seconds.append(lesson.seconds)
    rules = (
        [str(clause) for clause in learner.program.clauses] if hasattr(learner, "program") else []
    )
    return learner, RunResult(regret, seconds, rules)
