"""Deep Q-learning (the player and learner `deepq`); only training needs torch."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.learn.dqn.player import DqnPlayer
    from ludus.learn.dqn.train import DqnLearner

__all__ = [
    "DqnLearner",
    "DqnPlayer",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
