"""Datasets of good moves of Nine Men's Morris in the line format of Galassi 2018, as arrays."""

from ludus.datasets.morris.augmentation import RECIPES, augment
from ludus.datasets.morris.files import (
    BadLine,
    Chunk,
    format_lines,
    parse_lines,
    read_chunks,
    read_dataset,
)
from ludus.games.nine_mens_morris.batch import MoveBatch

__all__ = [
    "RECIPES",
    "BadLine",
    "Chunk",
    "MoveBatch",
    "augment",
    "format_lines",
    "parse_lines",
    "read_chunks",
    "read_dataset",
]
