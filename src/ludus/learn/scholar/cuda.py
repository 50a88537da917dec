"""A GPU's own examples, from the solved game in its memory, and its kernel of features.

`examples` and `encoding` compute the same in numpy.
"""

import ctypes
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ludus.cuda import CudaUnavailable, load_optional_library
from ludus.games.nine_mens_morris.batch import MAX_MOVES, ChildBatch, PositionBatch
from ludus.games.nine_mens_morris.bitboards import Array
from ludus.games.nine_mens_morris.board import NUM_POINTS, mills, neighbours
from ludus.games.nine_mens_morris.rules import Rules
from ludus.learn.scholar.encoding import NUM_FEATURES, board_matrices
from ludus.learn.scholar.examples import (
    NOISE_SCALE,
    ExampleBatch,
    ExampleSource,
    GamePositions,
    prepare_subspace_weights,
)
from ludus.oracles.morris.cuda_solver import CudaSolver
from ludus.oracles.morris.sectors import Sector, Subspace, all_sectors, sides_to_move, subspace_of

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
        self.rules = solver.rules
        self.subspaces = sorted(
            subspace_of(sector, x_to_move)
            for sector in all_sectors(self.rules)
            if solver.has(sector)
            for x_to_move in sides_to_move(self.rules, sector)
        )
        self._solver = solver
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
            SubspacesStruct(len(kinds), _data_pointer(men), _data_pointer(cumulative)),
            seed,
            _positions_struct(sampled),
        )
        return sampled

    def advance(
        self,
        games: GamePositions,
        examples: ExampleBatch,
        restarts: PositionBatch,
        seed: int,
        noise: float = 0.1,
        max_plies: int = 100,
        chosen: Array | None = None,
    ) -> GamePositions:
        size = len(games.positions)
        begins = self._prepare(restarts)
        after = GamePositions(self._no_positions(size), self._empty(size, "int32"))
        moves = None if chosen is None else chosen.to(torch.int32).contiguous()
        plies = PliesStruct(
            _rows_struct(examples.children),
            _data_pointer(examples.value),
            _data_pointer(examples.children.value),
            None if moves is None else _data_pointer(moves),
            _data_pointer(games.plies),
            int(noise * NOISE_SCALE),
            max_plies,
            _positions_struct(begins),
            len(begins),
            _positions_struct(after.positions),
            _data_pointer(after.plies),
        )
        self._run("advance", size, plies, seed)
        return after

    def to_columns(self, arrays: Sequence[NDArray[Any]]) -> list[Array]:
        return [torch.from_numpy(array).to(self._device) for array in arrays]

    def concatenate(self, arrays: Sequence[Array]) -> Array:
        return torch.cat(list(arrays))

    def random_permutation(self, count: int, seed: int) -> Array:
        generator = torch.Generator(self._device).manual_seed(seed % (1 << 63))
        return torch.randperm(count, generator=generator, device=self._device)

    def _run(self, name: str, size: int, *arguments: Any) -> None:
        if size == 0:
            return
        stream = torch.cuda.current_stream(self._device).cuda_stream
        by_address = (
            ctypes.byref(argument) if isinstance(argument, ctypes.Structure) else argument
            for argument in arguments
        )
        self._solver.call(name, stream, size, *by_address)

    def _empty(self, shape: int | tuple[int, ...], kind: str) -> Array:
        return torch.empty(shape, dtype=getattr(torch, kind), device=self._device)

    def _no_positions(self, *shape: int) -> PositionBatch:
        boards = (self._empty(shape, "int32") for _ in range(2))
        return PositionBatch(*boards, *(self._empty(shape, "uint8") for _ in range(2)))

    def _prepare(self, positions: PositionBatch) -> PositionBatch:
        """Return the columns for the kernels: correct dtypes, on the GPU, contiguous."""
        kinds = ("int32", "int32", "uint8", "uint8")
        columns = (
            column.to(self._device, getattr(torch, kind)).contiguous()
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


class PositionsStruct(ctypes.Structure):
    _fields_ = [(name, _POINTER) for name in ("own", "other", "own_hand", "other_hand")]


class RowsStruct(ctypes.Structure):
    _fields_ = [
        ("length", _SIZE),
        ("count", _POINTER),
        ("child", PositionsStruct),
        ("move", _POINTER),
    ]


class SubspacesStruct(ctypes.Structure):
    _fields_ = [("size", _SIZE), ("men", _POINTER), ("cumulative", _POINTER)]


class PliesStruct(ctypes.Structure):
    _fields_ = [
        ("rows", RowsStruct),
        ("values", _POINTER),
        ("child_values", _POINTER),
        ("chosen", _POINTER),
        ("before", _POINTER),
        ("noise", ctypes.c_uint64),
        ("max_plies", _INT),
        ("restarts", PositionsStruct),
        ("num_restarts", _SIZE),
        ("next", PositionsStruct),
        ("after", _POINTER),
    ]


def _data_pointer(tensor: Array) -> int:
    """Return the address of a contiguous tensor's data."""
    assert tensor.is_contiguous()
    return int(tensor.data_ptr())


def _positions_struct(positions: PositionBatch) -> PositionsStruct:
    return PositionsStruct(*map(_data_pointer, positions.columns))


def _rows_struct(children: ChildBatch) -> RowsStruct:
    length = children.value.shape[1]
    return RowsStruct(
        length,
        _data_pointer(children.count),
        _positions_struct(children.positions),
        _data_pointer(children.move),
    )


LINES_PER_POINT = 2
COLUMN_TYPES = (torch.int32, torch.int32, torch.uint8, torch.uint8)
"""Types of the columns of positions: men of both sides, men in hand of both sides."""


class _Board(ctypes.Structure):
    _fields_ = (
        ("lines", ctypes.c_uint * 16),
        ("partners", ctypes.c_uint * LINES_PER_POINT * NUM_POINTS),
        ("adjacent", ctypes.c_uint * LINES_PER_POINT * NUM_POINTS),
        ("neighbours", ctypes.c_uint * NUM_POINTS),
        ("states", ctypes.c_int * 16),
    )


class _Shape(ctypes.Structure):
    _fields_ = (("positions", ctypes.c_int), ("is_single", ctypes.c_int))


def has_feature_kernel(device: torch.device) -> bool:
    """Return whether the kernel can run on this device."""
    return device.type == "cuda" and _load_library() is not None


def encode_positions(positions: PositionBatch, dtype: torch.dtype) -> torch.Tensor:
    """Encode positions, tensors of one dimension, as (positions, NUM_FEATURES)."""
    columns = [
        column.to(kind).contiguous()
        for column, kind in zip(positions.position_columns, COLUMN_TYPES, strict=True)
    ]
    features = torch.empty(len(columns[0]), NUM_FEATURES, dtype=dtype, device=columns[0].device)
    shape = _Shape(len(features), dtype == torch.float32)
    stream = torch.cuda.current_stream(features.device).cuda_stream
    pointers = (ctypes.c_void_p(each.data_ptr()) for each in (*columns, features))
    number = _load_library().ludus_scholar_encode(
        ctypes.byref(_board()), ctypes.byref(shape), ctypes.c_void_p(stream), *pointers
    )
    if number:
        raise CudaUnavailable(f"the kernel of features failed with CUDA's error {number}")
    return features


_load_library = partial(load_optional_library, "scholar_features")


@cache
def _board() -> _Board:
    board = _Board()
    lines, near = mills(diagonals=False), neighbours(diagonals=False)
    for number, line in enumerate(lines):
        board.lines[number] = _as_bits(line)
    for point in range(NUM_POINTS):
        board.neighbours[point] = _as_bits(near[point])
        for number, line in enumerate(each for each in lines if point in each):
            board.partners[point][number] = _as_bits(set(line) - {point})
            board.adjacent[point][number] = _as_bits(set(near[point]) - set(line))
    for state, code in enumerate(board_matrices().states):
        board.states[state] = int(np.argmax(code)) if code.any() else -1
    return board


def _as_bits(points: Any) -> int:
    return sum(1 << point for point in points)
