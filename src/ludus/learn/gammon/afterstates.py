"""Boards after moves for training: listed on all cores, encoded on the device that trains.

Boards are rows of 52 counts as the side that has just moved sees them, see
`ludus.games.backgammon.batch`; reversing a row turns the board round. The library of
`native/cuda/gammon.cu` is built by nvcc on first use; without a GPU the compiled modules serve.
"""

import ctypes
from math import comb
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from ludus.core.processes import count_cores
from ludus.cuda import CudaUnavailable, build_library

ROW = 52
NUM_ROLLS = 21

Rows = NDArray[np.int8]
"""Boards, shape (boards, 52)."""

MEN, HOME_POINTS = 15, 6
EXACT_MEN = 6
"""Men a side whose bearing off is known exactly."""

MAX_ROLLS = 32


class BearoffArrays(NamedTuple):
    """Tables of bearing off by the number of a side's men, see `ludus._native.equities`."""

    all_off: NDArray[np.float64]
    """Probabilities of the number of rolls until all men are off, shape (54264, 32)."""

    first_off: NDArray[np.float64]
    """The same until the first of 15 men is off."""

    exact: NDArray[np.float32]
    """Equities of the side to move for at most six men a side, shape (924, 924)."""


class Afterstates(Protocol):
    """Moves and inputs of many boards."""

    num_inputs: int

    threads: int
    """Number of threads on the processor."""

    def expand(self, positions: Rows, dice: Rows | None) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the boards after all moves (m, 52), and the offsets of each position's boards.

        Positions (n, 52) are those of the side to move. `dice` are their rolls (n, 2); None for
        all 21 rolls of each position, in the order of `ROLLS`.
        """

    def encode(self, boards: torch.Tensor) -> torch.Tensor:
        """Return the inputs of boards after moves, shape (boards, inputs), on their device."""

    def solve_bearoff(self) -> BearoffArrays:
        """Compute the tables of bearing off, in a second."""


class LibraryAfterstates:
    """Afterstates by a library of `native/cuda/gammon.cu`."""

    def __init__(self, library: Path, threads: int = 0, pinned: bool = False) -> None:
        self.threads = threads or count_cores()
        self._pinned = pinned
        self._library = _load_library(library)
        self.num_inputs = int(self._library.ludus_gammon_inputs())
        is_half = self._library.ludus_gammon_input_bytes() == 2
        self._dtype = torch.float16 if is_half else torch.float32

    def expand(self, positions: Rows, dice: Rows | None) -> tuple[torch.Tensor, torch.Tensor]:
        positions = np.ascontiguousarray(positions)
        num_lists = len(positions) * (NUM_ROLLS if dice is None else 1)
        dice = None if dice is None else np.ascontiguousarray(dice)
        offsets = torch.empty(num_lists + 1, dtype=torch.int64)
        capacity = 24 * num_lists
        while True:
            boards = torch.empty((capacity, ROW), dtype=torch.int8, pin_memory=self._pinned)
            total = self._library.ludus_gammon_expand(
                positions.ctypes.data,
                None if dice is None else dice.ctypes.data,
                len(positions),
                boards.data_ptr(),
                capacity,
                offsets.data_ptr(),
                self.threads,
            )
            if total <= capacity:
                return boards[:total], offsets
            capacity = total

    def encode(self, boards: torch.Tensor) -> torch.Tensor:
        inputs = torch.empty(
            (len(boards), self.num_inputs), dtype=self._dtype, device=boards.device
        )
        stream = torch.cuda.current_stream().cuda_stream if boards.is_cuda else None
        boards = boards.contiguous()
        status = self._library.ludus_gammon_encode(
            boards.data_ptr(), len(boards), inputs.data_ptr(), stream
        )
        if status < 0:
            raise CudaUnavailable("the GPU cannot encode boards")
        return inputs

    def solve_bearoff(self) -> BearoffArrays:
        placements = comb(MEN + HOME_POINTS, HOME_POINTS)
        all_off, first_off = np.empty((2, placements, MAX_ROLLS))
        self._library.ludus_gammon_one_sided(
            all_off.ctypes.data, first_off.ctypes.data, MAX_ROLLS, self.threads
        )
        few = comb(EXACT_MEN + HOME_POINTS, HOME_POINTS)
        exact = np.empty((few, few), np.float32)
        self._library.ludus_gammon_two_sided(exact.ctypes.data, EXACT_MEN, self.threads)
        return BearoffArrays(all_off, first_off, exact)


class NativeAfterstates:
    """Afterstates by the compiled module, on the CPU."""

    def __init__(self, threads: int = 0) -> None:
        from ludus._native import chances

        self._native = chances
        self.threads = threads or count_cores()
        self.num_inputs = chances.NUM_INPUTS

    def expand(self, positions: Rows, dice: Rows | None) -> tuple[torch.Tensor, torch.Tensor]:
        boards, offsets = self._native.expand(positions, dice, self.threads)
        return torch.from_numpy(boards), torch.from_numpy(offsets)

    def encode(self, boards: torch.Tensor) -> torch.Tensor:
        inputs = torch.from_numpy(self._native.encode(boards.cpu().numpy(), self.threads))
        return inputs.to(boards.device)

    def solve_bearoff(self) -> BearoffArrays:
        from ludus._native import equities

        all_off, first_off = equities.one_sided(MEN, HOME_POINTS, MAX_ROLLS, threads=self.threads)
        exact = equities.two_sided(EXACT_MEN, HOME_POINTS, threads=self.threads)[0]
        return BearoffArrays(all_off.astype(np.float64), first_off.astype(np.float64), exact)


def open_afterstates(device: torch.device, threads: int = 0) -> Afterstates:
    """Return the fastest afterstates for a device."""
    if device.type == "cuda":
        try:
            return LibraryAfterstates(build_library("gammon"), threads, pinned=True)
        except CudaUnavailable:
            pass  # without nvcc: inputs come from the CPU
    return NativeAfterstates(threads)


def _load_library(path: Path) -> Any:
    library = ctypes.CDLL(str(path))
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    library.ludus_gammon_encode.argtypes = [pointer, number, pointer, pointer]
    library.ludus_gammon_expand.argtypes = [
        *(pointer, pointer, number, pointer, number, pointer),
        ctypes.c_int,
    ]
    library.ludus_gammon_expand.restype = number
    library.ludus_gammon_one_sided.argtypes = [pointer, pointer, ctypes.c_int, ctypes.c_int]
    library.ludus_gammon_one_sided.restype = None
    library.ludus_gammon_two_sided.argtypes = [pointer, ctypes.c_int, ctypes.c_int]
    library.ludus_gammon_two_sided.restype = None
    return library
