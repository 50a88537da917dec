"""Systems under test: sets of networks, the author's and ours, and their decoding options."""

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ludus import LudusError
from ludus.datasets import MoveBatch
from ludus.learn.nnmm import (
    ChainPrediction,
    NetworkChain,
    find_shipped_weights,
    import_galassi_networks,
    save_weights,
)
from ludus.reproduce import Context, quote

from .data import find_data_folder, read_positions, sample_entries
from .games import Contestant

VARIABLE = "LUDUS_NNMM_WEIGHTS"
"""Further weights files to test, with the system's separator of paths between them."""

ORDERS = ("TFR", "FTR", "RFT")
"""Orders of the author's networks. Those of the first are downloaded; others are used if their
files are in the same folder."""

STEP = 20_000
"""Positions between two steps of the progress bar."""


@dataclass(frozen=True)
class System:
    """A set of networks and its decoding options."""

    name: str
    file: Path
    shipped_as: str = ""
    """The player's options by which it is known, if it comes with the program."""

    is_ours: bool = True
    rule: Any = "parts"
    symmetries: int = 1
    hybrid: str = ""
    """Options of the hybrid player, if the networks only propose."""

    @cached_property
    def chain(self) -> NetworkChain:
        return NetworkChain.load(self.file)

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.file.read_bytes()).hexdigest()[:16]

    @property
    def key(self) -> str:
        """Everything that determines its moves, for keys of the cache."""
        return f"{self.digest} {self.rule} {self.symmetries} {self.hybrid}".rstrip()

    @property
    def spec(self) -> str:
        """The spec of the system as a player."""
        if "," in str(self.file):
            raise LudusError(f"{quote(str(self.file), 200)} cannot stand in a player's spec")
        return self._make_spec(str(self.file))

    def _make_spec(self, weights: str) -> str:
        player = "hybrid" if self.hybrid else "nnmm"
        networks = self.shipped_as or f"weights={weights}"
        options = self.hybrid or f"rule={self.rule}"
        return f"{player}:{networks},symmetries={self.symmetries},{options}"

    def to_contestant(self) -> Contestant:
        """Return the system as a player whose seeds depend on the weights, not on their folder."""
        return Contestant(self.name, self.spec, self.key, self._make_spec(self.digest))

    def positions(self, context: Context, where: str) -> MoveBatch:
        """Sample positions of a set, as many as the size of the run allows."""
        number = context.setting("costly" if self.symmetries > 1 else "positions")
        return sample_entries(read_positions(where), number, context.seed_for(where, number))

    def predict(
        self, context: Context, where: str, entries: MoveBatch
    ) -> Iterator[tuple[MoveBatch, ChainPrediction]]:
        """Yield positions in parts, with the networks' predictions."""
        for first in range(0, len(entries), STEP):
            context.progress(first, len(entries), f"{self.name}, {where}")
            part = entries[first : first + STEP]
            yield part, self.chain.predict(part, self.rule, self.symmetries)


def list_systems(context: Context, ways: Sequence[Mapping[str, Any]]) -> list[System]:
    """List the author's networks, the shipped ones, and those that the variable names."""
    found = [
        System(f"author {order}", path, is_ours=False)
        for order, path in _list_author_networks(context)
    ]
    if context.published.settings.get("shipped", True):
        found += [
            System(f"ours {size} {order}", path, f"size={size},order={order}")
            for (size, order), path in find_shipped_weights().items()
        ]
    found += [System(f"ours {path.stem}", path) for path in _list_named_files()]
    return [
        replace(system, name=f"{system.name}{way['suffix']}", **_make_options(way))
        for way in ways
        for system in found
    ]


def _list_named_files() -> list[Path]:
    paths = [Path(text) for text in os.environ.get(VARIABLE, "").split(os.pathsep) if text]
    for path in paths:
        if not path.is_file():
            raise LudusError(f"{VARIABLE} names {quote(str(path), 200)}, which is no file")
    return paths


def _make_options(way: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in way.items() if key != "suffix"}


THESIS_SET = "ours table-6-best"
"""The set that section 6.2.4 describes, as `on_gpu.py` trains it; it is not shipped."""


def _list_author_networks(context: Context) -> Iterator[tuple[str, Path]]:
    """Yield the author's networks in our format, as far as their files exist."""
    source = find_data_folder() / "npz"
    for order in ORDERS:
        if not list(source.glob(f"*-{order}_*.npz")):
            continue
        weights = import_galassi_networks(source, order)
        path = context.folder("author") / f"{order}.safetensors"
        save_weights(path, weights)
        yield order, path
