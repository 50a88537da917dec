"""Who solves a sector: the compiled solver on this machine's processor, or one on a GPU."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ludus._native import solver as native
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracle.errors import CannotSolve
from ludus.oracle.sectors import Sector

DEVICES = ("cpu", "cuda")

Stopped, TooDeep = native.Stopped, native.TooDeep


class SectorSolver(Protocol):
    """What `ludus._native.solver.Solver` can do; its stub says what each method means."""

    def solve(self, sector: Sector) -> None: ...
    def verify(self, sector: Sector) -> int: ...
    def tally(self, sector: Sector, x_to_move: bool) -> "native.Tally": ...
    def values(self, sector: Sector, x_to_move: bool) -> NDArray[np.uint8] | None: ...
    def load(
        self,
        sector: Sector,
        x_moves: NDArray[np.uint8] | None,
        y_moves: NDArray[np.uint8] | None,
    ) -> None: ...
    def has(self, sector: Sector) -> bool: ...
    def drop(self, sector: Sector) -> None: ...
    def stop(self) -> None: ...
    def shape(self, sector: Sector) -> tuple[int, int]: ...
    @property
    def progress(self) -> tuple[int, int]: ...


def make_solver(rules: Rules, device: str = "cpu", threads: int = 1) -> SectorSolver:
    """A solver for these rules; CannotSolve if there is none."""
    if why := native.why_unsolvable(rules):
        raise CannotSolve(f"these rules cannot be solved: {why}")
    if device not in DEVICES:
        raise CannotSolve(f"there is no device {device!r}; there are {', '.join(DEVICES)}")
    return _on_gpu(rules) if device == "cuda" else native.Solver(rules, threads)


def _on_gpu(rules: Rules) -> SectorSolver:
    from ludus.oracle import cuda

    if why := cuda.available():
        raise CannotSolve(f"cannot solve on a GPU: {why}")
    return cuda.CudaSolver(rules)
