"""The scholar's scorer and chain as torch modules for export, each with all of its experts."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from ludus.games.nine_mens_morris.batch import NO_POINT
from ludus.learn.equivariant.group import CHOICE_PERMUTATIONS, Permutations
from ludus.learn.equivariant.network import EquivariantNetwork
from ludus.learn.onnx_export import INT64, ExportableNetwork, TensorInfo
from ludus.learn.scholar.encoding import (
    FEATURE_PERMUTATIONS,
    NUM_COUNTS,
    NUM_EXPERTS,
    NUM_FEATURES,
    expert_table,
)
from ludus.learn.scholar.inference import (
    CHAIN_INPUT_PERMUTATIONS,
    MOVE_PARTS,
    NUM_RESULTS,
    OUTPUT_NAMES,
    select_part_weights,
    select_precision,
)
from ludus.learn.scholar.network import build_bank
from ludus.learn.scholar.weights import SCORER, ScholarWeights

NUM_CHOICES = NO_POINT + 1
"""Points, and none."""

Experts = Sequence[Mapping[str, NDArray[Any]]]


class ExpertBank(nn.Module):
    """Experts of one size and precision; each row is evaluated by its own.

    Rows are put into chunks of one expert each, as long as the mean number of rows of an expert
    that has any. So there are at most twice as many chunks as such experts, and no more padding
    than rows.
    """

    def __init__(self, network: EquivariantNetwork, num_logits: int) -> None:
        super().__init__()
        self.network = network
        self.num_experts = len(network.first)
        self.num_logits = num_logits

    def forward(self, rows: torch.Tensor, experts: torch.Tensor) -> torch.Tensor:
        number = rows.shape[0]
        is_own = (experts[:, None] == torch.arange(self.num_experts)).long()
        counts = is_own.sum(0)
        num_present = (counts > 0).sum().clamp(min=1)
        length = ((number + num_present - 1) // num_present).clamp(min=1)
        num_chunks = (counts + length - 1) // length
        ends = num_chunks.cumsum(0)
        rank = is_own.cumsum(0).gather(1, experts[:, None])[:, 0] - 1
        places = (ends - num_chunks)[experts] * length + rank
        chunks: Any = num_chunks.sum().item()
        size: Any = length.item()
        expert_of_chunk = (torch.arange(chunks)[:, None] >= ends).sum(1)
        padded = rows.new_zeros(chunks * size, rows.shape[1]).index_copy(0, places, rows)
        dtype = self.network.first.dtype
        inputs = padded.view(chunks, size, rows.shape[1]).to(dtype)
        outputs = self.network.forward_experts(expert_of_chunk, inputs).flatten(0, 1)[places]
        if dtype == rows.dtype:
            return outputs
        # Logits are rounded relative to the largest: large ones would lose their differences.
        logits, others = outputs[:, : self.num_logits], outputs[:, self.num_logits :]
        return torch.cat([logits - logits.amax(1, keepdim=True), others], 1).to(rows.dtype)


class RoutedExperts(nn.Module):
    """The networks of all experts; the first `num_logits` outputs are logits of one choice."""

    bank_of_expert: torch.Tensor
    place_in_bank: torch.Tensor

    def __init__(
        self,
        experts: Experts,
        repeats: Sequence[int],
        inputs: Permutations,
        outputs: Permutations | int,
        num_logits: int,
    ) -> None:
        super().__init__()
        members: dict[Any, list[int]] = {}
        for kind, tensors in enumerate(experts):
            shapes = tuple(sorted((name, values.shape) for name, values in tensors.items()))
            members.setdefault((select_precision(kind), repeats[kind], shapes), []).append(kind)
        self.banks = nn.ModuleList()
        bank_of_expert = torch.zeros(NUM_EXPERTS, dtype=torch.int64)
        place_in_bank = torch.zeros(NUM_EXPERTS, dtype=torch.int64)
        for (precision, passes, _), kinds in members.items():
            bank_of_expert[kinds] = len(self.banks)
            place_in_bank[kinds] = torch.arange(len(kinds))
            network = build_bank([experts[kind] for kind in kinds], inputs, outputs, passes)
            if precision is np.float64:
                network.double()
            self.banks.append(ExpertBank(network, num_logits))
        self.register_buffer("bank_of_expert", bank_of_expert)
        self.register_buffer("place_in_bank", place_in_bank)
        self.num_outputs = outputs if isinstance(outputs, int) else outputs.shape[1]

    def forward(self, rows: torch.Tensor, experts: torch.Tensor) -> torch.Tensor:
        found = rows.new_zeros(rows.shape[0], self.num_outputs)
        for number, bank in enumerate(self.banks):
            which = (self.bank_of_expert[experts] == number).nonzero()[:, 0]
            places = self.place_in_bank[experts[which]]
            found = found.index_copy(0, which, bank(rows[which], places))
        return found


class ExpertSelector(nn.Module):
    """Number of the expert of each row, from the four counts at the end of the features."""

    table: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("table", torch.from_numpy(expert_table()))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        counts = features[:, -4 * NUM_COUNTS :].reshape(-1, 4, NUM_COUNTS).argmax(2)
        found: torch.Tensor = self.table[counts.unbind(1)]
        return found


class ScorerModel(nn.Module):
    """Results of positions and log2 of the plies to them."""

    def __init__(self, weights: ScholarWeights) -> None:
        super().__init__()
        self.select = ExpertSelector()
        experts = [weights.expert_weights(kind) for kind in range(NUM_EXPERTS)]
        self.experts = RoutedExperts(
            experts, weights.repeats, FEATURE_PERMUTATIONS, len(OUTPUT_NAMES), NUM_RESULTS
        )

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        outputs = self.experts(features, self.select(features))
        return torch.softmax(outputs[:, :NUM_RESULTS], 1), outputs[:, NUM_RESULTS:]


class ChainModel(nn.Module):
    """Probabilities of the parts of a move, each given the parts before it."""

    def __init__(self, weights: ScholarWeights) -> None:
        super().__init__()
        self.select = ExpertSelector()
        experts = [weights.expert_weights(kind) for kind in range(NUM_EXPERTS)]
        self.parts = nn.ModuleList(
            RoutedExperts(
                [select_part_weights(each, part) for each in experts],
                weights.repeats,
                CHAIN_INPUT_PERMUTATIONS[part],
                CHOICE_PERMUTATIONS,
                NUM_CHOICES,
            )
            for part in range(len(MOVE_PARTS))
        )

    def forward(
        self, features: torch.Tensor, to: torch.Tensor, frm: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        experts = self.select(features)
        choices = [functional.one_hot(each, NUM_CHOICES).to(features.dtype) for each in (to, frm)]
        return tuple(
            torch.softmax(part(torch.cat([features, *choices[:number]], 1), experts), 1)
            for number, part in enumerate(self.parts)
        )


def describe_scholar(weights: ScholarWeights) -> ExportableNetwork:
    """Return a scorer or a chain."""
    features = TensorInfo("features", NUM_FEATURES, "the position, see scholar/encoding.py")
    about = {"learner": weights.kind}
    if weights.kind == SCORER:
        results = "of a loss, a draw and a win of the side to move"
        plies = "log2 of the plies to a loss and to a win"
        outputs = [
            TensorInfo("probabilities", NUM_RESULTS, results),
            TensorInfo("log2_plies", 2, plies),
        ]
        description = "Result of a position under perfect play"
        return ExportableNetwork(
            ScorerModel(weights), (features,), tuple(outputs), description, about
        )
    choices = [
        TensorInfo(f"{part}_point", 0, f"`{part}` of the move, a point or 24", INT64)
        for part in MOVE_PARTS[:-1]
    ]
    outputs = [
        TensorInfo(
            f"{part}_probabilities",
            NUM_CHOICES,
            f"probabilities of the points of `{part}`, the last for none",
        )
        for part in MOVE_PARTS
    ]
    description = "Probabilities of the parts of a move"
    return ExportableNetwork(
        ChainModel(weights), (features, *choices), tuple(outputs), description, about
    )
