"""Examples from a game whose tables lie in the memory of a GPU; nothing leaves it."""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

from ludus.games.nine_mens_morris.rules import Rules
from ludus.learn.scholar.examples import (
    MAX_MOVES,
    Array,
    Children,
    Examples,
    ExampleSource,
    Games,
    Positions,
    shares,
)
from ludus.oracle.cuda import CudaSolver
from ludus.oracle.sectors import Sector, Subspace, all_sectors, halves, subspace

_POINTER, _SIZE, _INT = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int32
_TWO_TO_32 = 1 << 32


def solve_in_memory(rules: Rules, show: Callable[[Sector], None] | None = None) -> CudaSolver:
    """The whole game solved on the GPU, with all its tables kept there: 25.5 GiB for `standard`.

    On the way it takes about 15 GiB more. `show` is told of each sector before it is solved.
    """
    solver = CudaSolver(rules)
    for sector in all_sectors(rules):
        if show is not None:
            show(sector)
        solver.solve(sector)
    solver.release_work()
    return solver


class CudaExamples(ExampleSource):
    """Columns are torch tensors on the GPU; work is queued on the current stream."""

    def __init__(self, solver: CudaSolver) -> None:
        import torch

        self.rules = solver.rules
        self.subspaces = sorted(
            subspace(sector, x_to_move)
            for sector in all_sectors(self.rules)
            if solver.has(sector)
            for x_to_move in halves(self.rules, sector)
        )
        self._solver = solver
        self._torch = torch
        self._device = torch.device("cuda", 0)

    def label(self, positions: Positions) -> Array:
        given = self._checked(positions)
        values = self._empty(len(given), "uint8")
        self._run("label", len(given), _positions(given), _at(values))
        return values

    def children(self, positions: Positions, max_moves: int = MAX_MOVES, seed: int = 0) -> Children:
        given = self._checked(positions)
        size = len(given)
        children = Children(
            self._empty(size, "int32"),
            self._no_positions(size, max_moves),
            self._empty((size, max_moves), "uint8"),
            self._empty((size, max_moves), "int32"),
        )
        self._run("children", size, _positions(given), seed, _rows(children), _at(children.value))
        return children

    def draw(
        self,
        count: int,
        seed: int,
        subspaces: Sequence[Subspace] | None = None,
        weights: Sequence[float] | None = None,
    ) -> Positions:
        kinds, cumulative = shares(self.subspaces if subspaces is None else subspaces, weights)
        # Torch knows little of uint32; the bits are the same.
        men, upto = self.columns([kinds, cumulative.view("int32")])
        drawn = self._no_positions(count)
        self._run("draw", count, _Kinds(len(kinds), _at(men), _at(upto)), seed, _positions(drawn))
        return drawn

    def advance(
        self,
        games: Games,
        examples: Examples,
        restarts: Positions,
        seed: int,
        noise: float = 0.1,
        max_plies: int = 100,
        chosen: Array | None = None,
    ) -> Games:
        size = len(games.positions)
        begins = self._checked(restarts)
        after = Games(self._no_positions(size), self._empty(size, "int32"))
        moves = None if chosen is None else chosen.to(self._torch.int32).contiguous()
        plies = _Plies(
            _rows(examples.children),
            _at(examples.value),
            _at(examples.children.value),
            None if moves is None else _at(moves),
            _at(games.plies),
            int(noise * _TWO_TO_32),
            max_plies,
            _positions(begins),
            len(begins),
            _positions(after.positions),
            _at(after.plies),
        )
        self._run("advance", size, plies, seed)
        return after

    def columns(self, arrays: Sequence[NDArray[Any]]) -> list[Array]:
        return [self._torch.from_numpy(array).to(self._device) for array in arrays]

    def joined(self, arrays: Sequence[Array]) -> Array:
        return self._torch.cat(list(arrays))

    def order(self, count: int, seed: int) -> Array:
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
        self._solver.run(name, stream, size, *by_address)

    def _empty(self, shape: int | tuple[int, ...], kind: str) -> Array:
        return self._torch.empty(shape, dtype=getattr(self._torch, kind), device=self._device)

    def _no_positions(self, *shape: int) -> Positions:
        boards = (self._empty(shape, "int32") for _ in range(2))
        return Positions(*boards, *(self._empty(shape, "uint8") for _ in range(2)))

    def _checked(self, positions: Positions) -> Positions:
        """The columns as the kernels read them: of the right kinds, on the GPU, without gaps."""
        kinds = ("int32", "int32", "uint8", "uint8")
        columns = (
            column.to(self._device, getattr(self._torch, kind)).contiguous()
            for column, kind in zip(positions.columns, kinds, strict=True)
        )
        checked = Positions(*columns)
        if len({tuple(column.shape) for column in checked.columns}) != 1 or checked.own.dim() != 1:
            raise ValueError("the columns of positions are not of one length")
        return checked


# The structs of native/core/sampling, field by field.


class _Positions(ctypes.Structure):
    _fields_ = [(name, _POINTER) for name in ("own", "other", "own_hand", "other_hand")]


class _Rows(ctypes.Structure):
    _fields_ = [
        ("length", _SIZE),
        ("count", _POINTER),
        ("child", _Positions),
        ("move", _POINTER),
    ]


class _Kinds(ctypes.Structure):
    _fields_ = [("size", _SIZE), ("men", _POINTER), ("cumulative", _POINTER)]


class _Plies(ctypes.Structure):
    _fields_ = [
        ("rows", _Rows),
        ("values", _POINTER),
        ("child_values", _POINTER),
        ("chosen", _POINTER),
        ("before", _POINTER),
        ("noise", ctypes.c_uint64),
        ("max_plies", _INT),
        ("restarts", _Positions),
        ("num_restarts", _SIZE),
        ("next", _Positions),
        ("after", _POINTER),
    ]


def _at(tensor: Array) -> int:
    """Where a tensor's data begin."""
    assert tensor.is_contiguous()
    return int(tensor.data_ptr())


def _positions(positions: Positions) -> _Positions:
    return _Positions(*map(_at, positions.columns))


def _rows(children: Children) -> _Rows:
    length = children.value.shape[1]
    return _Rows(length, _at(children.count), _positions(children.positions), _at(children.move))
