"""MIGO (Muggleton and Hocquette 2019): strategies learned as readable logic programs.

S. H. Muggleton and C. Hocquette, "Machine Discovery of Comprehensible Strategies for Simple Games
Using Meta-interpretive Learning", New Generation Computing 37 (2019).
"""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.learn.migo.examples import ExampleSet, KnownLevels
    from ludus.learn.migo.explain import explain_program
    from ludus.learn.migo.games import (
        WON_STATE,
        EndingState,
        StateGraph,
        TargetGame,
        ThreeMenPrimitives,
        count_states,
        find_target_game,
    )
    from ludus.learn.migo.induction import DependentLearner
    from ludus.learn.migo.inference import Reasoner, Strategy
    from ludus.learn.migo.learner import MigoOptions, StrategyLearner
    from ludus.learn.migo.program import Program, parse_program
    from ludus.learn.migo.train import MigoConfig, MigoLearner, MigoTraining

__all__ = [
    "WON_STATE",
    "DependentLearner",
    "EndingState",
    "ExampleSet",
    "KnownLevels",
    "MigoConfig",
    "MigoLearner",
    "MigoOptions",
    "MigoTraining",
    "Program",
    "Reasoner",
    "StateGraph",
    "Strategy",
    "StrategyLearner",
    "TargetGame",
    "ThreeMenPrimitives",
    "count_states",
    "explain_program",
    "find_target_game",
    "parse_program",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
