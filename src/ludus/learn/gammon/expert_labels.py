"""Labels of boards by bgsage, a program with several networks, in parallel processes."""

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.core.executors import TaskExecutor
from ludus.core.extras import require_package

NUM_CHANCES = 5
CHUNK = 20_000

Labels = NDArray[np.float32]
"""Chances of the side that has just moved, shape (boards, 5)."""


@cache
def _load_strategy(plies: int) -> tuple[Any, Any]:
    native = require_package("bgbot_cpp", "labelling positions")
    weights = require_package("bgsage.weights", "labelling positions")
    chosen = weights.default_weights()
    paths, hidden = chosen.weight_args
    if plies == 0:
        return native, native.create_strategy(chosen.strategy_type, paths, hidden)
    # bgsage counts the network alone as one ply.
    return native, native.create_multipy(
        chosen.strategy_type, paths, hidden, n_plies=plies + 1, parallel_evaluate=False
    )


def convert_boards(rows: NDArray[np.int8]) -> list[list[int]]:
    """Return boards as bgsage has them: the mover's men positive, both bars nonnegative."""
    men = rows[:, :26].astype(np.int64) - rows[:, 26:]
    men[:, 0], men[:, 25] = rows[:, 26], rows[:, 25]
    boards: list[list[int]] = men.tolist()
    return boards


def label_boards(rows: NDArray[np.int8], plies: int = 0) -> Labels:
    """Return the chances of boards after moves, shape (boards, 5), by bgsage on one thread."""
    native, strategy = _load_strategy(plies)
    centered = native.CubeOwner.CENTERED
    found = native.batch_evaluate_post_move(
        [(board, centered) for board in convert_boards(rows)], strategy, 1, jacoby=False
    )
    return np.array([each["probs"] for each in found], np.float32).reshape(-1, NUM_CHANCES)


def label_in_parallel(
    rows: NDArray[np.int8], executor: TaskExecutor, plies: int = 0, chunk: int = CHUNK
) -> Iterator[Labels]:
    """Yield the labels of consecutive chunks of boards."""
    parts = [rows[begin : begin + chunk] for begin in range(0, len(rows), chunk)]
    return executor.map(partial(label_boards, plies=plies), parts)
