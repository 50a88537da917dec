"""A committee of chains of nnmm networks as one torch module for export."""

from collections.abc import Sequence

import torch
from torch import nn
from torch.nn import functional

from ludus.core.errors import LudusError
from ludus.learn.nnmm.config import NetworkConfig
from ludus.learn.nnmm.encoding import InputModel
from ludus.learn.nnmm.network import NETWORK_CLASSES
from ludus.learn.nnmm.network_trainer import load_weights
from ludus.learn.nnmm.parts import NUM_CLASSES, PARTS
from ludus.learn.nnmm.weights import ChainWeights, Committee
from ludus.learn.onnx_export import INT64, ExportableNetwork, TensorInfo


class PartModel(nn.Module):
    """Probabilities of the classes of a part, by a point network and perhaps a presence network."""

    def __init__(self, networks: Sequence[nn.Module]) -> None:
        super().__init__()
        self.networks = nn.ModuleList(networks)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        *presence, points = (network(rows) for network in self.networks)
        if not presence:
            return torch.softmax(points, 1)
        # The presence network decides on class 0; that of the point network is ignored.
        is_there = torch.softmax(presence[0], 1)
        return torch.cat([is_there[:, :1], is_there[:, 1:] * torch.softmax(points[:, 1:], 1)], 1)


class CommitteeModel(nn.Module):
    """Weighted means of the probabilities of all members, given the parts before."""

    def __init__(self, committee: Committee, model: InputModel) -> None:
        super().__init__()
        self.is_binary = model.is_binary
        self.shares = [
            options.share / len(weights.members)
            for weights, options in zip(committee.sets, committee.voting, strict=True)
            for _ in weights.members
        ]
        self.parts = nn.ModuleList(
            nn.ModuleList(
                _build_part(weights, member, part)
                for weights in committee.sets
                for member in range(len(weights.members))
            )
            for part in committee.order.parts
        )

    def forward(
        self, position: torch.Tensor, first: torch.Tensor, second: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        choices = [self._encode_choice(each).to(position.dtype) for each in (first, second)]
        found = []
        for number, members in enumerate(self.parts):
            assert isinstance(members, nn.ModuleList)
            rows = torch.cat([position, *choices[:number]], 1)
            terms = zip(self.shares, members, strict=True)
            found.append(torch.stack([share * member(rows) for share, member in terms]).sum(0))
        return tuple(found)

    def _encode_choice(self, classes: torch.Tensor) -> torch.Tensor:
        """Encode a choice as `encoding.append_choices` does."""
        return functional.one_hot(classes, NUM_CLASSES) if self.is_binary else classes[:, None]


def _build_part(weights: ChainWeights, member: int, part: int) -> PartModel:
    networks = []
    for number, step in enumerate(weights.order.steps):
        if step.part == part:
            design = NetworkConfig.parse(weights.designs[number])
            columns = weights.model.columns(len(step.parts_before))
            network = NETWORK_CLASSES[design.architecture](design, columns)
            load_weights(network, weights.members[member][number], step.name)
            networks.append(network.float())
    return PartModel(networks)


def describe_committee(committee: Committee) -> ExportableNetwork:
    """Return a committee: probabilities of each part, given the parts before it.

    Inputs are the encoded position and the classes of the parts that come before others; outputs
    are the probabilities of the 25 classes of each part.
    """
    models = {each.model.name: each.model for each in committee.sets}
    if len(models) > 1 or any(each.symmetries > 1 for each in committee.voting):
        raise LudusError("a committee of several inputs or symmetries cannot be one ONNX model")
    (model,) = models.values()
    names = [PARTS[part] for part in committee.order.parts]
    position = f"the position in the input model {model.name}"
    choices = [
        TensorInfo(f"{name}_class", 0, f"{name} as a class, 0 to 24", INT64) for name in names[:-1]
    ]
    outputs = []
    for number, name in enumerate(names):
        given = f", given {' and '.join(names[:number])}" if number else ""
        meaning = f"probabilities of the classes of {name}{given}"
        outputs.append(TensorInfo(f"{name}_probabilities", NUM_CLASSES, meaning))
    return ExportableNetwork(
        CommitteeModel(committee, model),
        (TensorInfo("position", model.width, position), *choices),
        tuple(outputs),
        "Networks that choose TO, FROM and REMOVE",
        {"learner": "nnmm", "order": str(committee.order), "inputs": model.name},
    )
