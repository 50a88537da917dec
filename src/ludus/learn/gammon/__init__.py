"""Backgammon networks: of Tesauro and Sejnowski 1988, and strong ones with lookahead."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.learn.gammon.afterstates import LibraryAfterstates, open_afterstates
    from ludus.learn.gammon.chances_training import ExpertTraining, SelfplayTraining
    from ludus.learn.gammon.config import ExpertConfig, GammonConfig, SelfplayConfig
    from ludus.learn.gammon.data import ScoredMoves, load_test_positions, load_training_positions
    from ludus.learn.gammon.encoding import (
        CHANGE_UNITS,
        MOVE_ENCODINGS,
        NUM_LOCATIONS,
        STATE_UNITS,
        encode_moves,
        find_encoding,
    )
    from ludus.learn.gammon.expert import convert_boards, label_boards, label_in_parallel
    from ludus.learn.gammon.model import Predictor, compute_equity
    from ludus.learn.gammon.network import (
        ChancesNetwork,
        GammonNetwork,
        compute_equities,
        list_moves,
        load_network,
        load_shipped_chances,
        play_native_games,
    )
    from ludus.learn.gammon.selfplay import draw_groups
    from ludus.learn.gammon.train import GammonTraining
    from ludus.learn.gammon.trainer import ChancesTrainer

__all__ = [
    "CHANGE_UNITS",
    "MOVE_ENCODINGS",
    "NUM_LOCATIONS",
    "STATE_UNITS",
    "ChancesNetwork",
    "ChancesTrainer",
    "ExpertConfig",
    "ExpertTraining",
    "GammonConfig",
    "GammonNetwork",
    "GammonTraining",
    "LibraryAfterstates",
    "Predictor",
    "ScoredMoves",
    "SelfplayConfig",
    "SelfplayTraining",
    "compute_equities",
    "compute_equity",
    "convert_boards",
    "draw_groups",
    "encode_moves",
    "find_encoding",
    "label_boards",
    "label_in_parallel",
    "list_moves",
    "load_network",
    "load_shipped_chances",
    "load_test_positions",
    "load_training_positions",
    "open_afterstates",
    "play_native_games",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
