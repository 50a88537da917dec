"""Solver on a GPU, with the methods of the native one, in a library built by nvcc."""

import ctypes
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ludus.cuda import CudaUnavailable, build_library
from ludus.games.nine_mens_morris.rules import Rules

if TYPE_CHECKING:
    from ludus._native import solver as native

Sector = tuple[int, int, int, int]


def find_cuda_problem() -> str | None:
    """Return why a GPU cannot be used here; None if it can."""
    try:
        devices = _load_library().ludus_cuda_devices()
    except CudaUnavailable as error:
        return str(error)
    return None if devices > 0 else "there is no CUDA device on this machine"


class CudaSolver:
    """Solver by sectors, with all tables in the GPU's memory."""

    def __init__(self, rules: Rules) -> None:
        if reason := find_cuda_problem():
            raise CudaUnavailable(reason)
        self.rules = rules
        self._library = _load_library()
        self._handle = self._library.ludus_cuda_open(_make_rules_array(rules))
        if not self._handle:
            raise CudaUnavailable(self._error())

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.ludus_cuda_close(self._handle)

    def solve(self, sector: Sector) -> None:
        self._call("solve", sector)

    def verify(self, sector: Sector) -> int:
        """Return the number of values that do not follow from those of their successors."""
        return self._call("verify", sector)

    def tally(self, sector: Sector, x_to_move: bool) -> "native.Tally":
        counts = (ctypes.c_longlong * 5)()
        self._call("tally", sector, int(x_to_move), counts)
        win, loss, draw, max_win, max_loss = counts
        return {
            "win": win,
            "loss": loss,
            "draw": draw,
            "max_win": max_win,
            "max_loss": max_loss,
        }

    def values(self, sector: Sector, x_to_move: bool) -> NDArray[np.uint8] | None:
        """Return a copy of the table in main memory."""
        if not self._call("has", sector, int(x_to_move)):
            return None
        values = np.empty(self._call("slots", sector), np.uint8)
        self._call("read", sector, int(x_to_move), values.ctypes.data_as(ctypes.c_void_p))
        return values

    def load(
        self,
        sector: Sector,
        x_moves: NDArray[np.uint8] | None,
        y_moves: NDArray[np.uint8] | None,
    ) -> None:
        for x_to_move, values in ((True, x_moves), (False, y_moves)):
            if values is None:
                continue
            table = np.ascontiguousarray(values, np.uint8)
            if table.size != self._call("slots", sector):
                raise ValueError("not as many values as slots")
            self._call("load", sector, int(x_to_move), table.ctypes.data_as(ctypes.c_void_p))

    def has(self, sector: Sector) -> bool:
        return any(self._call("has", sector, half) for half in (1, 0))

    def drop(self, sector: Sector) -> None:
        self._library.ludus_cuda_drop(self._handle, _make_sector_array(sector))

    def release_work(self) -> None:
        """Free the memory that only solving needs; it is allocated again on demand."""
        self.call("release_work")

    def call(self, name: str, *arguments: Any) -> None:
        """Call one of the library's functions that do not take a sector."""
        if getattr(self._library, f"ludus_cuda_{name}")(self._handle, *arguments) < 0:
            raise CudaUnavailable(self._error())

    def stop(self) -> None:
        """Do nothing: a sector takes seconds at most and is completed."""

    def shape(self, sector: Sector) -> tuple[int, int]:
        rows = self._call("rows", sector)
        return rows, self._call("slots", sector) // rows

    @property
    def progress(self) -> tuple[int, int]:
        return 0, 0

    def _call(self, name: str, sector: Sector, *arguments: Any) -> int:
        function = getattr(self._library, f"ludus_cuda_{name}")
        result = int(function(self._handle, _make_sector_array(sector), *arguments))
        if result < 0:
            raise CudaUnavailable(self._error())
        return result

    def _error(self) -> str:
        return str(self._library.ludus_cuda_error().decode())


@cache
def _load_library() -> Any:
    """Load the library; build it from source if necessary."""
    library = ctypes.CDLL(str(build_library("solver")))
    library.ludus_cuda_error.restype = ctypes.c_char_p
    library.ludus_cuda_open.restype = ctypes.c_void_p
    pointer, flag = ctypes.c_void_p, ctypes.c_int
    size, seed = ctypes.c_ulonglong, ctypes.c_ulonglong
    more: dict[str, list[Any]] = {
        **{name: [pointer] for name in ("solve", "verify", "slots", "rows", "drop")},
        "tally": [pointer, flag, pointer],
        "has": [pointer, flag],
        "read": [pointer, flag, pointer],
        "load": [pointer, flag, pointer],
        "release_work": [],
        "label": [pointer, size, pointer, pointer],
        "children": [pointer, size, pointer, seed, pointer, pointer],
        "draw": [pointer, size, pointer, seed, pointer],
        "advance": [pointer, size, pointer, seed],
    }
    for name, arguments in more.items():
        function = getattr(library, f"ludus_cuda_{name}")
        function.restype = ctypes.c_longlong
        function.argtypes = [pointer, *arguments]
    library.ludus_cuda_close.argtypes = [pointer]
    return library


def _make_rules_array(rules: Rules) -> Any:
    """Return the rules as the library's ludus_cuda_open takes them."""
    values = (
        rules.men,
        rules.diagonals,
        rules.flying,
        ("loses", "passes").index(rules.blocked),
        rules.lose_below,
        ("when_all", "never", "always").index(rules.take_from_mills),
        rules.repetition,
        rules.quiet_plies,
        rules.place_or_move,
        rules.full_board == "draws",
    )
    return (ctypes.c_int * len(values))(*values)


def _make_sector_array(sector: Sector) -> Any:
    return (ctypes.c_int * 4)(*sector)
