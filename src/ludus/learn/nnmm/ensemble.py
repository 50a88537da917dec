"""How the members of an ensemble come to differ (thesis 4.1.6).

seeds: the same examples, other initial weights and another order.
bagging: each member learns from a bootstrap sample of the entries, all images of an entry together.
boosting: each member learns from a sample in which examples that its predecessors get wrong are
more frequent, with the weights of SAMME (Zhu and others 2009).

Members have equal votes: the mean of their probabilities.
"""

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from ludus.datasets.morris.entries import Entries
from ludus.learn.nnmm.examples import Examples
from ludus.learn.nnmm.judging import answers
from ludus.learn.nnmm.presets import Ensemble
from ludus.learn.nnmm.splits import groups


def sample(
    kind: Ensemble,
    examples: Examples,
    entries: Entries,
    earlier: Sequence[nn.Module],
    seed: int,
) -> Examples:
    """What the next member learns from, after these earlier ones.

    `entries` are those the examples were made of, one for each.
    """
    if kind == "bagging":
        group, number = groups(entries)
        rng = np.random.default_rng((seed, len(earlier)))
        times = np.bincount(rng.integers(number, size=number), minlength=number)
        index = np.repeat(np.arange(len(entries)), times[group])
        return examples.at(torch.from_numpy(index).to(examples.targets.device))
    if kind == "boosting" and earlier:
        weights = boosted(examples, earlier)
        torch.manual_seed(seed + len(earlier))
        return examples.at(torch.multinomial(weights, len(weights), replacement=True))
    return examples


def boosted(examples: Examples, earlier: Sequence[nn.Module]) -> Tensor:
    """What each example weighs after some members; they add up to 1."""
    count = len(examples)
    weights = torch.full((count,), 1 / count, device=examples.targets.device)
    for network in earlier:
        scores = answers(network, examples)
        is_wrong = scores.argmax(dim=1) != examples.targets
        error = weights[is_wrong].sum().clamp(1e-6, 1 - 1e-6).item()
        vote = math.log((1 - error) / error) + math.log(scores.shape[1] - 1)
        weights = weights * torch.where(is_wrong, math.exp(max(vote, 0.0)), 1.0)
        weights = weights / weights.sum()
    return weights
