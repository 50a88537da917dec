"""Ensembles in torch: what each member learns from, and what members choose together."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ludus.games.nine_mens_morris.batch import MoveBatch
from ludus.learn.nnmm.config import EnsembleKind
from ludus.learn.nnmm.data import EncodedEntries, Examples, group_symmetric_entries
from ludus.learn.nnmm.encoding import append_choices
from ludus.learn.nnmm.network_trainer import predict_logits
from ludus.learn.nnmm.parts import PARTS, PartOrder


def sample_member_examples(
    kind: EnsembleKind,
    examples: Examples,
    entries: MoveBatch,
    earlier: Sequence[nn.Module],
    seed: int,
) -> Examples:
    """Return the training examples of the next member of an ensemble (Galassi 2016, section 4.1.6).

    seeds: the same examples; initial weights and order differ. bagging: a bootstrap sample of the
    entries, all images of an entry together. boosting: a sample in which examples that the earlier
    members get wrong are more frequent, with the weights of SAMME (Zhu et al. 2009). In all cases
    members have equal votes: their probabilities are averaged.

    `entries` are the entries of the examples, one for each.
    """
    if kind == "bagging":
        group, number = group_symmetric_entries(entries)
        rng = np.random.default_rng((seed, len(earlier)))
        times = np.bincount(rng.integers(number, size=number), minlength=number)
        index = np.repeat(np.arange(len(entries)), times[group])
        return examples.select(torch.from_numpy(index).to(examples.targets.device))
    if kind == "boosting" and earlier:
        weights = compute_boosting_weights(examples, earlier)
        torch.manual_seed(seed + len(earlier))
        return examples.select(torch.multinomial(weights, len(weights), replacement=True))
    return examples


def compute_boosting_weights(examples: Examples, earlier: Sequence[nn.Module]) -> Tensor:
    """Return the boosting weights of the examples after some members; they add up to 1."""
    count = len(examples)
    weights = torch.full((count,), 1 / count, device=examples.targets.device)
    for network in earlier:
        scores = predict_logits(network, examples.inputs)
        is_wrong = scores.argmax(dim=1) != examples.targets
        error = weights[is_wrong].sum().clamp(1e-6, 1 - 1e-6).item()
        vote = math.log((1 - error) / error) + math.log(scores.shape[1] - 1)
        weights = weights * torch.where(is_wrong, math.exp(max(vote, 0.0)), 1.0)
        weights = weights / weights.sum()
    return weights


CHAIN_PREDICTION_BATCH = 65536


def predict_classes(
    members: Sequence[Sequence[nn.Module]],
    coded: EncodedEntries,
    order: PartOrder,
    device: torch.device,
) -> NDArray[np.int8]:
    """Predict the classes TO, FROM and REMOVE in sequence, shape (entries, 3).

    `members` has the networks of all steps for each member of the ensemble. `NetworkChain`
    does the same in numpy with more decoding rules; this runs on the device that trained them.
    """
    classes = np.zeros((len(coded.entries), len(PARTS)), dtype=np.int8)
    for first in range(0, len(classes), CHAIN_PREDICTION_BATCH):
        part = slice(first, first + CHAIN_PREDICTION_BATCH)
        presence: list[nn.Module] = []
        for number, step in enumerate(order.steps):
            networks = [member[number] for member in members]
            if step.predicts_presence:
                presence = networks
                continue
            rows = append_choices(
                coded.model, coded.rows[part], classes[part][:, list(step.parts_before)]
            )
            inputs = torch.from_numpy(rows).to(device)
            classes[part, step.part] = _predict_part(networks, presence, inputs).cpu().numpy()
            presence = []
    return classes


def _predict_part(
    networks: Sequence[nn.Module], presence: Sequence[nn.Module], inputs: Tensor
) -> Tensor:
    """Return the most likely class of a part, by the mean probability of the members.

    If there are presence networks for the part, they decide first whether there is one.
    """
    if not presence:
        return _mean_probability(
            [torch.softmax(predict_logits(each, inputs), dim=1) for each in networks]
        ).argmax(1)
    is_there = [torch.softmax(predict_logits(each, inputs), dim=1) for each in presence]
    points = [
        torch.softmax(predict_logits(each, inputs)[:, 1:], dim=1) * there[:, 1:]
        for each, there in zip(networks, is_there, strict=True)
    ]
    is_likely = _mean_probability(is_there).argmax(dim=1)
    return is_likely * (1 + _mean_probability(points).argmax(dim=1))


def _mean_probability(probabilities: Sequence[Tensor]) -> Tensor:
    return torch.stack(list(probabilities)).mean(dim=0)
