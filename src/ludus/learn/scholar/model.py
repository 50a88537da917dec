"""Torch side of the networks: encoding, grouping by expert, selection of the best move."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import torch
from torch.nn import functional

from ludus.learn.equivariant.group import GROUP_ORDER
from ludus.learn.scholar.encoding import (
    NUM_EXPERTS,
    BoardMatrices,
    board_matrices,
    compute_features,
    expert_table,
    select_experts,
)
from ludus.learn.scholar.examples import DRAW, ExampleBatch, ExampleSource, PositionBatch
from ludus.learn.scholar.inference import LONG_GAME_LOG2

MAX_CHUNKS = 256
"""Maximum number of chunks evaluated together."""


class ExpertChunks(NamedTuple):
    """Positions in chunks of equal length, each chunk for one expert."""

    bank: int
    """Index of the bank of experts."""

    experts: torch.Tensor
    """(chunks,): expert numbers within the bank."""

    rows: torch.Tensor
    """(chunks, length): position indices; padding has the index after the last position."""

    things: torch.Tensor
    """(chunks, length, features)"""


class TensorEncoder:
    """Board matrices and expert table on the device of the networks."""

    def __init__(self, device: torch.device) -> None:
        on_gpu = device.type == "cuda"
        self.kind = torch.bfloat16 if on_gpu else torch.float32
        self.length = 2048 if on_gpu else 64
        """Chunk length: long chunks keep a GPU busy, short ones need less padding."""

        self.board = _matrices_on(device, self.kind)
        self.table = torch.as_tensor(expert_table(), device=device)

    def columns(self, positions: Sequence[torch.Tensor]) -> torch.Tensor:
        """Encode (…) positions, given column by column, as (…, features)."""
        shape = positions[0].shape
        own, other, own_hand, other_hand = (column.flatten() for column in positions)
        things = torch.cat(compute_features(own, other, own_hand, other_hand, self.board), dim=1)
        return things.view(*shape, -1)

    def experts(self, positions: Sequence[torch.Tensor]) -> torch.Tensor:
        """Return the expert number of each position."""
        own, other, own_hand, other_hand = positions
        men = count_men(own), count_men(other)
        numbers: torch.Tensor = select_experts(own_hand.long(), other_hand.long(), *men, self.table)
        return numbers

    def parts(
        self, positions: Sequence[torch.Tensor], banks: Sequence[range]
    ) -> Iterator[ExpertChunks]:
        """Split all positions into chunks, bank by bank of experts."""
        kinds = self.experts(positions)
        counts = torch.bincount(kinds, minlength=NUM_EXPERTS).tolist()
        by_expert = [
            self._filled(rows, len(kinds)) for rows in torch.split(torch.argsort(kinds), counts)
        ]
        for bank, mine in enumerate(banks):
            sizes = torch.tensor([len(by_expert[expert]) for expert in mine])
            numbers = torch.arange(len(mine)).repeat_interleave(sizes).to(kinds.device)
            rows = torch.cat([by_expert[expert] for expert in mine])
            for some, which in zip(
                torch.split(numbers, MAX_CHUNKS), torch.split(rows, MAX_CHUNKS), strict=True
            ):
                if len(which):
                    seen = which.clamp(max=len(kinds) - 1)
                    things = self.columns([column[seen] for column in positions])
                    yield ExpertChunks(bank, some, which, things)

    def _filled(self, rows: torch.Tensor, filling: int) -> torch.Tensor:
        """Pad the rows of one expert and return them as (chunks, length)."""
        missing = -len(rows) % self.length
        return functional.pad(rows, (0, missing), value=filling).view(-1, self.length)


def as_tensor(array: Any) -> torch.Tensor:
    """Return an array or tensor as a tensor."""
    return torch.as_tensor(array)


def as_tensors(columns: Sequence[Any]) -> list[torch.Tensor]:
    return [as_tensor(column) for column in columns]


def count_men(boards: torch.Tensor) -> torch.Tensor:
    """Count the men on bitboards of 24 points."""
    bits = torch.arange(24, device=boards.device, dtype=boards.dtype)
    return ((boards[..., None] >> bits) & 1).sum(-1)


def _matrices_on(device: torch.device, kind: torch.dtype) -> BoardMatrices:
    made = {}
    for name, values in vars(board_matrices()).items():
        given = torch.as_tensor(values, device=device)
        made[name] = given.to(kind) if given.is_floating_point() else given.int()
    return BoardMatrices(**made)


ScoreFunction = Callable[[list[torch.Tensor]], torch.Tensor]
"""Maps positions, column by column, to their utility for the side that is not to move."""

LOST_VALUE = 0
"""Value of a position whose mover has lost."""

WON_SCORE = 2.0
"""Score above all others: the move wins the game by the rules."""


@dataclass(frozen=True)
class Exam:
    """Critical positions with all their moves, to measure how often a scholar keeps the value."""

    found: ExampleBatch

    @classmethod
    def of(cls, source: ExampleSource, positions: PositionBatch) -> Self:
        """Make an exam of the critical ones among the positions."""
        found = source.examples(positions)
        return cls(found[found.is_critical])

    def __len__(self) -> int:
        return len(self.found)

    def is_kept(self, chosen: torch.Tensor) -> torch.Tensor:
        """Return where the moves with these indices keep the value."""
        return as_tensor(self.found.keeps).gather(1, chosen[:, None])[:, 0]


def select_best_moves(found: ExampleBatch, score: ScoreFunction) -> torch.Tensor:
    """Return the index of the move with the best score in each row."""
    children = found.children
    is_move = as_tensor(children.is_move)
    scores = torch.full(is_move.shape, -WON_SCORE, device=is_move.device)
    scores[is_move] = score([column[is_move] for column in as_tensors(children.positions.columns)])
    scores[is_move & (as_tensor(children.value) == LOST_VALUE)] = WON_SCORE
    return scores.argmax(1)


RIDGE_PENALTY = 1e-3
"""Ridge penalty, relative to the mean of the Gram matrix diagonal."""


class PlyRegression(NamedTuple):
    """Two further rows of an expert's last layer, which predict log2 of the plies to the end.

    Row 0 is for a loss and row 1 for a win of the mover. The last units that separate results also
    hold much of how soon they come, so the rows are fitted by least squares and need no training.
    """

    weights: torch.Tensor
    """(2, channels)"""

    bias: torch.Tensor
    """(2,)"""


def fit_ply_regression(units: torch.Tensor, values: torch.Tensor) -> PlyRegression:
    """Fit the rows to last units (positions, 16 * channels) and the oracle's values."""
    seen = units.reshape(len(units), GROUP_ORDER, -1).double().mean(1)
    one = torch.ones(len(seen), 1, dtype=seen.dtype, device=seen.device)
    seen = torch.cat([seen, one], dim=1)
    is_decided = (values != DRAW) & (values != LOST_VALUE)
    found = []
    for is_win in (0, 1):
        which = is_decided & (values % 2 == is_win)
        found.append(_fit_ridge(seen[which], values[which].double().log2()))
    both = torch.stack(found)
    return PlyRegression(both[:, :-1], both[:, -1])


def default_ply_regression(channels: int) -> PlyRegression:
    """Return the rows of an expert without examples: every game is long."""
    return PlyRegression(torch.zeros(2, channels), torch.full((2,), LONG_GAME_LOG2))


def _fit_ridge(seen: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """Fit weights and a bias by ridge regression. With few examples they predict little more than
    the mean, with none a long game."""
    size = seen.shape[1]
    products = seen.T @ seen
    less = torch.full((size,), 1.0, dtype=seen.dtype, device=seen.device)
    less[:-1] += RIDGE_PENALTY * products.trace() / size
    mean = wanted.mean() if len(wanted) else torch.full_like(less[-1], LONG_GAME_LOG2)
    found: torch.Tensor = torch.linalg.solve(products + less.diag(), seen.T @ (wanted - mean))
    found[-1] += mean
    return found
