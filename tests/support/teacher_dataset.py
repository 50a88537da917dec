"""A small dataset with something to learn: a teacher that always plays its first legal move."""

from functools import cache
from pathlib import Path

import torch

from ludus.datasets.morris.files import parse_lines
from ludus.games.nine_mens_morris import to_thesis, to_thesis_move
from ludus.games.nine_mens_morris.batch import MoveBatch
from ludus.learn.nnmm.data import EncodedEntries, Examples
from ludus.learn.nnmm.encoding import INPUT_MODELS
from ludus.learn.nnmm.parts import ChainStep, PartOrder
from support.morris import positions

CPU = torch.device("cpu")

# Networks this small gain nothing from threads, and on a busy machine threads wait for each other.
torch.set_num_threads(1)


@cache
def text() -> str:
    """The lines, each state once."""
    found = {}
    for position in positions(12):
        move = position.legal_moves()[0]
        found[to_thesis(position)] = f"{to_thesis(position)}-{to_thesis_move(move)}"
    return "".join(f"{line}\n" for line in found.values())


def teacher_moves() -> MoveBatch:
    """Return the dataset as entries."""
    return parse_lines(text().encode()).moves


def write_teacher_moves(folder: Path) -> Path:
    """Write the dataset to a file."""
    file = folder / "moves.txt"
    file.write_text(text())
    return file


def step_named(name: str, order: str = "TFR") -> ChainStep:
    return next(step for step in PartOrder.parse(order).steps if step.name == name)


def examples(entries: MoveBatch, part: str = "TO", device: torch.device = CPU) -> Examples:
    """Return the training examples of the network for a part."""
    return EncodedEntries.encode(entries, INPUT_MODELS["rawest"]).build_examples(
        step_named(part), False, device
    )
