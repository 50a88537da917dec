"""Networks that learn, with the mean of their last weights, which judges better than the latest."""

from collections.abc import Callable

import torch
from torch import nn

from ludus.learn.recorded import Recorded

Losses = Callable[[], torch.Tensor]
"""What is to become small, one number for each network or part."""


class Pupil:
    """Networks, their running mean, and what Adam remembers."""

    def __init__(
        self, made: Callable[[], nn.Module], averaging: float, device: torch.device
    ) -> None:
        """`averaging` is the share of itself that the mean keeps in a step."""
        self.networks, self.averaged = made().to(device), made().to(device)
        self.averaged.load_state_dict(self.networks.state_dict())
        self.averaging = averaging
        self.steps = 0
        self.device = device
        self.adam = torch.optim.Adam(self.networks.parameters(), fused=device.type == "cuda")

    def lesson(self, losses: Losses, is_same: bool = True) -> Losses:
        """Losses with the slopes that they leave at the weights, ready to be learned from.

        `is_same`: the work is the same each time, but for the examples.
        """

        def slopes() -> torch.Tensor:
            self.adam.zero_grad(set_to_none=True)
            found = losses()
            found.sum().backward()  # type: ignore[no-untyped-call]
            return found.detach()

        return Recorded(slopes, self.device) if is_same else slopes

    def learn(self, lesson: Losses, rate: float) -> torch.Tensor:
        """One step down the slopes; the losses before it."""
        losses = lesson()
        for group in self.adam.param_groups:
            group["lr"] = rate
        self.adam.step()
        self.steps += 1
        self._average()
        return losses

    @torch.no_grad()
    def _average(self) -> None:
        # At first the mean follows quickly: the first weights are worth nothing.
        share = min(self.averaging, (1 + self.steps) / (10 + self.steps))
        torch._foreach_lerp_(
            list(self.averaged.parameters()), list(self.networks.parameters()), 1 - share
        )
