"""Backgammon networks: of Tesauro and Sejnowski 1988, and strong ones with lookahead."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.learn.gammon.afterstates import LibraryAfterstates, open_afterstates
    from ludus.learn.gammon.chances_model import (
        ChancesModel,
        Predictor,
        compute_equity,
        list_layers,
        save_model,
    )
    from ludus.learn.gammon.chances_network import (
        ChancesNetwork,
        compute_equities,
        list_moves,
        load_shipped_chances,
    )
    from ludus.learn.gammon.chances_training import (
        ChancesTrainer,
        ChancesTrainingConfig,
        SelfplayTraining,
        TrainingProgress,
        train_on_labels,
    )
    from ludus.learn.gammon.encoding import (
        CHANGE_UNITS,
        MOVE_ENCODINGS,
        NUM_LOCATIONS,
        STATE_UNITS,
        find_encoding,
    )
    from ludus.learn.gammon.examples import ScoredMoves, encode_moves
    from ludus.learn.gammon.expert_labels import convert_boards, label_boards, label_in_parallel
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
    "ChancesModel",
    "ChancesNetwork",
    "ChancesTrainer",
    "ChancesTrainingConfig",
    "GammonNetwork",
    "GammonTrainer",
    "GammonTrainingConfig",
    "LibraryAfterstates",
    "Predictor",
    "ScoredMoves",
    "SelfplayTraining",
    "TrainingProgress",
    "compute_equities",
    "compute_equity",
    "convert_boards",
    "encode_moves",
    "find_encoding",
    "label_boards",
    "label_in_parallel",
    "list_layers",
    "list_moves",
    "load_network",
    "load_shipped_chances",
    "load_test_positions",
    "load_training_positions",
    "open_afterstates",
    "play_native_games",
    "save_model",
    "train_on_labels",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
