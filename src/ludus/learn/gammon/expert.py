"""Labels of boards by bgsage, a program with several networks; files of labelled positions."""

from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import quote
from ludus.core.executors import TaskExecutor
from ludus.core.extras import require_package
from ludus.core.files import make_folder
from ludus.learn.gammon.config import GROUP
from ludus.learn.gammon.network import NUM_CHANCES
from ludus.learn.weights import BadWeights, read_npz, write_npz

CHUNK = 20_000
GROUPS_PER_FILE = 50_000

Labels = NDArray[np.float32]
"""Chances of the side that has just moved, shape (…, 5)."""

LabelledGroups = tuple[NDArray[np.int8], Labels]
"""Alternatives of decisions and their labels, shapes (groups, 4, 52) and (groups, 4, 5)."""


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


class LabelFolder:
    """A folder of alternatives with an expert's labels, 50,000 decisions a file."""

    def __init__(self, folder: Path, count: int) -> None:
        """Make the folder for `count` decisions, unless it is there."""
        make_folder(folder)
        self._folder, self._count = folder, count
        self.num_files = (count + GROUPS_PER_FILE - 1) // GROUPS_PER_FILE

    def file(self, number: int) -> Path:
        """Return a file by its number."""
        return self._folder / f"groups-{number:05}.npz"

    def size(self, number: int) -> int:
        """Return the number of decisions of a file."""
        return min(GROUPS_PER_FILE, self._count - number * GROUPS_PER_FILE)

    def write(self, number: int, groups: NDArray[np.int8], labels: Labels) -> None:
        """Write a file."""
        write_npz(self.file(number), {"groups": groups, "labels": labels})

    def read(self) -> LabelledGroups:
        """Return the contents of all files."""
        parts = [read_npz(self.file(number), _parse_groups) for number in range(self.num_files)]
        groups, labels = (np.concatenate(part)[: self._count] for part in zip(*parts, strict=True))
        return groups, labels


def _parse_groups(arrays: dict[str, NDArray[Any]]) -> LabelledGroups:
    groups, labels = arrays["groups"], arrays["labels"]
    fits = groups.shape[1:] == (GROUP, 52) and labels.shape == (len(groups), GROUP, NUM_CHANCES)
    if not fits or groups.dtype != np.int8 or not np.isfinite(labels).all():
        raise BadWeights(f"it has no groups and labels but {quote(str(groups.shape))}")
    return groups, labels.astype(np.float32)
