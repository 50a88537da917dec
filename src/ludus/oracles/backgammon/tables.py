"""Tables of equities and chances by placements of both sides: in memory, and in a folder.

A table has one value for each pair of placements, that of the side to move first; see
`ludus._native.equities` for their ranks.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from math import comb
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ludus._native import equities as native
from ludus.core.errors import BadDatabase, CannotSolve
from ludus.core.files import lock_folder, quote_path
from ludus.games.backgammon.board import BAR, HOME
from ludus.oracles.storage import (
    MANIFEST_NAME,
    BlockCache,
    BlockFile,
    compress_block,
    damaged_manifest,
    decompress_block,
    read_manifest,
    write_blocks,
    write_manifest,
)

GAME_ID = "backgammon"

Kind = Literal["bearoff", "hypergammon"]

Sides = NDArray[np.int8]
"""One side's men by its own places, 0 (off) to 25 (bar); shape (positions, 26)."""

Ranks = NDArray[np.uint32]
Floats = NDArray[np.float32]

NO_CUBE, OWN_CUBE, CENTRED_CUBE, THEIR_CUBE = range(4)
"""Where the cube is, seen by the side to move: the order of the equities of bearing off.

They are those of not doubling now, in points of the present cube, for money.
"""

CHANCE_NAMES = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")
"""Chances of the side to move; a gammon includes backgammons."""


@dataclass(frozen=True)
class Extent:
    """The positions that are solved."""

    kind: Kind
    """Bearing off without contact, as single games; or all positions of a game with few men."""

    men: int
    """Maximum number of men of a side that are not off."""

    @property
    def points(self) -> int:
        """Points on which the men may be; 25 is the bar."""
        return HOME.stop - 1 if self.kind == "bearoff" else BAR

    @property
    def num_placements(self) -> int:
        return comb(self.men + self.points, self.points)

    def estimate_peak_bytes(self) -> int:
        """Return an estimate of the memory that solving takes."""
        per_position = 32 if self.kind == "bearoff" else 200
        return per_position * self.num_placements**2

    def contains(self, sides: Sides) -> NDArray[np.bool_]:
        """Return for each side whether it is within the extent."""
        on_board = sides[:, 1:]
        few: NDArray[np.bool_] = on_board.sum(axis=1) <= self.men
        return few & ~on_board[:, self.points :].any(axis=1)

    def rank(self, sides: Sides) -> Ranks:
        """Return the ranks of sides within the extent."""
        return native.rank(np.ascontiguousarray(sides, dtype=np.int8), self.men, self.points)


class EquityTables(Protocol):
    """Source of equities and chances."""

    @property
    def extent(self) -> Extent: ...
    @property
    def source(self) -> str: ...
    def equities(self, own: Ranks, other: Ranks, cube: int = NO_CUBE, /) -> Floats:
        """Return the equities with the cube in this place, NaN if there are none."""

    def chances(self, own: Ranks, other: Ranks, /) -> Floats | None: ...


class MemoryTables:
    """Equities in memory, of one or all places of the cube, without chances."""

    def __init__(self, extent: Extent, equities: Floats, source: str) -> None:
        self.extent = extent
        self.source = source
        self._equities = equities.reshape(-1, extent.num_placements, extent.num_placements)

    def equities(self, own: Ranks, other: Ranks, cube: int = NO_CUBE, /) -> Floats:
        if cube >= len(self._equities):
            return np.full(len(own), np.nan, dtype=np.float32)
        found: Floats = self._equities[cube, own, other]
        return found

    def chances(self, own: Ranks, other: Ranks, /) -> Floats | None:
        return None


BLOCK_VALUES = 1 << 14
"""Number of values of a block, small enough to be read and unpacked in a tenth of a millisecond."""

CACHE_BYTES = 1 << 28
"""Size of the blocks that a folder keeps in memory."""

EQUITY_FILE, CUBE_FILE, CHANCES_FILE = "equity.values", "cube.values", "chances.values"

NUM_PLANES = {EQUITY_FILE: 1, CUBE_FILE: 3, CHANCES_FILE: len(CHANCE_NAMES)}
"""Values of a position in each file; those of bearing off with the cube are apart."""


