"""Features of positions by one CUDA kernel (native/cuda/scholar_features.cu) instead of dozens of
array operations; `encoding.compute_features` computes the same."""

import ctypes
from functools import cache, partial
from typing import Any

import numpy as np
import torch

from ludus.cuda import CudaUnavailable, load_optional_library
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.games.nine_mens_morris.board import NUM_POINTS, mills, neighbours
from ludus.learn.scholar.encoding import NUM_FEATURES, board_matrices

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
