"""From networks in training to the file that a player reads."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

from ludus.learn.scholar.chain_lessons import PARTS
from ludus.learn.scholar.chain_training import ChainTraining
from ludus.learn.scholar.scorer_training import ScorerTraining
from ludus.learn.scholar.weights import CHAIN, SCORER, ScholarWeights, packed


def weights_of(
    training: ScorerTraining | ChainTraining, facts: Mapping[str, Any]
) -> ScholarWeights:
    """The averaged weights, expert by expert, with facts about the training."""
    banks = [_by_expert(bank) for bank in training.pupil.averaged.children()]
    if isinstance(training, ScorerTraining):
        return ScholarWeights(SCORER, tuple(packed(each) for bank in banks for each in bank), facts)
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
