"""Optimizer step with averaged weights (EMA) as a CUDA graph, and learning-rate schedules."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import torch
from torch import nn

from ludus.learn.checkpoint import TrainingState, prefix_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")

NUM_WARMUP_CALLS = 3
"""Eager calls before the capture: what is allocated at first use must not be in the graph."""


class GraphedCallable(Generic[T]):
    """A function captured as a CUDA graph; on other devices a plain call.

    The function may use random numbers, but its operations must not depend on computed values. Its
    result is in fixed memory: the next call overwrites it.
    """

    def __init__(
        self,
        function: Callable[[], T],
        device: torch.device,
        generators: Sequence[torch.Generator] = (),
    ) -> None:
        """`generators` are those that the function uses besides the default one."""
        self._function, self._device, self._generators = function, device, generators
        self._calls = 0
        self._captured: tuple[torch.cuda.CUDAGraph, T] | None = None

    def __call__(self) -> T:
        if self._device.type != "cuda":
            return self._function()
        self._calls += 1
        if self._calls <= NUM_WARMUP_CALLS:
            return self._run_on_side_stream()
        if self._captured is None:
            self._captured = self._capture()
        graph, result = self._captured
        graph.replay()
        return result

    def _capture(self) -> tuple[torch.cuda.CUDAGraph, T]:
        graph = torch.cuda.CUDAGraph()
        for generator in self._generators:
            graph.register_generator_state(generator)
        # Graphs captured one after another share the workspace of matrix products (pytorch issue
        # 193402). If they then run at the same time, products wait for each other without end.
        torch._C._cuda_clearCublasWorkspaces()
        with torch.cuda.graph(graph):
            result = self._function()
        torch._C._cuda_clearCublasWorkspaces()
        return graph, result

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

StepFunction = Callable[[float | torch.Tensor], torch.Tensor]
"""Makes one optimizer step with this learning rate and returns the losses before it."""

CaptureScope = Literal["step", "nothing"]
"""What is captured as a CUDA graph: whole steps or nothing."""


class EmaOptimizer:
    """A model, its Adam optimizer and the exponential moving average (EMA) of its weights.

    The averaged weights play better than the latest ones. The average is not torch's
    `swa_utils.AveragedModel`, which starts with a copy of the weights after the first step and
    renames them in checkpoints.
    """

    def __init__(
        self,
        model: nn.Module,
        ema_model: nn.Module,
        adam: torch.optim.Optimizer,
        ema_decay: float,
        has_ema_warmup: bool = False,
        max_gradient_norm: float = 0.0,
    ) -> None:
        """Prepare training; `ema_model` is a model of the same shape, or `model` itself for none.

        `has_ema_warmup`: the decay is low at first, so that the initial weights are forgotten
        quickly. It then changes from step to step and is not captured with a whole step.
        `max_gradient_norm`: 0 for no limit.
        """
        self.model, self.ema_model, self.adam = model, ema_model, adam
        self.ema_model.load_state_dict(model.state_dict())
        self.ema_decay, self.has_ema_warmup = ema_decay, has_ema_warmup
        self.max_gradient_norm = max_gradient_norm
        self.device = next(model.parameters()).device
        self.steps = 0
        """Number of steps taken."""

    @property
    def has_ema(self) -> bool:
        return self.ema_model is not self.model

    def prepare_step(
        self,
        losses: LossFunction,
        capture: CaptureScope,
        generators: Sequence[torch.Generator] = (),
    ) -> StepFunction:
        """Return a function that makes an optimizer step on these losses.

        What is captured must be the same operations in each step. To capture whole steps, Adam
        must be capturable and its learning rate a tensor. `generators` are those that the losses
        use besides the default one.
        """

        def update() -> torch.Tensor:
            self.adam.zero_grad(set_to_none=True)
            result = losses()
            result.sum().backward()  # type: ignore[no-untyped-call]
            if self.max_gradient_norm:
                self._clip_gradients()
            self.adam.step()
            if self.has_ema and not self.has_ema_warmup:
                self._update_ema()
            return result.detach()

        def step(learning_rate: float | torch.Tensor) -> torch.Tensor:
            self._set_learning_rate(learning_rate)
            self.steps += 1
            result = graphed_update()
            if self.has_ema and self.has_ema_warmup:
                self._update_ema()
            return result

        graphed_update = (
            GraphedCallable(update, self.device, generators) if capture == "step" else update
        )
        return step

    def _clip_gradients(self) -> None:
        """Scale the gradient down to the maximum norm."""
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_gradient_norm)

    def _set_learning_rate(self, learning_rate: float | torch.Tensor) -> None:
        for group in self.adam.param_groups:
            if isinstance(learning_rate, torch.Tensor):
                group["lr"].copy_(learning_rate)
            elif isinstance(group["lr"], torch.Tensor):
                group["lr"].fill_(learning_rate)
            else:
                group["lr"] = learning_rate

    @torch.no_grad()
    def _update_ema(self) -> None:
        decay = self.ema_decay
        if self.has_ema_warmup:
            decay = min(decay, (1 + self.steps) / (10 + self.steps))
        torch._foreach_lerp_(
            list(self.ema_model.parameters()), list(self.model.parameters()), 1 - decay
        )

    def state(self) -> TrainingState:
        """Return weights, averaged weights, Adam's state and the number of steps."""
        arrays = {
            **prefix_names("model", to_arrays(self.model.state_dict())),
            **prefix_names("adam", optimizer_arrays(self.adam)),
        }
        if self.has_ema:
            arrays |= prefix_names("averaged", to_arrays(self.ema_model.state_dict()))
        return TrainingState({"steps": self.steps}, arrays)

    def load(self, state: TrainingState) -> None:
        """Restore what `state` returned; RuntimeError if the weights do not fit."""
        self.model.load_state_dict(to_tensors(state.select("model")))
        if self.has_ema:
            self.ema_model.load_state_dict(to_tensors(state.select("averaged")))
        load_optimizer_arrays(self.adam, state.select("adam"))
        self.steps = int(state.facts["steps"])