class TableFolder:
    """Tables in a folder. Everything read is verified; damage is never a wrong value."""

    def __init__(self, folder: Path, extent: Extent) -> None:
        self.folder = folder
        self.extent = extent
        self._files: dict[str, BlockFile] = {}
        self._cache = BlockCache(CACHE_BYTES)

    @classmethod
    def open(cls, folder: Path | str) -> "TableFolder":
        """Open a folder; BadDatabase if it has no tables of backgammon."""
        folder = Path(folder)
        fields = read_manifest(folder, GAME_ID)
        kind, men = fields.get("kind"), fields.get("men")
        if (
            kind not in ("bearoff", "hypergammon")
            or type(men) is not int
            or men not in range(1, 16)
        ):
            raise damaged_manifest(folder)
        return cls(folder, Extent(kind, men))

    @classmethod
    @contextmanager
    def open_for_writing(cls, folder: Path | str, extent: Extent) -> Iterator["TableFolder"]:
        """Open a folder for writing, created if necessary, and lock it."""
        folder = Path(folder)
        with lock_folder(folder):
            if not (folder / MANIFEST_NAME).exists():
                write_manifest(folder, GAME_ID, **asdict(extent))
            found = cls.open(folder)
            if found.extent != extent:
                held = f"{found.extent.kind} with {found.extent.men} men"
                raise BadDatabase(f"{quote_path(folder)} holds {held}")
            yield found

    @property
    def source(self) -> str:
        return quote_path(self.folder)

    def has(self, name: str) -> bool:
        """Return whether a table is complete."""
        return (self.folder / name).exists()

    def equities(self, own: Ranks, other: Ranks, cube: int = NO_CUBE, /) -> Floats:
        size = np.int64(self.extent.num_placements)
        slots = own.astype(np.int64) * size + other
        if cube == NO_CUBE:
            return self._read(EQUITY_FILE, slots)
        if not self.has(CUBE_FILE):
            return np.full(len(own), np.nan, dtype=np.float32)
        return self._read(CUBE_FILE, slots + (cube - OWN_CUBE) * size * size)

    def chances(self, own: Ranks, other: Ranks, /) -> Floats | None:
        """Return the chances, shape (positions, 5); None if there are none."""
        if not self.has(CHANCES_FILE):
            return None
        size = np.int64(self.extent.num_placements)
        slots = own.astype(np.int64) * size + other
        planes = [self._read(CHANCES_FILE, slots + i * size * size) for i in range(5)]
        return np.stack(planes, axis=1)

    def write(self, name: str, values: Floats) -> None:
        """Add a table. It is present when its file is complete on disk."""
        flat = np.ascontiguousarray(values, dtype="<f4").reshape(-1)
        count = -(-flat.size // BLOCK_VALUES)
        blocks = (
            compress_block(_shuffle(flat[number * BLOCK_VALUES : (number + 1) * BLOCK_VALUES]))
            for number in range(count)
        )
        header = json.dumps(self._header(name, flat.size), sort_keys=True).encode()
        write_blocks(self.folder / name, header, count, blocks)

    def read_all(self, name: str) -> Floats:
        """Return a whole table, every byte verified; shape (…, placements, placements)."""
        file = self._file(name)
        parts = [self._read_block(file, number) for number in range(file.num_blocks)]
        size = self.extent.num_placements
        return np.concatenate(parts).reshape(-1, size, size).squeeze()

    def _read(self, name: str, slots: NDArray[np.int64]) -> Floats:
        file = self._file(name)
        numbers, offsets = np.divmod(slots, BLOCK_VALUES)
        values = np.empty(len(slots), dtype=np.float32)
        for number in np.unique(numbers):
            chosen = numbers == number
            block = self._cache.get(file, int(number), partial(self._read_block, file))
            values[chosen] = block[offsets[chosen]]
        return values

    def _read_block(self, file: BlockFile, number: int) -> Floats:
        [data] = file.read_compressed(number, number + 1)
        total = self._num_values(file.path.name)
        count = min(BLOCK_VALUES, total - number * BLOCK_VALUES)
        try:
            return _unshuffle(decompress_block(data, 4 * count))
        except ValueError as error:
            raise file.damaged(f"block {number}") from error

    def _file(self, name: str) -> BlockFile:
        if name not in self._files:
            file = BlockFile(self.folder / name)
            try:
                header = json.loads(file.header_bytes)
            except (ValueError, RecursionError) as error:
                raise file.damaged("header") from error
            expected = self._header(name, self._num_values(name))
            if header != expected or file.num_blocks != -(-expected["values"] // BLOCK_VALUES):
                raise BadDatabase(f"{file.name} belongs to another database")
            file.check_size()
            self._files[name] = file
        return self._files[name]

    def _num_values(self, name: str) -> int:
        size = self.extent.num_placements
        return size * size * NUM_PLANES[name]

    def _header(self, name: str, num_values: int) -> Mapping[str, Any]:
        return {
            "game": GAME_ID,
            **asdict(self.extent),
            "table": name,
            "values": num_values,
            "block_values": BLOCK_VALUES,
        }


def _shuffle(values: Floats) -> bytes:
    """Return the first bytes of all values, then the second ones …, which compress better."""
    return values.view(np.uint8).reshape(-1, 4).T.tobytes()


def _unshuffle(data: bytes) -> Floats:
    planes = np.frombuffer(data, dtype=np.uint8).reshape(4, -1)
    return np.ascontiguousarray(planes.T).view("<f4").reshape(-1)


def check_extent(kind: Kind, men: int) -> Extent:
    """Return the extent; CannotSolve if it cannot be solved here."""
    most = 14 if kind == "bearoff" else 3
    if not 1 <= men <= most:
        raise CannotSolve(f"{kind} can be solved for 1 to {most} men a side, not {men}")
    return Extent(kind, men)
