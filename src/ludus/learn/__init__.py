"""Learners and the players they train, by name."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports
from ludus.core.errors import BadSpec, UnknownName, quote
from ludus.core.game import AnyGame, check_game
from ludus.core.spec import Registry, apply_options, parse_spec

if TYPE_CHECKING:
    from ludus.learn.common.devices import select_device
    from ludus.learn.common.learner import Learner, PerfectOpponent, train_episodes
    from ludus.learn.common.runs import RunConfig, RunResult, run_trainings

__all__ = [
    "LEARNERS",
    "Learner",
    "PerfectOpponent",
    "RunConfig",
    "RunResult",
    "learner",
    "run_trainings",
    "select_device",
    "train_episodes",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)

LEARNERS: Registry[type["Learner"]] = Registry(
    "learner",
    {
        "menace": "ludus.learn.tabular.train:MenaceLearner",
        "her": "ludus.learn.tabular.train:HerLearner",
        "qlearning": "ludus.learn.tabular.train:QLearner",
        "deepq": "ludus.learn.dqn.train:DqnLearner",
        "migo": "ludus.learn.migo.train:MigoLearner",
    },
)
"""Online learners (`ludus.learn.common.learner`)."""


def learner(spec: str, game: AnyGame) -> "Learner":
    """Create an untrained learner of this game from its spec string."""
    check_game(game)
    parsed = parse_spec(spec)
    kind = LEARNERS[parsed.name]
    if parsed.flags:
        raise BadSpec(f"{quote(parsed.flags[0])} in {quote(spec)} is not key=value")
    settings = kind.options
    if parsed.options and settings is None:
        raise UnknownName(f"{parsed.name} has no options")
    if settings is not None:
        settings = apply_options(settings, parsed.options, parsed.name)
    return kind(game, settings, spec)
