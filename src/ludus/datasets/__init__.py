"""Datasets of positions with good moves: files, statistics, augmentation, labels, generation."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports
from ludus.core.spec import Registry

if TYPE_CHECKING:
    from ludus.datasets.backgammon.positions import classify_theme
    from ludus.datasets.backgammon.scored_positions import ScoredPosition, parse_scored_positions
    from ludus.datasets.download import default_folder
    from ludus.datasets.generator import DatasetGenerator, GenerationPlan
    from ludus.datasets.morris.augmentation import augment
    from ludus.datasets.morris.files import format_lines, parse_lines, read_chunks, read_dataset
    from ludus.datasets.morris.labels import LabelledBatch, Labels
    from ludus.datasets.morris.parquet import read_labelled, write_labelled
    from ludus.datasets.morris.statistics import compute_statistics
    from ludus.games.nine_mens_morris.batch import MoveBatch

__all__ = [
    "GENERATORS",
    "DatasetGenerator",
    "GenerationPlan",
    "LabelledBatch",
    "Labels",
    "MoveBatch",
    "ScoredPosition",
    "augment",
    "classify_theme",
    "compute_statistics",
    "default_folder",
    "format_lines",
    "parse_lines",
    "parse_scored_positions",
    "read_chunks",
    "read_dataset",
    "read_labelled",
    "write_labelled",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)

GENERATORS: Registry[type["DatasetGenerator"]] = Registry(
    "generator of datasets for",
    {"nine_mens_morris": "ludus.datasets.morris.generator:MorrisGenerator"},
)
"""Generators by game id; `ludus/__init__.py` adds those of the packages above this one."""
