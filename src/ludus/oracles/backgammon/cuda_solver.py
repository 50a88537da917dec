"""Solver of hypergammon on a GPU, with the methods of the native one, built by nvcc."""

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.cuda import CudaUnavailable, build_library

NUM_CHANCES = 5


def find_cuda_problem() -> str | None:
    """Return why a GPU cannot be used here; None if it can."""
    try:
        devices = _load_built_library().ludus_hypergammon_devices()
    except CudaUnavailable as error:
        return str(error)
    return None if devices > 0 else "there is no CUDA device on this machine"


class CudaHypergammon:
    """Value iteration over all positions with 1 to 4 men a side, in the GPU's memory."""

    def __init__(self, men: int, library: Path | None = None) -> None:
        """Use a library of `native/cuda/hypergammon.cu`; by default it is built on first use."""
        self._library = _load_built_library() if library is None else load_library(library)
        self._handle = self._library.ludus_hypergammon_open(men)
        if not self._handle:
            raise CudaUnavailable(self._error())
        self.size = int(self._call("size"))

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.ludus_hypergammon_close(self._handle)

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
        self._call("read_equities", values.ctypes.data_as(ctypes.c_void_p))
        return values

    def chances(self) -> NDArray[np.float32]:
        values = np.empty((NUM_CHANCES, self.size, self.size), dtype=np.float32)
        self._call("read_chances", values.ctypes.data_as(ctypes.c_void_p))
        return values

    def load(self, equities: NDArray[np.float32], chances: NDArray[np.float32]) -> None:
        arrays = [np.ascontiguousarray(each, dtype=np.float32) for each in (equities, chances)]
        sizes = [each.size for each in arrays]
        if sizes[0] != self.size**2 or sizes[1] not in (0, NUM_CHANCES * self.size**2):
            raise ValueError("not as many values as positions")
        pointers = [each.ctypes.data_as(ctypes.c_void_p) if each.size else None for each in arrays]
        self._call("load", *pointers)

    def _call(self, name: str, *arguments: Any) -> float:
        function = getattr(self._library, f"ludus_hypergammon_{name}")
        result = float(function(self._handle, *arguments))
        if result < 0:
            raise CudaUnavailable(self._error())
        return result

    def _error(self) -> str:
        return str(self._library.ludus_hypergammon_error().decode())


@cache
def _load_built_library() -> Any:
    """Load the library; build it from source if necessary."""
    return load_library(build_library("hypergammon"))


def load_library(path: Path) -> Any:
    """Load a library of `native/cuda/hypergammon.cu`."""
    library = ctypes.CDLL(str(path))
    library.ludus_hypergammon_error.restype = ctypes.c_char_p
    library.ludus_hypergammon_open.restype = ctypes.c_void_p
    pointer = ctypes.c_void_p
    functions: dict[str, list[Any]] = {
        "size": [],
        "sweep": [],
        "choose": [],
        "sweep_chances": [],
        "find_errors": [pointer],
        "read_equities": [pointer],
        "read_chances": [pointer],
        "load": [pointer, pointer],
    }
    for name, arguments in functions.items():
        function = getattr(library, f"ludus_hypergammon_{name}")
        function.restype = ctypes.c_double
        function.argtypes = [pointer, *arguments]
    library.ludus_hypergammon_close.argtypes = [pointer]
    return library
