"""A solved game in a folder: a manifest, and one file for every subspace.

A file is named for its subspace as the mover sees it: `3_4_0_0.values` holds the positions in
which the mover has three men, the other side four, and nobody has men in hand.
"""

import os
import re
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import quoted
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracle.blocks import BLOCK_SLOTS, Values
from ludus.oracle.cache import GIBIBYTE, BlockCache
from ludus.oracle.errors import BadDatabase
from ludus.oracle.folder import for_writing
from ludus.oracle.manifest import GAME, NAME, Manifest
from ludus.oracle.sectors import Sector, halves, num_slots, oriented, subspace
from ludus.oracle.table_file import Header, TableFile, write_table
from ludus.oracle.tally import Tally

ENDING = ".values"
_NAME = re.compile(r"([0-9]{1,2})_([0-9]{1,2})_([0-9]{1,2})_([0-9]{1,2})" + re.escape(ENDING))

Half = tuple[Sector, bool]
"""A sector, and whether its X is to move."""


class Database:
    """Values on disk. What is read is checked; damage is an error and never a wrong value.

    A value is a byte: plies to the end of the game, odd where the mover wins and even where it
    loses, or 255 for a draw. Without depth a win is 1 and a loss 0.
    """

    def __init__(self, folder: Path, manifest: Manifest, cache_bytes: int = GIBIBYTE) -> None:
        self.folder = folder
        self.rules = manifest.rules
        self.has_depth = manifest.has_depth
        self._files: dict[Half, TableFile] = {}
        self._cache = BlockCache(cache_bytes)
        self._halves = frozenset(self._find())

    @classmethod
    def open(cls, folder: Path, cache_bytes: int = GIBIBYTE) -> "Database":
        """The database of a folder; BadDatabase if there is none that can be read.

        Each file is checked when it is first asked for.
        """
        return cls(folder, Manifest.read(folder), cache_bytes)

    @classmethod
    @contextmanager
    def writing(cls, folder: Path, rules: Rules, has_depth: bool) -> "Iterator[Database]":
        """The database of a folder, begun if there is none, while nobody else writes to it."""
        with for_writing(folder):
            wanted = Manifest(rules, has_depth)
            if not (folder / NAME).exists():
                wanted.write(folder)
            found = cls.open(folder)
            shown = quoted(str(folder), 200)
            if found.rules != rules:
                raise BadDatabase(
                    f"{shown} holds a game of other rules: {_difference(found, rules)}"
                )
            if found.has_depth != has_depth:
                held, asked = ("with", "without") if found.has_depth else ("without", "with")
                raise BadDatabase(f"{shown} holds values {held} depth, not {asked} it")
            yield found

    @property
    def sectors(self) -> frozenset[Half]:
        """What is there: sectors, and whether their X is to move."""
        return self._halves

    def has(self, sector: Sector) -> bool:
        """Whether a sector is there with every side to move that it can have."""
        return all((sector, x_to_move) in self._halves for x_to_move in halves(self.rules, sector))

    def read(self, sector: Sector, x_to_move: bool, slots: NDArray[np.uint64]) -> Values:
        """The values of some slots of a subspace, in the order asked for."""
        file = self._file(sector, x_to_move)
        if len(slots) == 0:
            return np.empty(0, dtype=np.uint8)
        if int(slots.max()) >= file.header.slots:
            raise IndexError(f"{file.path.name} has {file.header.slots} slots")
        if len(slots) == 1:
            number, offset = divmod(int(slots[0]), BLOCK_SLOTS)
            return self._block(file, number)[offset : offset + 1].copy()
        # Sorted by block, so that each is fetched once.
        order = np.argsort(slots, kind="stable")
        numbers, offsets = np.divmod(slots[order], np.uint64(BLOCK_SLOTS))
        edges = [0, *(np.flatnonzero(numbers[1:] != numbers[:-1]) + 1), len(slots)]
        found = np.empty(len(slots), dtype=np.uint8)
        for first, last in pairwise(edges):
            block = self._block(file, int(numbers[first]))
            found[first:last] = block[offsets[first:last]]
        values = np.empty_like(found)
        values[order] = found
        return values

    def table(self, sector: Sector, x_to_move: bool, pool: Executor | None = None) -> Values:
        """All values of a subspace."""
        file = self._file(sector, x_to_move)
        if pool is not None:
            return file.read_all(pool)
        with ThreadPoolExecutor(os.cpu_count()) as own_pool:
            return file.read_all(own_pool)

    def tally(self, sector: Sector, x_to_move: bool) -> Tally:
        """The counts that were stored with a subspace."""
        return self._file(sector, x_to_move).header.tally

    def check(self, sector: Sector, x_to_move: bool, pool: Executor) -> None:
        """Look at every byte of a subspace's file; BadDatabase if one has changed."""
        self._file(sector, x_to_move).check(pool)

    def write(
        self, sector: Sector, x_to_move: bool, values: Values, tally: Tally, pool: Executor
    ) -> None:
        """Add a subspace. It is there when its file is complete on disk."""
        header = Header(
            game=GAME,
            rules=asdict(self.rules),
            sector=sector,
            x_to_move=x_to_move,
            slots=len(values),
            block_slots=BLOCK_SLOTS,
            has_depth=self.has_depth,
            tally=tally,
        )
        write_table(self._path(sector, x_to_move), header, values, pool)
        self._halves |= {(sector, x_to_move)}

    def _find(self) -> Iterator[Half]:
        """The subspaces whose files are there."""
        try:
            names = [path.name for path in self.folder.iterdir()]
        except OSError as error:
            shown = quoted(str(self.folder), 200)
            raise BadDatabase(f"cannot read {shown}: {error.strerror}") from error
        for name in names:
            if match := _NAME.fullmatch(name):
                sector, x_to_move = oriented(*map(int, match.groups()))
                x, y, x_hand, y_hand = sector
                is_too_many = max(x + x_hand, y + y_hand) > self.rules.men
                if not is_too_many and x_to_move in halves(self.rules, sector):
                    yield sector, x_to_move

    def _path(self, sector: Sector, x_to_move: bool) -> Path:
        return self.folder / f"{subspace(sector, x_to_move)}{ENDING}"

    def _file(self, sector: Sector, x_to_move: bool) -> TableFile:
        half = sector, x_to_move
        if half not in self._files:
            file = TableFile(self._path(sector, x_to_move))
            header = file.header
            if (header.sector, header.x_to_move) != half or header.game != GAME:
                raise BadDatabase(f"{quoted(str(file.path), 200)} holds another subspace")
            if header.slots != num_slots(sector):
                raise BadDatabase(f"{quoted(str(file.path), 200)} has a wrong number of slots")
            if header.rules != asdict(self.rules) or header.has_depth != self.has_depth:
                raise BadDatabase(f"{quoted(str(file.path), 200)} belongs to another database")
            self._files[half] = file
        return self._files[half]

    def _block(self, file: TableFile, number: int) -> Values:
        return self._cache.get((file.path.name, number), lambda: file.read_block(number))


def _difference(found: Database, wanted: Rules) -> str:
    here, there = asdict(found.rules), asdict(wanted)
    return ", ".join(f"{name}={here[name]}" for name in here if here[name] != there[name])
