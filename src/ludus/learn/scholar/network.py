"""Networks in torch: encoding, grouping by expert, building, optimizer, and weights to a file."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from ludus.games.nine_mens_morris.batch import DRAW, LOST, PositionBatch
from ludus.games.nine_mens_morris.bitboards import Array
from ludus.learn.equivariant.group import Permutations
from ludus.learn.equivariant.muon import Muon
from ludus.learn.equivariant.network import EquivariantNetwork, KernelBasis
from ludus.learn.optimizer import EmaOptimizer
from ludus.learn.scholar.config import OptimizerName
from ludus.learn.scholar.cuda import encode_positions, has_feature_kernel
from ludus.learn.scholar.encoding import (
    FEATURE_PERMUTATIONS,
    NUM_EXPERTS,
    BoardMatrices,
    board_matrices,
    compute_features,
    expert_table,
    select_experts,
)
from ludus.learn.scholar.inference import LONG_GAME_LOG2, NUM_RESULTS, OUTPUT_NAMES
from ludus.learn.scholar.weights import ScholarWeights
from ludus.learn.weights import BadWeights

Arrays = dict[str, NDArray[Any]]
"""Weights of one network by name."""

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


def to_source_array(values: torch.Tensor) -> Array:
    """Convert a tensor to the array type of its source: numpy's, or a tensor on a GPU."""
    return values if values.is_cuda else values.numpy()


def _matrices_on(device: torch.device, dtype: torch.dtype) -> BoardMatrices:
    matrices = {}
    for name, values in vars(board_matrices()).items():
        given = torch.as_tensor(values, device=device)
        matrices[name] = given.to(dtype) if given.is_floating_point() else given.int()
    return BoardMatrices(**matrices)


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
    """Fit the rows to means of last units (positions, channels) and the oracle's values."""
    inputs = units.double()
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


def build_bank(
    experts: Sequence[Mapping[str, NDArray[Any]]],
    inputs: Permutations,
    outputs: Permutations | int,
    repeats: int,
) -> EquivariantNetwork:
    """Build a bank with the weights of experts of one size."""
    first = experts[0].get("first")
    if first is None or first.ndim != 2:
        raise BadWeights("an expert has no first layer")
    blocks = sum(name.endswith("layer1") for name in experts[0])
    network = EquivariantNetwork(inputs, outputs, len(first), blocks, len(experts), repeats=repeats)
    fill_bank(network, experts)
    return network.eval().requires_grad_(False)


def build_expert(weights: ScholarWeights, number: int) -> EquivariantNetwork:
    """Build one expert of a scorer in torch, with all outputs of the player's."""
    experts = [weights.expert_weights(number)]
    return build_bank(experts, FEATURE_PERMUTATIONS, len(OUTPUT_NAMES), weights.repeats[number])


def split_experts(bank: nn.Module) -> list[Arrays]:
    """Return the weights of each expert of a bank, group convolutions by group element."""
    assert isinstance(bank, EquivariantNetwork)
    named = {
        name: each.float().cpu().numpy() for name, each in bank.parameters_by_element().items()
    }
    number = len(named["first"])
    return [{name: values[expert] for name, values in named.items()} for expert in range(number)]


def fill_bank(bank: nn.Module, experts: Sequence[Mapping[str, NDArray[Any]]]) -> None:
    """Set the weights of a bank's experts; raise BadWeights if the shapes differ.

    The bank may have more blocks. Those are added behind the others; their output is 0 at first, so
    that the networks begin with the same predictions.
    """
    assert isinstance(bank, EquivariantNetwork)
    parameters = dict(bank.named_parameters())
    for name in experts[0]:
        if name not in parameters:
            raise BadWeights(f"these networks are larger: they have {name}")
    for name, parameter in parameters.items():
        if any(name not in expert for expert in experts):
            if name.startswith("blocks."):
                continue
            raise BadWeights(f"these networks have no {name}")
        values = np.stack([expert[name] for expert in experts])
        if values.shape != tuple(parameter.shape):
            raise BadWeights(f"these networks are of another size: {name} is {values.shape}")
        bank.load_by_element(name, torch.as_tensor(values).to(parameter.device))


def add_ply_outputs(expert: Mapping[str, NDArray[Any]], rows: PlyRegression) -> Arrays:
    """Append the outputs for the plies to the end to an expert's last layer."""
    weights, bias = (each.float().cpu().numpy() for each in rows)
    return {
        **expert,
        "last": np.concatenate([expert["last"], weights]),
        "last_bias": np.concatenate([expert["last_bias"], bias[None]], axis=1),
    }


def drop_ply_outputs(expert: Mapping[str, NDArray[Any]]) -> Arrays:
    """Remove the outputs for plies, which do not exist in training."""
    return {
        **expert,
        "last": expert["last"][:NUM_RESULTS],
        "last_bias": expert["last_bias"][:, :NUM_RESULTS],
    }


# Dead experts: networks whose last hidden units are zero everywhere. The output of such a network
# does not depend on the position, and no gradient reaches its layers, so it never learns again. It
# happens to a few of many small networks trained at a high rate.

MIN_ALIVE = 0.5
"""Proportion of positions with a positive unit below which a network counts as dead; it is 1 in
networks that learn."""


@torch.no_grad()
def find_dead_experts(network: EquivariantNetwork, features: torch.Tensor) -> list[int]:
    """Return the experts of a network that are dead on features, (experts, positions, features)."""
    units = network.last_units(features)
    alive = (units > 0).any(-1).float().mean(1)
    return (alive < MIN_ALIVE).nonzero()[:, 0].tolist()


def revive_experts(optimizer: EmaOptimizer, bank: int, dead: list[int]) -> list[tuple[int, int]]:
    """Replace dead experts of a bank by copies of their nearest neighbours that are alive.

    Returns pairs of dead expert and neighbour. If all are dead, the learning rate is too high for
    any of them, and nothing is done.
    """
    pairs = []
    models = [list(model.children())[bank] for model in (optimizer.model, optimizer.ema_model)]
    network = models[0]
    assert isinstance(network, EquivariantNetwork)
    number = len(network.first)
    alive = [expert for expert in range(number) if expert not in dead]
    for expert in dead if alive else []:
        nearest = min(alive, key=lambda other: abs(other - expert))
        for model in models:
            _copy_expert(model, nearest, expert)
        _copy_adam_state(optimizer, network, nearest, expert)
        pairs.append((expert, nearest))
    return pairs


@torch.no_grad()
def _copy_expert(network: nn.Module, source: int, target: int) -> None:
    for parameter in network.parameters():
        parameter[target] = parameter[source]


@torch.no_grad()
def _copy_adam_state(optimizer: EmaOptimizer, network: nn.Module, source: int, target: int) -> None:
    for parameter in network.parameters():
        for values in optimizer.adam.state.get(parameter, {}).values():
            if values.shape == parameter.shape:
                values[target] = values[source]
