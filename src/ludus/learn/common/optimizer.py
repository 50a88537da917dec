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

    The function may use random numbers, but its operations must not depend on computed values. Its
    result is in fixed memory: the next call overwrites it.
    """

    def __init__(self, function: Callable[[], T], device: torch.device) -> None:
        self._function, self._device = function, device
        self._calls = 0
        self._captured: tuple[torch.cuda.CUDAGraph, T] | None = None

    def __call__(self) -> T:
        if self._device.type != "cuda":
            return self._function()
        self._calls += 1
        if self._calls <= NUM_WARMUP_CALLS:
            return self._run_on_side_stream()
        if self._captured is None:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                result = self._function()
            self._captured = graph, result
        graph, result = self._captured
        graph.replay()
        return result

    def _run_on_side_stream(self) -> T:
        """Call the function on a side stream, as required before a capture."""
        here = torch.cuda.current_stream(self._device)
        side = torch.cuda.Stream(self._device)  # type: ignore[no-untyped-call]
        side.wait_stream(here)
        with torch.cuda.stream(side):
            result = self._function()
        here.wait_stream(side)
        return result


LossFunction = Callable[[], torch.Tensor]
"""Returns the losses to minimize, one for each network or part."""


class EmaOptimizer:
    """Networks, the running mean (EMA) of their weights, which plays better than the latest
    weights, and their Adam optimizer."""

    def __init__(
        self, make_model: Callable[[], nn.Module], ema_decay: float, device: torch.device
    ) -> None:
        """Build the model and its average with `make_model`."""
        self.model, self.ema_model = make_model().to(device), make_model().to(device)
        self.ema_model.load_state_dict(self.model.state_dict())
        self.ema_decay = ema_decay
        self.steps = 0
        self.device = device
        self.adam = torch.optim.Adam(self.model.parameters(), fused=device.type == "cuda")

    def prepare_backward(self, losses: LossFunction, use_graph: bool = True) -> LossFunction:
        """Return a function that computes the losses and their gradients.

        `use_graph`: capture the operations, which must be the same in each step.
        """

        def backward() -> torch.Tensor:
            self.adam.zero_grad(set_to_none=True)
            result = losses()
            result.sum().backward()  # type: ignore[no-untyped-call]
            return result.detach()

        return GraphedCallable(backward, self.device) if use_graph else backward

    def step(self, backward: LossFunction, learning_rate: float) -> torch.Tensor:
        """Make one optimizer step and return the losses before it."""
        losses = backward()
        for group in self.adam.param_groups:
            group["lr"] = learning_rate
        self.adam.step()
        self.steps += 1
        self._update_ema()
        return losses

    @torch.no_grad()
    def _update_ema(self) -> None:
        # The decay is low at first, so that the initial weights are forgotten quickly.
        decay = min(self.ema_decay, (1 + self.steps) / (10 + self.steps))
        torch._foreach_lerp_(
            list(self.ema_model.parameters()), list(self.model.parameters()), 1 - decay
        )
