"""Datasets of positions with good moves: files, statistics, augmentation, labels, generation."""

from typing import TYPE_CHECKING

from ludus.core.spec import Registry

if TYPE_CHECKING:
    from ludus.datasets.generator import DatasetGenerator

GENERATORS: Registry[type["DatasetGenerator"]] = Registry(
    "generator of datasets for",
    {"nine_mens_morris": "ludus.datasets.morris.generator:MorrisGenerator"},
)
"""Generators by game id; `ludus/__init__.py` adds those of the packages above this one."""
