"""How the learning rate falls (thesis 4.1.5)."""

import math

from ludus.learn.nnmm.settings import Training


def learning_rate(training: Training, epoch: float, progress: float) -> float:
    """The rate in an epoch, counted from 0, when a share `progress` of the training is over.

    The thesis's schemes change it from epoch to epoch, warming up and the cosine at every step.
    """
    rate = training.learning_rate
    if progress < training.warmup:
        return rate * progress / training.warmup
    whole = math.floor(epoch)
    if training.annealing == "step":
        return float(rate * training.step_factor ** (whole // training.step_epochs))
    if training.annealing == "exponential":
        return rate * math.exp(-training.k * whole)
    if training.annealing == "proportional":
        return rate / (1 + training.k * whole)
    if training.annealing == "cosine":
        rest = (progress - training.warmup) / (1 - training.warmup) if training.warmup < 1 else 1.0
        return rate * 0.5 * (1 + math.cos(math.pi * min(rest, 1.0)))
    return rate
