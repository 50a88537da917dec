"""Neural Nine Men's Morris (Galassi 2018): networks that choose a move part by part."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.learn.common.move_explanation import DecodingRule
    from ludus.learn.common.optimizer import GraphedCallable
    from ludus.learn.nnmm.chain import (
        DEFAULT_SIZE,
        Chain,
        ChainPrediction,
        Committee,
        VotingOptions,
        find_shipped_weights,
        join_networks,
    )
    from ludus.learn.nnmm.chain_trainer import ChainTrainer, StepExamples, TrainedNetwork
    from ludus.learn.nnmm.config import (
        Hyperparameters,
        NetworkConfig,
        NnmmConfig,
        Preset,
        load_preset,
        parse_changes,
    )
    from ludus.learn.nnmm.data import (
        EncodedEntries,
        Examples,
        LegalMasks,
        Split,
        compute_legal_masks,
        split_contiguously,
        split_entries,
    )
    from ludus.learn.nnmm.encoding import INPUT_MODELS
    from ludus.learn.nnmm.evaluate import (
        LEGALITY_STANDARDS,
        NUM_RECALL_LEVELS,
        Hits,
        HitTable,
        PrecisionCurve,
        add_tables,
        check_legality,
        compute_accuracy,
        compute_legality,
        compute_reliability,
        evaluate_dataset,
    )
    from ludus.learn.nnmm.network import FullyConnectedBlock, ResidualNetwork
    from ludus.learn.nnmm.network_trainer import (
        PREDICTION_BATCH,
        EpochResult,
        NetworkOptimizer,
        NetworkTrainer,
        autocast,
        compute_illegal_probability,
    )
    from ludus.learn.nnmm.parts import (
        PARTS,
        ChainStep,
        MoveClasses,
        PartOrder,
        moves_to_classes,
        points_to_classes,
    )
    from ludus.learn.nnmm.policy import ChainPolicy
    from ludus.learn.nnmm.train import NnmmTraining
    from ludus.learn.nnmm.tuning import SearchConfig, TuningResult, tune_network
    from ludus.learn.nnmm.weights import (
        ChainWeights,
        import_galassi_networks,
        load_weights,
        save_weights,
    )

__all__ = [
    "DEFAULT_SIZE",
    "INPUT_MODELS",
    "LEGALITY_STANDARDS",
    "NUM_RECALL_LEVELS",
    "PARTS",
    "PREDICTION_BATCH",
    "Chain",
    "ChainPolicy",
    "ChainPrediction",
    "ChainStep",
    "ChainTrainer",
    "ChainWeights",
    "Committee",
    "DecodingRule",
    "EncodedEntries",
    "EpochResult",
    "Examples",
    "FullyConnectedBlock",
    "GraphedCallable",
    "HitTable",
    "Hits",
    "Hyperparameters",
    "LegalMasks",
    "MoveClasses",
    "NetworkConfig",
    "NetworkOptimizer",
    "NetworkTrainer",
    "NnmmConfig",
    "NnmmTraining",
    "PartOrder",
    "PrecisionCurve",
    "Preset",
    "ResidualNetwork",
    "SearchConfig",
    "Split",
    "StepExamples",
    "TrainedNetwork",
    "TuningResult",
    "VotingOptions",
    "add_tables",
    "autocast",
    "check_legality",
    "compute_accuracy",
    "compute_illegal_probability",
    "compute_legal_masks",
    "compute_legality",
    "compute_reliability",
    "evaluate_dataset",
    "find_shipped_weights",
    "import_galassi_networks",
    "join_networks",
    "load_preset",
    "load_weights",
    "moves_to_classes",
    "parse_changes",
    "points_to_classes",
    "save_weights",
    "split_contiguously",
    "split_entries",
    "tune_network",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
