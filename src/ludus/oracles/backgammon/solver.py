"""Solving and verifying tables of backgammon, on a CPU or a GPU."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from ludus._native import equities as native
from ludus._native import solver as native_solver
from ludus.core.errors import BadDatabase, CannotSolve
from ludus.core.processes import report_missing_threads
from ludus.games.backgammon.rules import Rules
from ludus.oracles.backgammon.tables import (
    CHANCES_FILE,
    CUBE_FILE,
    EQUITY_FILE,
    NO_CUBE,
    OWN_CUBE,
    Extent,
    Floats,
    TableFolder,
    check_extent,
)

EQUITY_TOLERANCE = 1e-7
"""Largest change of an equity in the last sweep; the equities are then right to about 2e-7."""

CHANCE_TOLERANCE = 5e-7

VERIFY_TOLERANCE = 1e-6
"""Largest difference allowed between a value and what follows from its successors."""

DEFAULT_BEAROFF_MEN = 6
EXPECTED_SWEEPS = 24
MAX_SWEEPS = 1000


class HypergammonSolver(Protocol):
    """The interface of `ludus._native.equities.Hypergammon`; its stub documents the methods."""

    @property
    def size(self) -> int: ...
    def sweep(self) -> float: ...
    def choose(self) -> None: ...
    def sweep_chances(self) -> float: ...
    def find_errors(self) -> tuple[float, float]: ...
    def equities(self) -> Floats: ...
    def chances(self) -> Floats: ...
    def load(self, equities: Floats, chances: Floats) -> None: ...


def select_extent(rules: Rules, max_men: int | None = None) -> Extent:
    """Return what is solved for these rules: the whole game, or bearing off with few men."""
    if rules.layout == "hyper":
        if max_men not in (None, rules.men):
            raise CannotSolve(f"hypergammon is solved as a whole, with {rules.men} men a side")
        return check_extent("hypergammon", rules.men)
    return check_extent("bearoff", DEFAULT_BEAROFF_MEN if max_men is None else max_men)


def make_solver(men: int, device: str = "cpu", threads: int = 1) -> HypergammonSolver:
    """Return a solver of all positions with this number of men a side."""
    if device == "cuda":
        from ludus.oracles.backgammon import cuda_solver

        if why := cuda_solver.find_cuda_problem():
            raise CannotSolve(f"cannot solve on a GPU: {why}")
        return cuda_solver.CudaHypergammon(men)
    if device != "cpu":
        raise CannotSolve(f"there is no device {device!r}; there are cpu, cuda")
    return native.Hypergammon(men, threads)


@dataclass
class SweepProgress:
    """Progress in sweeps, as an estimate; read by one thread while another works."""

    total: int = 2 * EXPECTED_SWEEPS
    done: int = 0
    resumed: int = 0
    current: tuple[str, ...] | None = None


@dataclass
class EquityResult:
    """Results of a run."""

    extent: Extent
    equities: Floats
    """Without a cube; shape (placements, placements)."""

    cube_equities: Floats | None = None
    """With the cube the mover's own, centred, and the other side's; the first axis is the cube."""

    chances: Floats | None = None
    num_sweeps: int = 0
    last_change: float = 0.0
    """Largest change of an equity in the last sweep."""

    errors: list[float] = field(default_factory=list)
    """Largest errors of equities and chances against their successors, if they were verified."""

    @property
    def is_valid(self) -> bool:
        return not self.errors or max(self.errors) <= VERIFY_TOLERANCE


class EquityRun:
    """One run that solves an extent. `run` works on one thread, `stop` is for others."""

    def __init__(
        self,
        extent: Extent,
        folder: TableFolder | None = None,
        *,
        device: str = "cpu",
        threads: int = 1,
        verify: bool = False,
    ) -> None:
        self.extent = extent
        self.progress = SweepProgress()
        self._folder = folder
        self._device = device
        self._threads = threads
        self._verify = verify
        self._is_stopping = False

    def stop(self) -> None:
        """Request the end of the run: `run` raises Stopped."""
        self._is_stopping = True

    def run(self) -> EquityResult:
        """Solve, verify if requested, and write the tables."""
        with report_missing_threads(self._threads):
            is_bearoff = self.extent.kind == "bearoff"
            result = self._run_bearoff() if is_bearoff else self._run_hypergammon()
        if self._folder is not None:
            if result.chances is not None:
                self._folder.write(CHANCES_FILE, result.chances)
            if result.cube_equities is not None:
                self._folder.write(CUBE_FILE, result.cube_equities)
            self._folder.write(EQUITY_FILE, result.equities)
        return result

    def _run_bearoff(self) -> EquityResult:
        if self._device != "cpu":
            raise CannotSolve("bearing off is solved on the CPU alone")
        men, points = self.extent.men, self.extent.points
        found = native.two_sided(men, points, threads=self._threads)
        result = EquityResult(self.extent, found[NO_CUBE], found[OWN_CUBE:])
        if self._verify:
            wrong = native.verify_two_sided(found, men, points, threads=self._threads)
            result.errors = [math.inf if wrong else 0.0]
        return result

    def _run_hypergammon(self) -> EquityResult:
        solver = make_solver(self.extent.men, self._device, self._threads)
        num_sweeps, change = self._iterate(solver.sweep, EQUITY_TOLERANCE)
        equities = solver.equities()
        solver.choose()
        self.progress.done = EXPECTED_SWEEPS
        self._iterate(solver.sweep_chances, CHANCE_TOLERANCE)
        result = EquityResult(self.extent, equities, None, solver.chances(), num_sweeps, change)
        if self._verify:
            result.errors = list(solver.find_errors())
        return result

    def _iterate(self, sweep: Callable[[], float], tolerance: float) -> tuple[int, float]:
        """Sweep until values change by at most the tolerance; return sweeps and last change."""
        for number in range(1, MAX_SWEEPS):
            if self._is_stopping:
                raise native_solver.Stopped
            change = sweep()
            self.progress.done += 1
            if change <= tolerance:
                return number, change
        raise CannotSolve(f"values still change by {change:.1e} after {MAX_SWEEPS} sweeps")


@dataclass
class EquityVerification:
    """Result of a verification."""

    num_values: int
    equity_error: float
    chance_error: float

    @property
    def is_valid(self) -> bool:
        return max(self.equity_error, self.chance_error) <= VERIFY_TOLERANCE


class EquityVerificationRun:
    """Derives every value of a folder again from its successors. `run` works on one thread."""

    def __init__(self, folder: TableFolder, device: str = "cpu", threads: int = 1) -> None:
        self.progress = SweepProgress(total=1)
        self.extent = folder.extent
        self._folder = folder
        self._device = device
        self._threads = threads

    def stop(self) -> None:
        """Do nothing: a verification takes seconds and is completed."""

    def run(self) -> EquityVerification:
        with report_missing_threads(self._threads):
            folder, extent = self._folder, self._folder.extent
            equities = folder.read_all(EQUITY_FILE)
            if extent.kind == "bearoff":
                if folder.has(CUBE_FILE):
                    equities = np.concatenate([equities[None], folder.read_all(CUBE_FILE)])
                wrong = native.verify_two_sided(
                    equities, extent.men, extent.points, threads=self._threads
                )
                return EquityVerification(equities.size, math.inf if wrong else 0.0, 0.0)
            empty: Floats = np.empty(0, dtype=np.float32)
            chances = folder.read_all(CHANCES_FILE) if folder.has(CHANCES_FILE) else empty
            solver = make_solver(extent.men, self._device, self._threads)
            if equities.size != solver.size**2:
                raise BadDatabase(f"{folder.source} has a wrong number of values")
            solver.load(equities, chances)
            return EquityVerification(equities.size + chances.size, *solver.find_errors())
