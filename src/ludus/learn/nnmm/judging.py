"""How well a network answers examples it does not learn from."""

from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional

from ludus.learn.nnmm.examples import Examples
from ludus.learn.nnmm.optimisation import numbers
from ludus.learn.nnmm.settings import Precision

BATCH = 32768


class Judgement(NamedTuple):
    """The mean negative log-likelihood, and the share of examples answered right."""

    loss: float
    accuracy: float


def judge(network: nn.Module, examples: Examples, precision: Precision = "float32") -> Judgement:
    """A network's answers to all examples, each as good as alone. The network is left in eval."""
    network.eval()
    device = examples.targets.device
    loss, right = torch.zeros((), device=device), torch.zeros((), device=device)
    with torch.no_grad():
        for first in range(0, len(examples), BATCH):
            targets = examples.targets[first : first + BATCH]
            with numbers(device, precision):
                scores = network(examples.inputs[first : first + BATCH].float()).float()
            loss += functional.cross_entropy(scores, targets, reduction="sum")
            right += (scores.argmax(dim=1) == targets).sum()
    count = max(len(examples), 1)
    return Judgement(loss.item() / count, right.item() / count)
