"""k-fold cross-validation (thesis 7.1): k trainings, each judged by entries it has not seen.

The thesis's section 4.1.2 changes the fold within an epoch, so that in the end everything was
learned from. Here each fold has networks of its own, which is what the figures are meant to say.
"""

import statistics
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from ludus.datasets.morris.entries import Entries
from ludus.learn.nnmm.chain_training import ChainTraining
from ludus.learn.nnmm.presets import Preset
from ludus.learn.nnmm.splits import folds
from ludus.learn.nnmm.training import Epoch, NetworkTraining


class CrossValidation:
    """Trains a chain, or some of its networks, once for each fold."""

    def __init__(
        self,
        preset: Preset,
        entries: Entries,
        number: int,
        device: torch.device,
        parts: Sequence[str] = (),
    ) -> None:
        settings = preset.training
        self._runs = (
            ChainTraining(preset, split, device, None, parts)
            for split in folds(entries, number, settings.expansion, settings.seed)
        )
        wanted = len(parts) or len(preset.steps)
        self.num_networks = number * wanted * preset.members
        self._found: dict[str, list[float]] = {}

    def run(self) -> Iterator[tuple[NetworkTraining, Epoch]]:
        """Train, and tell after every epoch of every network."""
        for run in self._runs:
            yield from run.run()
            for result in run.results.values():
                self._found.setdefault(result.part, []).append(result.validation)

    def accuracies(self) -> dict[str, dict[str, Any]]:
        """For each network the accuracy on its fold's validation part: mean, deviation, each."""
        return {
            part: {
                "mean": statistics.mean(shares),
                "deviation": statistics.stdev(shares) if len(shares) > 1 else 0.0,
                "folds": shares,
            }
            for part, shares in self._found.items()
        }
