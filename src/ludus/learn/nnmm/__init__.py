"""Neural Nine Men's Morris (Galassi 2018): networks that choose a move part by part."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.learn.common.move_explanation import DecodingRule
    from ludus.learn.nnmm.chain import (
        DEFAULT_SIZE,
        Chain,
        ChainPrediction,
        Committee,
        VotingOptions,
        find_shipped_weights,
    )
    from ludus.learn.nnmm.config import NetworkConfig, Preset, TrainingConfig, load_preset
    from ludus.learn.nnmm.encoding import INPUT_MODELS
    from ludus.learn.nnmm.evaluate import (
        LEGALITY_STANDARDS,
        NUM_RECALL_LEVELS,
        PrecisionCurve,
        Proportion,
        ProportionTable,
        add_tables,
        check_legality,
        compute_accuracy,
        compute_legality,
        compute_reliability,
    )
    from ludus.learn.nnmm.examples import (
        EncodedEntries,
        Examples,
        LegalMasks,
        compute_legal_masks,
    )
    from ludus.learn.nnmm.network_groups import train_side_by_side
    from ludus.learn.nnmm.parts import (
        PARTS,
        ChainStep,
        MoveClasses,
        PartOrder,
        moves_to_classes,
        points_to_classes,
    )
    from ludus.learn.nnmm.policy import ChainPolicy
    from ludus.learn.nnmm.splits import Split, split_contiguously, split_entries
    from ludus.learn.nnmm.train import NetworkTrainer
    from ludus.learn.nnmm.train_chain import ChainTrainer, train_chains
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
    "Chain",
    "ChainPolicy",
    "ChainPrediction",
    "ChainStep",
    "ChainTrainer",
    "ChainWeights",
    "Committee",
    "DecodingRule",
    "EncodedEntries",
    "Examples",
    "LegalMasks",
    "MoveClasses",
    "NetworkConfig",
    "NetworkTrainer",
    "PartOrder",
    "PrecisionCurve",
    "Preset",
    "Proportion",
    "ProportionTable",
    "Split",
    "TrainingConfig",
    "VotingOptions",
    "add_tables",
    "check_legality",
    "compute_accuracy",
    "compute_legal_masks",
    "compute_legality",
    "compute_reliability",
    "find_shipped_weights",
    "import_galassi_networks",
    "load_preset",
    "load_weights",
    "moves_to_classes",
    "points_to_classes",
    "save_weights",
    "split_contiguously",
    "split_entries",
    "train_chains",
    "train_side_by_side",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
