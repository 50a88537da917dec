"""Sources of examples with exact values: an oracle in numpy, or tables in GPU memory."""

import ctypes
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ludus.games.nine_mens_morris.batch import MAX_MOVES, ChildBatch, PositionBatch, expand
from ludus.games.nine_mens_morris.bitboards import Array
from ludus.games.nine_mens_morris.rules import Rules
from ludus.learn.scholar.examples import (
    ExampleBatch,
    ExampleSource,
    GameBatch,
    prepare_subspace_weights,
)
from ludus.oracles.morris.cuda_solver import CudaSolver
from ludus.oracles.morris.sectors import Sector, Subspace, all_sectors, sides_to_move, subspace_of

if TYPE_CHECKING:
    from ludus.oracles.morris.oracle import MorrisOracle

_NOISE_SCALE = 1 << 32
"""Probabilities of noise are whole numbers of this part."""


class OracleExampleSource(ExampleSource):
    """Source backed by an oracle on disk or in main memory; columns are numpy arrays.

    Raises Unsolved for positions that the oracle does not know.
    """

    def __init__(self, oracle: "MorrisOracle") -> None:
        # Imported here: a machine that samples on its GPU alone needs no compiled modules.
        from ludus._native import sampling

        self._native = sampling
        self.rules = oracle.rules
        self.subspaces = sorted(subspace_of(*half) for half in oracle.tables.sectors)
        self._oracle = oracle

    def label(self, positions: PositionBatch) -> NDArray[np.uint8]:
        return self._oracle.lookup(positions)

    def expand(
        self, positions: PositionBatch, max_moves: int = MAX_MOVES, seed: int = 0
    ) -> ChildBatch:
        children = expand(positions, self.rules, max_moves, seed)
        is_move = children.is_move
        children.value[is_move] = self.label(children.positions[is_move])
        return children

    def sample_positions(
        self,
        count: int,
        seed: int,
        subspaces: Sequence[Subspace] | None = None,
        weights: Sequence[float] | None = None,
    ) -> PositionBatch:
        men, cumulative = prepare_subspace_weights(
            self.subspaces if subspaces is None else subspaces, weights
        )
        sampled = PositionBatch.zeros(count)
        self._native.draw(self.rules, men.reshape(-1), cumulative, seed, sampled.to_native())
        return sampled

    def advance(
        self,
        games: GameBatch,
        examples: ExampleBatch,
        restarts: PositionBatch,
        seed: int,
        noise: float = 0.1,
        max_plies: int = 100,
        chosen: NDArray[np.int32] | None = None,
    ) -> GameBatch:
        size, children = len(games.positions), examples.children
        after = GameBatch(PositionBatch.zeros(size), np.empty(size, np.int32))
        self._native.advance(
            self.rules,
            children.count,
            children.positions.to_native(),
            children.move.reshape(-1),
            examples.value,
            children.value.reshape(-1),
            None if chosen is None else np.require(chosen, np.int32, ("C", "W")),
            games.plies,
            int(noise * _NOISE_SCALE),
            max_plies,
            restarts.to_native(),
            seed,
            after.positions.to_native(),
            after.plies,
        )
        return after

    def to_columns(self, arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        return list(arrays)

    def concatenate(self, arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return np.concatenate(arrays)

    def random_permutation(self, count: int, seed: int) -> NDArray[np.int64]:
        return np.random.default_rng(seed).permutation(count)


_POINTER, _SIZE, _INT = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int32


def solve_on_gpu(rules: Rules, show: Callable[[Sector], None] | None = None) -> CudaSolver:
    """Solve the whole game on the GPU and keep all tables there: 25.5 GiB for `standard`.

    Solving takes about 15 GiB more. `show` is called with each sector before it is solved.
    """
    solver = CudaSolver(rules)
    for sector in all_sectors(rules):
        if show is not None:
            show(sector)
        solver.solve(sector)
    solver.release_work()
    return solver


class CudaExampleSource(ExampleSource):
    """Source backed by tables in GPU memory; columns are torch tensors on the GPU.

    Work is queued on the current stream, and no data leave the GPU.
    """

    def __init__(self, solver: CudaSolver) -> None:
        import torch

        self.rules = solver.rules
        self.subspaces = sorted(
            subspace_of(sector, x_to_move)
            for sector in all_sectors(self.rules)
            if solver.has(sector)
            for x_to_move in sides_to_move(self.rules, sector)
        )
        self._solver = solver
        self._torch = torch
        self._device = torch.device("cuda", 0)

    def label(self, positions: PositionBatch) -> Array:
        given = self._prepare(positions)
        values = self._empty(len(given), "uint8")
        self._run("label", len(given), _positions_struct(given), _data_pointer(values))
        return values

    def expand(
        self, positions: PositionBatch, max_moves: int = MAX_MOVES, seed: int = 0
    ) -> ChildBatch:
        given = self._prepare(positions)
        size = len(given)
        children = ChildBatch(
            self._empty(size, "int32"),
            self._no_positions(size, max_moves),
            self._empty((size, max_moves), "uint8"),
            self._empty((size, max_moves), "int32"),
        )
        self._run(
            "children",
            size,
            _positions_struct(given),
            seed,
            _rows_struct(children),
            _data_pointer(children.value),
        )
        return children

    def sample_positions(
        self,
        count: int,
        seed: int,
        subspaces: Sequence[Subspace] | None = None,
        weights: Sequence[float] | None = None,
    ) -> PositionBatch:
        kinds, weight_sums = prepare_subspace_weights(
            self.subspaces if subspaces is None else subspaces, weights
        )
        # Torch supports uint32 poorly; the bits are the same.
        men, cumulative = self.to_columns([kinds, weight_sums.view("int32")])
        sampled = self._no_positions(count)
        self._run(
            "draw",
            count,
            _SubspacesStruct(len(kinds), _data_pointer(men), _data_pointer(cumulative)),
            seed,
            _positions_struct(sampled),
        )
        return sampled

    def advance(
        self,
        games: GameBatch,
        examples: ExampleBatch,
        restarts: PositionBatch,
        seed: int,
        noise: float = 0.1,
        max_plies: int = 100,
        chosen: Array | None = None,
    ) -> GameBatch:
        size = len(games.positions)
        begins = self._prepare(restarts)
        after = GameBatch(self._no_positions(size), self._empty(size, "int32"))
        moves = None if chosen is None else chosen.to(self._torch.int32).contiguous()
        plies = _PliesStruct(
            _rows_struct(examples.children),
            _data_pointer(examples.value),
            _data_pointer(examples.children.value),
            None if moves is None else _data_pointer(moves),
            _data_pointer(games.plies),
            int(noise * _NOISE_SCALE),
            max_plies,
            _positions_struct(begins),
            len(begins),
            _positions_struct(after.positions),
            _data_pointer(after.plies),
        )
        self._run("advance", size, plies, seed)
        return after

    def to_columns(self, arrays: Sequence[NDArray[Any]]) -> list[Array]:
        return [self._torch.from_numpy(array).to(self._device) for array in arrays]

    def concatenate(self, arrays: Sequence[Array]) -> Array:
        return self._torch.cat(list(arrays))

    def random_permutation(self, count: int, seed: int) -> Array:
        generator = self._torch.Generator(self._device).manual_seed(seed % (1 << 63))
        return self._torch.randperm(count, generator=generator, device=self._device)

    def _run(self, name: str, size: int, *arguments: Any) -> None:
        if size == 0:
            return
        stream = self._torch.cuda.current_stream(self._device).cuda_stream
        by_address = (
            ctypes.byref(argument) if isinstance(argument, ctypes.Structure) else argument
            for argument in arguments
        )
        self._solver.call(name, stream, size, *by_address)

    def _empty(self, shape: int | tuple[int, ...], kind: str) -> Array:
        return self._torch.empty(shape, dtype=getattr(self._torch, kind), device=self._device)

    def _no_positions(self, *shape: int) -> PositionBatch:
        boards = (self._empty(shape, "int32") for _ in range(2))
        return PositionBatch(*boards, *(self._empty(shape, "uint8") for _ in range(2)))

    def _prepare(self, positions: PositionBatch) -> PositionBatch:
        """Return the columns for the kernels: correct dtypes, on the GPU, contiguous."""
        kinds = ("int32", "int32", "uint8", "uint8")
        columns = (
            column.to(self._device, getattr(self._torch, kind)).contiguous()
            for column, kind in zip(positions.position_columns, kinds, strict=True)
        )
        prepared = PositionBatch(*columns)
        if (
            len({tuple(column.shape) for column in prepared.columns}) != 1
            or prepared.own.dim() != 1
        ):
            raise ValueError("the columns of positions are not of one length")
        return prepared


# Structs of native/core/sampling, field by field.


class _PositionsStruct(ctypes.Structure):
    _fields_ = [(name, _POINTER) for name in ("own", "other", "own_hand", "other_hand")]


class _RowsStruct(ctypes.Structure):
    _fields_ = [
        ("length", _SIZE),
        ("count", _POINTER),
        ("child", _PositionsStruct),
        ("move", _POINTER),
    ]


class _SubspacesStruct(ctypes.Structure):
    _fields_ = [("size", _SIZE), ("men", _POINTER), ("cumulative", _POINTER)]


class _PliesStruct(ctypes.Structure):
    _fields_ = [
        ("rows", _RowsStruct),
        ("values", _POINTER),
        ("child_values", _POINTER),
        ("chosen", _POINTER),
        ("before", _POINTER),
        ("noise", ctypes.c_uint64),
        ("max_plies", _INT),
        ("restarts", _PositionsStruct),
        ("num_restarts", _SIZE),
        ("next", _PositionsStruct),
        ("after", _POINTER),
    ]


def _data_pointer(tensor: Array) -> int:
    """Return the address of a contiguous tensor's data."""
    assert tensor.is_contiguous()
    return int(tensor.data_ptr())


def _positions_struct(positions: PositionBatch) -> _PositionsStruct:
    return _PositionsStruct(*map(_data_pointer, positions.columns))


def _rows_struct(children: ChildBatch) -> _RowsStruct:
    length = children.value.shape[1]
    return _RowsStruct(
        length,
        _data_pointer(children.count),
        _positions_struct(children.positions),
        _data_pointer(children.move),
    )
