"""Good-move datasets of Nine Men's Morris, in the line format of Galassi's thesis, as arrays."""

from ludus.datasets.morris.entries import Entries
from ludus.datasets.morris.expansion import RECIPES, expand
from ludus.datasets.morris.files import read, read_parts
from ludus.datasets.morris.lines import BadLine, Part, read_lines, write_lines

__all__ = [
    "RECIPES",
    "BadLine",
    "Entries",
    "Part",
    "expand",
    "read",
    "read_lines",
    "read_parts",
    "write_lines",
]
