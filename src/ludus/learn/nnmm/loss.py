"""What training brings down: negative log-likelihood, a norm of the weights, illegal choices."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from ludus.learn.nnmm.settings import Training


class Loss:
    """The loss of a network on a batch."""

    def __init__(self, network: nn.Module, training: Training) -> None:
        self.training = training
        layers = {
            name: module.weight
            for name, module in network.named_modules()
            if isinstance(module, nn.Linear)
        }
        everywhere = training.penalised == "all"
        self.weights = [layers[name] for name in layers if everywhere or name == "last"]

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


def illegal_mass(scores: Tensor, legal: Tensor) -> Tensor:
    """For each example the probability that an illegal class is chosen."""
    classes = torch.arange(scores.shape[1], device=scores.device, dtype=torch.int32)
    is_legal = legal[:, None] >> classes & 1
    return (torch.softmax(scores, dim=1) * (1 - is_legal)).sum(dim=1)
