"""Solvers of backgammon on a GPU, built by nvcc: hypergammon, and two sides that bear off."""

import ctypes
from functools import cache
from math import comb
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludus.cuda import CudaUnavailable, build_library

NUM_CHANCES = 5
NUM_CUBES = 4

POINTER, INTEGER, COUNT = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64


def find_cuda_problem() -> str | None:
    """Return why a GPU cannot be used here; None if it can."""
    try:
        library = CudaHypergammon.open_library(build_library("hypergammon"))
    except CudaUnavailable as error:
        return str(error)
    return None if library.ludus_hypergammon_devices() > 0 else "there is no CUDA device here"


class CudaEquities:
    """A solver of a library of `native/cuda`, whose functions begin with `ludus_NAME_`."""

    name: ClassVar[str]
    opening: ClassVar[tuple[Any, ...]]
    """Types of the arguments with which it is opened."""

    functions: ClassVar[dict[str, tuple[Any, ...]]]
    """Types of the arguments of each function, after the solver itself."""

    def __init__(self, library: Path | None, *arguments: int) -> None:
        """Open a solver of this library; by default it is built on first use."""
        self._library = self.open_library(build_library(self.name) if library is None else library)
        self._handle = self._function("open")(*arguments)
        if not self._handle:
            raise CudaUnavailable(self._error())
        self.size = int(self._call("size"))

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._function("close")(self._handle)

    @classmethod
    @cache
    def open_library(cls, path: Path) -> Any:
        """Load a library of `native/cuda/NAME.cu`."""
        library = ctypes.CDLL(str(path))
        getattr(library, f"ludus_{cls.name}_error").restype = ctypes.c_char_p
        opening = getattr(library, f"ludus_{cls.name}_open")
        opening.restype, opening.argtypes = POINTER, cls.opening
        getattr(library, f"ludus_{cls.name}_close").argtypes = (POINTER,)
        for name, arguments in {"size": (), **cls.functions}.items():
            function = getattr(library, f"ludus_{cls.name}_{name}")
            function.restype = ctypes.c_double
            function.argtypes = (POINTER, *arguments)
        return library

    def _function(self, name: str) -> Any:
        return getattr(self._library, f"ludus_{self.name}_{name}")

    def _call(self, name: str, *arguments: Any) -> float:
        result = float(self._function(name)(self._handle, *arguments))
        if result < 0:
            raise CudaUnavailable(self._error())
        return result

    def _error(self) -> str:
        return str(self._function("error")().decode())


class CudaHypergammon(CudaEquities):
    """Value iteration over all positions with 1 to 4 men a side, with the native methods."""

    name = "hypergammon"
    opening = (INTEGER,)
    functions: ClassVar = {
        "sweep": (),
        "choose": (),
        "sweep_chances": (),
        "find_errors": (POINTER,),
        "read_equities": (POINTER,),
        "read_chances": (POINTER,),
        "load": (POINTER, POINTER),
    }

    def __init__(self, men: int, library: Path | None = None) -> None:
        super().__init__(library, men)

    def sweep(self) -> float:
        """Derive all equities once; return the largest change."""
        return self._call("sweep")

    def choose(self) -> None:
        """Fix the best plays by the equities rounded to single precision."""
        self._call("choose")

    def sweep_chances(self) -> float:
        """Derive all chances with the fixed plays once; return the largest change."""
        return self._call("sweep_chances")

    def find_errors(self) -> tuple[float, float]:
        """Return the largest errors of equities and chances against their successors."""
        errors = (ctypes.c_double * 2)()
        self._call("find_errors", errors)
        return errors[0], errors[1]

    def equities(self) -> NDArray[np.float32]:
        values = np.empty((self.size, self.size), dtype=np.float32)
        self._call("read_equities", values.ctypes.data)
        return values

    def chances(self) -> NDArray[np.float32]:
        values = np.empty((NUM_CHANCES, self.size, self.size), dtype=np.float32)
        self._call("read_chances", values.ctypes.data)
        return values

    def load(self, equities: NDArray[np.float32], chances: NDArray[np.float32]) -> None:
        arrays = [np.ascontiguousarray(each, dtype=np.float32) for each in (equities, chances)]
        sizes = [each.size for each in arrays]
        if sizes[0] != self.size**2 or sizes[1] not in (0, NUM_CHANCES * self.size**2):
            raise ValueError("not as many values as positions")
        self._call("load", *(each.ctypes.data if each.size else None for each in arrays))


class CudaBearoff(CudaEquities):
    """Two sides of up to 15 men on up to 6 points, with the cube; 16 bytes a position on the GPU.

    The table stays there: of 15 men on 6 points it has 47 GB.
    """

    name = "bearoff"
    opening = (INTEGER, INTEGER, INTEGER)
    functions: ClassVar = {
        "num_moves": (),
        "solve": (),
        "read": (COUNT, POINTER, POINTER, POINTER),
    }

    def __init__(
        self, men: int, points: int, are_all: bool = True, library: Path | None = None
    ) -> None:
        """Take the memory; gammons are lost if the men are all that a side has."""
        super().__init__(library, men, points, are_all)

    @property
    def num_moves(self) -> int:
        """Moves of all placements and rolls."""
        return int(self._call("num_moves"))

    def solve(self) -> None:
        """Derive every position from its successors."""
        self._call("solve")

    def read(self, own: NDArray[np.uint32], other: NDArray[np.uint32]) -> NDArray[np.float32]:
        """Return the equities of positions by ranks, men left on both sides; shape (positions, 4).

        They are those of not doubling: without a cube, and with the cube the mover's own, centred,
        and the other side's.
        """
        found = np.empty((len(own), NUM_CUBES), dtype=np.float32)
        ranks = [np.ascontiguousarray(each, dtype=np.uint32) for each in (own, other)]
        self._call("read", len(own), *(each.ctypes.data for each in ranks), found.ctypes.data)
        return found

    def roll_distributions(self, men: int, points: int, width: int) -> NDArray[np.float64]:
        """Return one side's rolls until all men and until the first is off, computed on the CPU.

        Shape (2, placements, width).
        """
        found = np.empty((2, comb(men + points, points), width))
        function = self._function("rolls")
        function.restype, function.argtypes = ctypes.c_double, (INTEGER,) * 3 + (POINTER,) * 2
        if function(men, points, width, found[0].ctypes.data, found[1].ctypes.data) < 0:
            raise CudaUnavailable(self._error())
        return found
