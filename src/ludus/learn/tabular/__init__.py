"""Learners with a number for each move of each position: MENACE, HER, tabular Q-learning."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.learn.tabular.player import HerPlayer, MenacePlayer, QLearningPlayer
    from ludus.learn.tabular.train import HerLearner, MenaceLearner, QLearner

__all__ = [
    "HerLearner",
    "HerPlayer",
    "MenaceLearner",
    "MenacePlayer",
    "QLearner",
    "QLearningPlayer",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
