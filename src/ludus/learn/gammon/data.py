"""Training data: scored moves, and alternatives that a program with several networks labelled."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import LudusError, quote
from ludus.core.executors import TaskExecutor
from ludus.core.extras import require_package
from ludus.core.files import make_folder, read_text
from ludus.datasets.backgammon import scored_positions
from ludus.datasets.backgammon.scored_positions import ScoredPosition
from ludus.learn.gammon.config import GROUP
from ludus.learn.gammon.encoding import EncodedMoves, MoveEncoding, encode_positions
from ludus.learn.gammon.network import NUM_CHANCES
from ludus.learn.weights import BadWeights, compute_checksum, read_npz, write_npz

DATA_FOLDER: Final = Path(scored_positions.__file__).with_name("data")

CHUNK = 20_000
"""Boards of a task of labelling."""

GROUPS_PER_FILE = 50_000

Labels = NDArray[np.float32]
"""Chances of the side that has just moved, shape (…, 5)."""

LabelledGroups = tuple[NDArray[np.int8], Labels]
"""Alternatives of decisions and their labels, shapes (groups, 4, 52) and (groups, 4, 5)."""


def read_scored_positions(path: Path) -> tuple[ScoredPosition, ...]:
    """Read the scored positions of a file; one without any is refused."""
    text = read_text(path)
    try:
        found = tuple(scored_positions.parse_scored_positions(text))
    except LudusError as error:
        raise type(error)(f"{quote(str(path), 200)}, {error}") from error
    if not found:
        raise LudusError(f"{quote(str(path), 200)} has no position")
    return found


@cache
def load_training_positions() -> tuple[ScoredPosition, ...]:
    """Return the 3202 positions of the training set."""
    return read_scored_positions(DATA_FOLDER / "train.txt")


@cache
def load_test_positions() -> tuple[ScoredPosition, ...]:
    """Return the 1000 positions of the test set."""
    return read_scored_positions(DATA_FOLDER / "test.txt")


@dataclass(frozen=True)
class ScoredMoves:
    """Scored positions in one encoding."""

    encoded_moves: EncodedMoves
    """Every legal move of every position, in the order of `legal_moves`."""

    move_offsets: NDArray[np.int64]
    """Offsets of each position's moves, shape (positions + 1,)."""

    scores: NDArray[np.float32]
    """The expert's score of each move from -100 to 100; NaN for uncommented moves."""

    is_double: NDArray[np.bool_]
    """Whether the roll is a double, by position."""

    @classmethod
    def from_positions(cls, scored: Sequence[ScoredPosition], encoding: MoveEncoding) -> Self:
        """Encode scored positions."""
        move_offsets, encoded_moves = encode_positions([item.position for item in scored], encoding)
        is_double = np.array([len({*(item.position.dice or ())}) == 1 for item in scored], np.bool_)
        scores = np.full(len(encoded_moves), np.nan, np.float32)
        for item, begin in zip(scored, move_offsets[:-1], strict=True):
            legal = {move: number for number, move in enumerate(item.position.legal_moves())}
            for move, score in item.scores.items():
                scores[begin + legal[move]] = score
        return cls(encoded_moves, move_offsets, scores, is_double)

    def __len__(self) -> int:
        return len(self.move_offsets) - 1

    def checksum(self) -> str:
        """Return a fingerprint of the positions with their scores."""
        moves = vars(self.encoded_moves)
        return compute_checksum(
            {}, {"positions": self.move_offsets, "scores": self.scores, **moves}
        )

    @cached_property
    def position_of_move(self) -> NDArray[np.int64]:
        """The position number of each move."""
        return np.repeat(np.arange(len(self)), np.diff(self.move_offsets))

    @cached_property
    def is_best(self) -> NDArray[np.bool_]:
        """Mask of the moves that the expert would play."""
        filled = np.nan_to_num(self.scores, nan=-np.inf)
        best = np.maximum.reduceat(filled, self.move_offsets[:-1])
        is_best: NDArray[np.bool_] = filled == best[self.position_of_move]
        return is_best

    def compute_accuracy(self, outputs: NDArray[np.float32]) -> float:
        """Return the proportion of positions where the highest output is on the expert's move."""
        highest = np.maximum.reduceat(outputs, self.move_offsets[:-1])
        is_chosen = outputs == highest[self.position_of_move]
        # Of several moves with the highest output the first is played.
        first = np.unique(self.position_of_move[is_chosen], return_index=True)[1]
        return float(self.is_best[np.flatnonzero(is_chosen)[first]].mean())


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
