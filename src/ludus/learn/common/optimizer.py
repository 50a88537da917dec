"""Optimizer step with averaged weights (EMA), captured as a CUDA graph on a GPU."""

from collections.abc import Callable
from typing import Generic, TypeVar

import torch
from torch import nn

T = TypeVar("T")

NUM_WARMUP_CALLS = 3
"""Eager calls before the capture: initialization and allocation at first use must not become part
of the graph."""


class GraphedCallable(Generic[T]):
    """A function captured as a CUDA graph; on other devices a plain call.

    The work may use random numbers, but its operations must not depend on computed values. Its
    result is in fixed memory: the next call overwrites it.
    """

    def __init__(self, work: Callable[[], T], device: torch.device) -> None:
        self._work, self._device = work, device
        self._calls = 0
        self._recording: tuple[torch.cuda.CUDAGraph, T] | None = None

    def __call__(self) -> T:
        if self._device.type != "cuda":
            return self._work()
        self._calls += 1
        if self._calls <= NUM_WARMUP_CALLS:
            return self._aside()
        if self._recording is None:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                found = self._work()
            self._recording = graph, found
        graph, found = self._recording
        graph.replay()
        return found

    def _aside(self) -> T:
        """Call the function on a side stream, as required before a capture."""
        here = torch.cuda.current_stream(self._device)
        side = torch.cuda.Stream(self._device)  # type: ignore[no-untyped-call]
        side.wait_stream(here)
        with torch.cuda.stream(side):
            found = self._work()
        here.wait_stream(side)
        return found


LossFunction = Callable[[], torch.Tensor]
"""Returns the losses to minimize, one for each network or part."""


class EmaOptimizer:
    """Networks, the running mean (EMA) of their weights, which plays better than the latest
    weights, and their Adam optimizer."""

    def __init__(
        self, made: Callable[[], nn.Module], averaging: float, device: torch.device
    ) -> None:
        """Build both networks with `made`; `averaging` is the decay of the EMA."""
        self.networks, self.averaged = made().to(device), made().to(device)
        self.averaged.load_state_dict(self.networks.state_dict())
        self.averaging = averaging
        self.steps = 0
        self.device = device
        self.adam = torch.optim.Adam(self.networks.parameters(), fused=device.type == "cuda")

    def lesson(self, losses: LossFunction, is_same: bool = True) -> LossFunction:
        """Return a function that computes the losses and their gradients.

        `is_same`: the operations are the same in each step, so they can be captured.
        """

        def slopes() -> torch.Tensor:
            self.adam.zero_grad(set_to_none=True)
            found = losses()
            found.sum().backward()  # type: ignore[no-untyped-call]
            return found.detach()

        return GraphedCallable(slopes, self.device) if is_same else slopes

    def learn(self, lesson: LossFunction, rate: float) -> torch.Tensor:
        """Make one optimizer step and return the losses before it."""
        losses = lesson()
        for group in self.adam.param_groups:
            group["lr"] = rate
        self.adam.step()
        self.steps += 1
        self._average()
        return losses

    @torch.no_grad()
    def _average(self) -> None:
        # The decay is low at first, so that the initial weights are forgotten quickly.
        share = min(self.averaging, (1 + self.steps) / (10 + self.steps))
        torch._foreach_lerp_(
            list(self.averaged.parameters()), list(self.networks.parameters()), 1 - share
        )
