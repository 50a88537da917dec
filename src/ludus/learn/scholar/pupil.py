"""Networks that learn, with the mean of their last weights, which judges better than the latest."""

from collections.abc import Callable

import torch
from torch import nn


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
        self._adam = torch.optim.Adam(self.networks.parameters(), fused=device.type == "cuda")

    def learn(self, loss: torch.Tensor, rate: float) -> None:
        """One step down the gradient."""
        for group in self._adam.param_groups:
            group["lr"] = rate
        self._adam.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self._adam.step()
        self.steps += 1
        self._average()

    @torch.no_grad()
    def _average(self) -> None:
        # At first the mean follows quickly: the first weights are worth nothing.
        share = min(self.averaging, (1 + self.steps) / (10 + self.steps))
        torch._foreach_lerp_(
            list(self.averaged.parameters()), list(self.networks.parameters()), 1 - share
        )