def optimizer_arrays(optimizer: torch.optim.Optimizer) -> dict[str, "NDArray[Any]"]:
    """Return an optimizer's state, named `<parameter number>.<name>`."""
    state = optimizer.state_dict()["state"]
    return to_arrays({f"{n}.{name}": each for n in state for name, each in state[n].items()})


def load_optimizer_arrays(
    optimizer: torch.optim.Optimizer, arrays: Mapping[str, "NDArray[Any]"]
) -> None:
    """Restore the state of `optimizer_arrays`; settings are those of the optimizer."""
    state: dict[int, dict[str, torch.Tensor]] = {}
    for key, tensor in to_tensors(arrays).items():
        number, _, name = key.partition(".")
        state.setdefault(int(number), {})[name] = tensor
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": state, "param_groups": groups})


def to_arrays(tensors: Mapping[str, torch.Tensor]) -> dict[str, "NDArray[Any]"]:
    """Return tensors as arrays."""
    return {name: each.detach().cpu().numpy() for name, each in tensors.items()}


def to_tensors(arrays: Mapping[str, "NDArray[Any]"]) -> dict[str, torch.Tensor]:
    """Return arrays as tensors with memory of their own."""
    return {name: torch.tensor(each) for name, each in arrays.items()}


def get_random_state(device: torch.device) -> dict[str, "NDArray[Any]"]:
    """Return the state of torch's generators of random numbers, of the CPU's and the device's."""
    states = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state(device)
    return to_arrays(states)


def set_random_state(states: Mapping[str, "NDArray[Any]"], device: torch.device) -> None:
    """Restore the state of `get_random_state`."""
    torch.set_rng_state(torch.tensor(states["cpu"]))
    if device.type == "cuda":
        torch.cuda.set_rng_state(torch.tensor(states["cuda"]), device)


def warm_up(learning_rate: float, done: float, length: float) -> float:
    """Return the learning rate after `done` of a linear warm-up from 0 of this length."""
    return learning_rate * done / length if done < length else learning_rate


def cosine_decay(learning_rate: float, progress: float) -> float:
    """Return the learning rate on a cosine from its peak at progress 0 to zero at progress 1."""
    return learning_rate * (0.5 * (1 + math.cos(math.pi * min(progress, 1.0))))
