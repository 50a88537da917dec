"""The `scholar`: networks for nine men's morris trained on exact values."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.learn.scholar.bounded_scores import BoundedScores
    from ludus.learn.scholar.certify import CertificateConfig, Certification, make_roots
    from ludus.learn.scholar.encoding import (
        FIRST_FLYING_EXPERT,
        FIRST_MOVING_EXPERT,
        board_matrices,
        compute_features,
        expert_table,
        select_experts,
    )
    from ludus.learn.scholar.example_sources import (
        CudaExampleSource,
        OracleExampleSource,
        solve_on_gpu,
    )
    from ludus.learn.scholar.examples import ExampleBatch, ExampleSource, GameBatch
    from ludus.learn.scholar.inference import DEFAULT_SIZE, find_shipped_weights, utility
    from ludus.learn.scholar.player import ScholarOptions, ScholarPlayer, Way
    from ludus.learn.scholar.sampling import SamplerOptions, stream_examples
    from ludus.learn.scholar.verification import (
        DecisionComparison,
        load_certified_choice,
        measure_rounding,
        play_certified_games,
        sample_visited,
    )
    from ludus.learn.scholar.visit import Visit
    from ludus.learn.scholar.weights import SCORER, load_weights

__all__ = [
    "DEFAULT_SIZE",
    "FIRST_FLYING_EXPERT",
    "FIRST_MOVING_EXPERT",
    "SCORER",
    "BoundedScores",
    "CertificateConfig",
    "Certification",
    "CudaExampleSource",
    "DecisionComparison",
    "ExampleBatch",
    "ExampleSource",
    "GameBatch",
    "OracleExampleSource",
    "SamplerOptions",
    "ScholarOptions",
    "ScholarPlayer",
    "Visit",
    "Way",
    "board_matrices",
    "compute_features",
    "expert_table",
    "find_shipped_weights",
    "load_certified_choice",
    "load_weights",
    "make_roots",
    "measure_rounding",
    "play_certified_games",
    "sample_visited",
    "select_experts",
    "solve_on_gpu",
    "stream_examples",
    "utility",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
