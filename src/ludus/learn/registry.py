"""The learners by name, and what makes one of its spec."""

from typing import TYPE_CHECKING, Any

from ludus.core.errors import BadSpec, quote
from ludus.core.game import AnyGame
from ludus.core.spec import Registry, parse_spec
from ludus.games import resolve_game

if TYPE_CHECKING:
    from ludus.learn.episodes import Learner
    from ludus.learn.training import Training

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
    {"dqn": "deepq"},
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
