"""How well a network answers examples it does not learn from."""

from typing import NamedTuple

import torch
from torch import Tensor, nn
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
    """A network on all examples. It is left in eval mode, where nothing is random."""
    scores = answers(network, examples, precision)
    loss = functional.cross_entropy(scores, examples.targets)
    accuracy = (scores.argmax(dim=1) == examples.targets).float().mean()
    return Judgement(loss.item(), accuracy.item())


def answers(network: nn.Module, examples: Examples, precision: Precision = "float32") -> Tensor:
    """A network's scores, shape (examples, classes)."""
    return scores_of(network, examples.inputs, precision)


def scores_of(network: nn.Module, inputs: Tensor, precision: Precision = "float32") -> Tensor:
    """The same for rows of inputs."""
    network.eval()
    with torch.no_grad(), numbers(inputs.device, precision):
        return torch.cat([network(part.float()).float() for part in torch.split(inputs, BATCH)])
