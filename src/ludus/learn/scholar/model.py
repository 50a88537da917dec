"""Torch side of the networks: encoding, grouping by expert, selection of the best move."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

import torch
from torch import nn
from torch.nn import functional

from ludus.games.nine_mens_morris.batch import DRAW, LOST, PositionBatch
from ludus.learn.common.optimizer import EmaOptimizer
from ludus.learn.common.replay_buffer import Columns, ReplayBuffer
from ludus.learn.equivariant.group import GROUP_ORDER
from ludus.learn.equivariant.model import KernelBasis
from ludus.learn.equivariant.muon import Muon
from ludus.learn.scholar.encoding import (
    NUM_EXPERTS,
    BoardMatrices,
    board_matrices,
    compute_features,
    expert_table,
    select_experts,
)
from ludus.learn.scholar.examples import ExampleBatch, ExampleSource
from ludus.learn.scholar.feature_kernel import encode_positions, has_feature_kernel
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

    features: torch.Tensor
    """(chunks, length, features)"""


class TensorEncoder:
    """Board matrices and expert table on the device of the networks."""

    def __init__(self, device: torch.device, dtype: torch.dtype | None = None) -> None:
        """Encode as this type, by default bfloat16 on a GPU and single precision elsewhere."""
        on_gpu = device.type == "cuda"
        self.dtype = dtype or (torch.bfloat16 if on_gpu else torch.float32)
        self.chunk_length = 2048 if on_gpu else 64
        """Chunk length: long chunks keep a GPU busy, short ones need less padding."""

        self.board = _matrices_on(device, self.dtype)
        self.table = torch.as_tensor(expert_table(), device=device)

    def encode(self, positions: PositionBatch) -> torch.Tensor:
        """Encode (…) positions as (…, features)."""
        flat = positions.map(torch.flatten)
        if has_feature_kernel(flat.own.device):
            features = encode_positions(flat, self.dtype)
        else:
            features = torch.cat(compute_features(flat, self.board), dim=1)
        return features.view(*positions.own.shape, -1)

    def select_experts(self, positions: PositionBatch) -> torch.Tensor:
        """Return the expert number of each position."""
        numbers: torch.Tensor = select_experts(positions, self.table)
        return numbers

    def group_by_expert(
        self, positions: PositionBatch, banks: Sequence[range]
    ) -> Iterator[ExpertChunks]:
        """Split all positions into chunks, bank by bank of experts."""
        kinds = self.select_experts(positions)
        counts = torch.bincount(kinds, minlength=NUM_EXPERTS).tolist()
        by_expert = [
            self._pad(rows, len(kinds)) for rows in torch.split(torch.argsort(kinds), counts)
        ]
        for bank, experts in enumerate(banks):
            sizes = torch.tensor([len(by_expert[expert]) for expert in experts])
            numbers = torch.arange(len(experts)).repeat_interleave(sizes).to(kinds.device)
            rows = torch.cat([by_expert[expert] for expert in experts])
            for some, which in zip(
                torch.split(numbers, MAX_CHUNKS), torch.split(rows, MAX_CHUNKS), strict=True
            ):
                if len(which):
                    valid = which.clamp(max=len(kinds) - 1)
                    features = self.encode(positions[valid])
                    yield ExpertChunks(bank, some, which, features)

    def _pad(self, rows: torch.Tensor, padding: int) -> torch.Tensor:
        """Pad the rows of one expert and return them as (chunks, length)."""
        missing = -len(rows) % self.chunk_length
        return functional.pad(rows, (0, missing), value=padding).view(-1, self.chunk_length)


def as_tensor(array: Any) -> torch.Tensor:
    """Return an array or tensor as a tensor."""
    return torch.as_tensor(array)


def _matrices_on(device: torch.device, dtype: torch.dtype) -> BoardMatrices:
    matrices = {}
    for name, values in vars(board_matrices()).items():
        given = torch.as_tensor(values, device=device)
        matrices[name] = given.to(dtype) if given.is_floating_point() else given.int()
    return BoardMatrices(**matrices)


OptimizerName = Literal["adam", "muon"]
"""Adam for all weights, or Muon for those of the group convolutions; see `equivariant.muon`."""

KERNEL_BASES: dict[OptimizerName, KernelBasis] = {"adam": "group", "muon": "fourier"}
"""Basis of the weights of group convolutions in training."""


def build_optimizer(
    make_networks: Callable[[], nn.Module],
    ema_decay: float,
    device: torch.device,
    name: OptimizerName = "adam",
    weight_decay: float = 0.0,
) -> EmaOptimizer:
    """Build networks with random weights, their average and their optimizer.

    The decay of weights is for Muon.
    """
    model, ema_model = make_networks().to(device), make_networks().to(device)
    options: dict[str, Any] = {}
    if device.type == "cuda":
        # A whole step is captured as a CUDA graph; what changes from step to step is in tensors.
        options = {
            "lr": torch.zeros((), device=device),
            "fused": True,
            "capturable": True,
        }
    optimizer = (
        Muon(model, weight_decay=weight_decay, **options)
        if name == "muon"
        else torch.optim.Adam(model.parameters(), **options)
    )
    return EmaOptimizer(model, ema_model, optimizer, ema_decay, has_ema_warmup=True)


def make_replay_buffer(
    example_type: Callable[..., Columns],
    dtypes: Sequence[torch.dtype],
    capacity: int,
    device: torch.device,
    num_rings: int = NUM_EXPERTS,
) -> ReplayBuffer[Columns]:
    """Return an empty buffer with a ring of this capacity for each expert."""
    columns = (torch.zeros(num_rings * capacity, dtype=dtype, device=device) for dtype in dtypes)
    return ReplayBuffer(example_type(*columns), num_rings)


ScoreFunction = Callable[[PositionBatch], torch.Tensor]
"""Maps positions to their utility for the side that is not to move."""

WON_SCORE = 2.0
"""Score above all others: the move wins the game by the rules."""


@dataclass(frozen=True)
class Exam:
    """Critical positions with all their moves, to measure how often a scholar keeps the value."""

    examples: ExampleBatch

    @classmethod
    def from_positions(cls, source: ExampleSource, positions: PositionBatch) -> Self:
        """Make an exam of the critical ones among the positions."""
        examples = source.examples(positions)
        return cls(examples[examples.is_critical])

    def __len__(self) -> int:
        return len(self.examples)

    def is_kept(self, chosen: torch.Tensor) -> torch.Tensor:
        """Return where the moves with these indices keep the value."""
        return as_tensor(self.examples.keeps_value).gather(1, chosen[:, None])[:, 0]


def select_best_moves(examples: ExampleBatch, score: ScoreFunction) -> torch.Tensor:
    """Return the index of the move with the best score in each row."""
    children = examples.children
    is_move = as_tensor(children.is_move)
    scores = torch.full(is_move.shape, -WON_SCORE, device=is_move.device)
    scores[is_move] = score(children.positions.map(as_tensor)[is_move])
    scores[is_move & (as_tensor(children.value) == LOST)] = WON_SCORE
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
    inputs = units.reshape(len(units), GROUP_ORDER, -1).double().mean(1)
    one = torch.ones(len(inputs), 1, dtype=inputs.dtype, device=inputs.device)
    inputs = torch.cat([inputs, one], dim=1)
    is_decided = (values != DRAW) & (values != LOST)
    fits = []
    for is_win in (0, 1):
        which = is_decided & (values % 2 == is_win)
        fits.append(_fit_ridge(inputs[which], values[which].double().log2()))
    both = torch.stack(fits)
    return PlyRegression(both[:, :-1], both[:, -1])


def default_ply_regression(channels: int) -> PlyRegression:
    """Return the rows of an expert without examples: every game is long."""
    return PlyRegression(torch.zeros(2, channels), torch.full((2,), LONG_GAME_LOG2))


def _fit_ridge(inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Fit weights and a bias by ridge regression. With few examples they predict little more than
    the mean, with none a long game."""
    size = inputs.shape[1]
    products = inputs.T @ inputs
    penalty = torch.full((size,), 1.0, dtype=inputs.dtype, device=inputs.device)
    penalty[:-1] += RIDGE_PENALTY * products.trace() / size
    mean = targets.mean() if len(targets) else torch.full_like(penalty[-1], LONG_GAME_LOG2)
    solution: torch.Tensor = torch.linalg.solve(
        products + penalty.diag(), inputs.T @ (targets - mean)
    )
    solution[-1] += mean
    return solution
