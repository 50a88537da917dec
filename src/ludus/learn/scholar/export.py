"""From networks in training to the file that a player reads, and back."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ludus.learn.scholar import pace
from ludus.learn.scholar.chain_lessons import PARTS
from ludus.learn.scholar.chain_training import ChainTraining
from ludus.learn.scholar.scorer_training import ScorerTraining
from ludus.learn.scholar.weights import CHAIN, SCORER, BadScholar, ScholarWeights, packed
from ludus.learn.scholar.worth import RESULTS


def weights_of(
    training: ScorerTraining | ChainTraining, facts: Mapping[str, Any]
) -> ScholarWeights:
    """The averaged weights, expert by expert, with facts about the training."""
    banks = [_by_expert(bank) for bank in training.pupil.averaged.children()]
    if isinstance(training, ScorerTraining):
        repeats = zip(training.course.banks, training.experts, strict=True)
        judging = (each for bank in banks for each in bank)
        return ScholarWeights(
            SCORER,
            tuple(
                packed(with_paces(each, training.paces(expert)))
                for expert, each in enumerate(judging)
            ),
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


def with_paces(expert: Mapping[str, NDArray[Any]], rows: pace.Rows) -> dict[str, NDArray[Any]]:
    """An expert whose last layer says how far off the end is, too."""
    weights, bias = (each.float().cpu().numpy() for each in rows)
    return {
        **expert,
        "last": np.concatenate([expert["last"], weights]),
        "last_bias": np.concatenate([expert["last_bias"], bias[None]], axis=1),
    }


def _results_alone(expert: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The same expert as it is in training, which has to learn results only."""
    results = len(RESULTS)
    less = {"last": expert["last"][:results], "last_bias": expert["last_bias"][:, :results]}
    return {**expert, **less}


def _by_expert(bank: nn.Module) -> list[dict[str, NDArray[np.float32]]]:
    named = {name: each.detach().float().cpu().numpy() for name, each in bank.named_parameters()}
    number = len(named["first"])
    return [{name: values[expert] for name, values in named.items()} for expert in range(number)]


def begin_with(training: ScorerTraining | ChainTraining, weights: ScholarWeights) -> None:
    """Let a training go on from a file's weights; BadScholar if they are of another shape."""
    experts = [weights.expert(number) for number in range(len(weights.experts))]
    banks: list[list[dict[str, NDArray[Any]]]]
    if isinstance(training, ScorerTraining):
        if weights.kind != SCORER:
            raise BadScholar(f"these networks are a {weights.kind}, not a {SCORER}")
        banks = [[_results_alone(experts[number]) for number in bank] for bank in training.experts]
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
