"""The `scholar`: networks for nine men's morris trained on exact values."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.learn.scholar.bounded_scores import BoundedScores
    from ludus.learn.scholar.certificate import (
        Certificate,
        CertificateConfig,
        Certification,
        certify,
        make_roots,
    )
    from ludus.learn.scholar.certificate_checks import (
        DecisionComparison,
        load_certified_choice,
        measure_rounding,
        play_certified_games,
        sample_visited,
    )
    from ludus.learn.scholar.cuda import CudaExampleSource, solve_on_gpu
    from ludus.learn.scholar.encoding import (
        FIRST_FLYING_EXPERT,
        FIRST_MOVING_EXPERT,
        board_matrices,
        compute_features,
        expert_table,
        select_experts,
    )
    from ludus.learn.scholar.examples import (
        ExampleBatch,
        ExampleSource,
        GamePositions,
        OracleExampleSource,
    )
    from ludus.learn.scholar.inference import DEFAULT_SIZE, Kind, find_shipped_weights, utility
    from ludus.learn.scholar.player import ScholarOptions, ScholarPlayer
    from ludus.learn.scholar.sampling import SamplerOptions, stream_examples
    from ludus.learn.scholar.visit import Visit
    from ludus.learn.scholar.weights import SCORER, load_weights

__all__ = [
    "DEFAULT_SIZE",
    "FIRST_FLYING_EXPERT",
    "FIRST_MOVING_EXPERT",
    "SCORER",
    "BoundedScores",
    "Certificate",
    "CertificateConfig",
    "Certification",
    "CudaExampleSource",
    "DecisionComparison",
    "ExampleBatch",
    "ExampleSource",
    "GamePositions",
    "Kind",
    "OracleExampleSource",
    "SamplerOptions",
    "ScholarOptions",
    "ScholarPlayer",
    "Visit",
    "board_matrices",
    "certify",
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
