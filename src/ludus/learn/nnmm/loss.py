"""What training brings down: negative log-likelihood, a norm of the weights, illegal choices."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from ludus.learn.nnmm.settings import Training


class Loss:
    """The loss of a network on a batch."""

    def __init__(self, network: nn.Module, training: Training) -> None:
        self.training = training
        everywhere = training.penalised == "all"
        self.weights = [
            weight
            for name, weight in weights_of(network).items()
            if everywhere or name.partition(".")[0] == "last"
        ]

    def __call__(self, scores: Tensor, targets: Tensor, legal: Tensor | None) -> Tensor:
        """`scores` are of shape (examples, classes), `legal` are masks as of `legal_classes`."""
        settings = self.training
        scores = scores.float()
        loss = functional.cross_entropy(scores, targets, label_smoothing=settings.label_smoothing)
        if legal is not None:
            loss = loss + settings.legality * illegal_mass(scores, legal).mean()
        if settings.penalty == "L1":
            loss = loss + settings.penalty_weight * sum(each.abs().sum() for each in self.weights)
        elif settings.penalty == "L2":
            loss = loss + settings.penalty_weight * sum(
                each.square().sum() for each in self.weights
            )
        return loss


def weights_of(network: nn.Module) -> dict[str, nn.Parameter]:
    """The weights of connections by name: neither biases nor what norms have."""
    return {
        name: parameter
        for name, parameter in network.named_parameters()
        if parameter.dim() > 1 and "bias" not in name
    }


def illegal_mass(scores: Tensor, legal: Tensor) -> Tensor:
    """For each example the probability that an illegal class is chosen."""
    classes = torch.arange(scores.shape[1], device=scores.device, dtype=torch.int32)
    is_legal = legal[:, None] >> classes & 1
    return (torch.softmax(scores, dim=1) * (1 - is_legal)).sum(dim=1)
