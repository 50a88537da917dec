"""Learners and the players they train, by name."""

from typing import TYPE_CHECKING, Any

from ludus._lazy import lazy_exports
from ludus.core.errors import BadSpec, quote
from ludus.core.game import AnyGame
from ludus.core.spec import Registry, parse_spec
from ludus.games import resolve_game

if TYPE_CHECKING:
    from ludus.learn.checkpoint import TrainingState, load_checkpoint, save_checkpoint
    from ludus.learn.common.devices import select_device
    from ludus.learn.config import Options, TorchTrainingConfig, TrainingConfig
    from ludus.learn.episodes import (
        EpisodeTraining,
        Learner,
        PerfectOpponent,
        RunConfig,
        RunResult,
        run_trainings,
        train_learner,
        train_series,
    )
    from ludus.learn.training import (
        Clock,
        Diverged,
        Training,
        TrainingResult,
        TrainingRun,
        Weights,
        fit,
        train,
    )

__all__ = [
    "LEARNERS",
    "Clock",
    "Diverged",
    "EpisodeTraining",
    "Learner",
    "Options",
    "PerfectOpponent",
    "RunConfig",
    "RunResult",
    "TorchTrainingConfig",
    "Training",
    "TrainingConfig",
    "TrainingResult",
    "TrainingRun",
    "TrainingState",
    "Weights",
    "fit",
    "learner",
    "load_checkpoint",
    "run_trainings",
    "save_checkpoint",
    "select_device",
    "train",
    "train_learner",
    "train_series",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)

LEARNERS: Registry[type["Training[Any]"]] = Registry(
    "learner",
    {
        "menace": "ludus.learn.tabular.train:MenaceTraining",
        "her": "ludus.learn.tabular.train:HerTraining",
        "qlearning": "ludus.learn.tabular.train:QLearningTraining",
        "deepq": "ludus.learn.dqn.train:DqnTraining",
        "migo": "ludus.learn.migo.train:MigoTraining",
        "patterns": "ludus.learn.patterns.train:PatternTraining",
        "nnmm": "ludus.learn.nnmm.train:NnmmTraining",
        "scholar": "ludus.learn.scholar.train:ScholarTraining",
        "gammon": "ludus.learn.gammon.train:GammonTraining",
        "gammon-selfplay": "ludus.learn.gammon.chances_training:SelfplayTraining",
        "gammon-expert": "ludus.learn.gammon.chances_training:ExpertTraining",
    },
)
"""The trainings that `ludus.train` knows (`ludus.learn.training`)."""


def learner(spec: str, game: AnyGame | str) -> "Learner":
    """Create an untrained learner of this game from its spec string."""
    game = resolve_game(game)
    from ludus.learn.episodes import EpisodeTraining

    parsed = parse_spec(spec)
    training, flags = LEARNERS.find_class(parsed, EpisodeTraining)
    if flags:
        raise BadSpec(f"{quote(flags[0])} in {quote(spec)} is not key=value")
    if not issubclass(training, EpisodeTraining):
        raise BadSpec(f"{parsed.name} does not learn game by game")
    kind = training.learner_class
    return kind(game, kind.Options.parse(parsed.options, parsed.name), spec)
