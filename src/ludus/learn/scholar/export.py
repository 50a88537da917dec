"""From networks in training to the file that a player reads, and back."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ludus.learn.scholar.chain_lessons import PARTS
from ludus.learn.scholar.chain_training import ChainTraining
from ludus.learn.scholar.scorer_training import ScorerTraining
from ludus.learn.scholar.weights import CHAIN, SCORER, BadScholar, ScholarWeights, packed


def weights_of(
    training: ScorerTraining | ChainTraining, facts: Mapping[str, Any]
) -> ScholarWeights:
    """The averaged weights, expert by expert, with facts about the training."""
    banks = [_by_expert(bank) for bank in training.pupil.averaged.children()]
    if isinstance(training, ScorerTraining):
        repeats = zip(training.course.banks, training.experts, strict=True)
        return ScholarWeights(
            SCORER,
            tuple(packed(each) for bank in banks for each in bank),
            facts,
            tuple(bank.repeats for bank, experts in repeats for _ in experts),
        )
    experts = (
        {
            f"{part}.{name}": values
            for part, network in zip(PARTS, networks, strict=True)
            for name, values in network.items()
        }
        for networks in zip(*banks, strict=True)
    )
    return ScholarWeights(CHAIN, tuple(map(packed, experts)), facts)


def _by_expert(bank: nn.Module) -> list[dict[str, NDArray[np.float32]]]:
    named = {name: each.detach().float().cpu().numpy() for name, each in bank.named_parameters()}
    number = len(named["first"])
    return [{name: values[expert] for name, values in named.items()} for expert in range(number)]


def begin_with(training: ScorerTraining | ChainTraining, weights: ScholarWeights) -> None:
    """Let a training go on from a file's weights; BadScholar if they are of another shape."""
    experts = [weights.expert(number) for number in range(len(weights.experts))]
    banks: list[list[dict[str, NDArray[Any]]]]
    if isinstance(training, ScorerTraining):
        banks = [[experts[number] for number in bank] for bank in training.experts]
    else:
        banks = [[_part(expert, part) for expert in experts] for part in PARTS]
    for networks in (training.pupil.networks, training.pupil.averaged):
        for bank, network in zip(banks, networks.children(), strict=True):
            _fill(network, bank)


def _part(expert: Mapping[str, NDArray[Any]], part: str) -> dict[str, NDArray[Any]]:
    prefix = f"{part}."
    return {
        name.removeprefix(prefix): values
        for name, values in expert.items()
        if name.startswith(prefix)
    }


def _fill(network: nn.Module, experts: list[dict[str, NDArray[Any]]]) -> None:
    for name, parameter in network.named_parameters():
        if any(name not in expert for expert in experts):
            raise BadScholar(f"these networks have no {name}")
        values = np.stack([expert[name] for expert in experts])
        if values.shape != tuple(parameter.shape):
            raise BadScholar(f"these networks are of another size: {name} is {values.shape}")
        with torch.no_grad():
            parameter.copy_(torch.as_tensor(values))
