"""What is tested: sets of networks, the author's and ours, and ways of asking them."""

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from ludus.core.errors import LudusError, quoted
from ludus.datasets.morris import Entries
from ludus.learn.nnmm.author import import_folder
from ludus.learn.nnmm.chain import Answer, Chain
from ludus.learn.nnmm.shipped import shipped
from ludus.learn.nnmm.weights import save
from ludus.reproduce import Context

from .data import folder, positions, sample

VARIABLE = "LUDUS_NNMM_WEIGHTS"
"""Further weights files to test, with the system's separator of paths between them."""

ORDERS = ("TFR", "FTR", "RFT")
"""Those the author has published networks of. The first ones are fetched, the others are used if
somebody has put them into the same folder."""

STEP = 20_000
"""Positions between two steps of the progress bar."""

T = TypeVar("T")


@dataclass(frozen=True)
class System:
    """A set of networks, and a way of asking it."""

    name: str
    file: Path
    is_ours: bool
    rule: Any = "parts"
    symmetries: int = 1

    @cached_property
    def chain(self) -> Chain:
        return Chain.load(self.file)

    @property
    def key(self) -> str:
        """What decides about its answers, for a cell's key."""
        digest = hashlib.sha256(self.file.read_bytes()).hexdigest()[:16]
        return f"{digest} {self.rule} {self.symmetries}"

    @property
    def spec(self) -> str:
        """The same as a player."""
        for character in ",":
            if character in str(self.file):
                raise LudusError(f"{quoted(str(self.file), 200)} cannot stand in a player's spec")
        return f"nnmm:weights={self.file},rule={self.rule},symmetries={self.symmetries}"

    def positions(self, context: Context, where: str) -> Entries:
        """The positions of a set that this system is asked about, as many as the size allows."""
        number = context.setting("costly" if self.symmetries > 1 else "positions")
        return sample(positions(where), number, context.seed_for(where, number))

    def answers(
        self, context: Context, where: str, entries: Entries
    ) -> Iterator[tuple[Entries, Answer]]:
        """Positions in parts, and what the networks say to them."""
        for first in range(0, len(entries), STEP):
            context.progress(first, len(entries), f"{self.name}, {where}")
            part = entries[first : first + STEP]
            yield part, self.chain.parts(part, self.rule, self.symmetries)


def systems(context: Context, ways: Sequence[Mapping[str, Any]]) -> list[System]:
    """The author's networks, those that come with the program, and those the variable names."""
    files = {f"author {order}": (path, False) for order, path in _authors(context)}
    files |= {f"ours {size} {order}": (path, True) for (size, order), path in shipped().items()}
    named = os.environ.get(VARIABLE, "").split(os.pathsep)
    files |= {f"ours {Path(text).stem}": (Path(text), True) for text in named if text}
    return [
        System(f"{name}{way['suffix']}", path, is_ours, way["rule"], way["symmetries"])
        for way in ways
        for name, (path, is_ours) in files.items()
    ]


def first_of_ours(found: Sequence[System]) -> System | None:
    """The one that stands beside the thesis's figures, if there is any."""
    return next((system for system in found if system.is_ours), None)


def _authors(context: Context) -> Iterator[tuple[str, Path]]:
    """The author's networks in our form, as far as they are there."""
    source = folder() / "npz"
    for order in ORDERS:
        if not list(source.glob(f"*-{order}_*.npz")):
            continue
        weights = import_folder(source, order)
        path = context.folder("author") / f"{order}.safetensors"
        save(path, weights)
        yield order, path
