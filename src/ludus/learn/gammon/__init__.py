"""The backgammon network of Tesauro and Sejnowski 1989: encoding, training, player."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.learn.gammon.encoding import (
        CHANGE_UNITS,
        MOVE_ENCODINGS,
        NUM_LOCATIONS,
        STATE_UNITS,
        find_encoding,
    )
    from ludus.learn.gammon.examples import ScoredMoves
    from ludus.learn.gammon.network import (
        GammonNetwork,
        load_network,
        load_test_positions,
        load_training_positions,
    )
    from ludus.learn.gammon.train import GammonTrainer, GammonTrainingConfig, play_native_games

__all__ = [
    "CHANGE_UNITS",
    "MOVE_ENCODINGS",
    "NUM_LOCATIONS",
    "STATE_UNITS",
    "GammonNetwork",
    "GammonTrainer",
    "GammonTrainingConfig",
    "ScoredMoves",
    "find_encoding",
    "load_network",
    "load_test_positions",
    "load_training_positions",
    "play_native_games",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
