"""Learners, each beside the player it becomes, found by name."""

from typing import TYPE_CHECKING

from ludus.core.errors import BadSpec, UnknownName, quoted
from ludus.core.game import AnyGame
from ludus.core.registry import Registry
from ludus.core.spec import parse_spec, with_options

if TYPE_CHECKING:
    from ludus.learn.lessons import Learner

LEARNERS: Registry[type["Learner"]] = Registry(
    "learner",
    {
        "menace": "ludus.learn.tabular.beads:Menace",
        "her": "ludus.learn.tabular.beads:Her",
        "qlearning": "ludus.learn.tabular.qlearning:QLearning",
        "deepq": "ludus.learn.deepq.learner:DeepQ",
        "migo": "ludus.learn.migo.learner:Migo",
    },
)
"""Learners that take lessons (`ludus.learn.lessons`)."""


def learner(spec: str, game: AnyGame) -> "Learner":
    """A learner of this game by its spec string, with everything still to learn."""
    parsed = parse_spec(spec)
    kind = LEARNERS[parsed.name]
    if parsed.words:
        raise BadSpec(f"{quoted(parsed.words[0])} in {quoted(spec)} is not key=value")
    settings = kind.options
    if parsed.options and settings is None:
        raise UnknownName(f"{parsed.name} has no options")
    if settings is not None:
        settings = with_options(settings, parsed.options, parsed.name)
    return kind(game, settings, spec)
