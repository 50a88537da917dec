"""Several networks of one architecture as one torch module, for training side by side."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.func import functional_call

from .fused_residual import forward_residual, get_kept_proportions

Tensors = dict[str, Tensor]
"""Tensors by name, such as the state of networks."""


class MaskedDropout(nn.Module):
    """Dropout with a mask that is sampled outside: kept units are 1 / (1 - p), dropped ones 0."""

    mask: Tensor

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p
        self.register_buffer("mask", torch.ones(1), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        return x * self.mask if self.training else x


@dataclass(frozen=True, slots=True)
class DropoutLayer:
    """A dropout layer of stacked networks."""

    name: str
    """The name of its mask in the template."""

    rates: tuple[float, ...]
    """The probability that a unit is dropped, for each network."""


INPUT_MASK = "input_drop.mask"
"""The name of the mask of the inputs."""


class StackedNetworks(nn.Module):
    """Networks that differ in their weights and dropout rates only, evaluated together.

    Parameters and buffers have the names of those of one network, and a first dimension for the
    networks. Maps (networks, examples, columns) to (networks, examples, classes).
    """

    def __init__(self, networks: Sequence[nn.Module], is_fused: bool = False) -> None:
        """`is_fused`: residual networks are evaluated by `forward_residual`."""
        super().__init__()
        stacked = copy.deepcopy(networks[0])
        template = copy.deepcopy(networks[0])
        self.num_networks = len(networks)
        self.is_fused = is_fused
        self.dropouts = _replace_dropouts(template, networks)
        if is_fused:
            self.dropouts = [each for each in self.dropouts if each.name == INPUT_MASK]
            device = next(networks[0].parameters()).device
            self.kept = torch.tensor(get_kept_proportions(networks), device=device)
            """Probability that an inner unit is not dropped, for each network."""
            self.mask_seed = torch.zeros((), dtype=torch.int64, device=device)
            """Seed of the dropout of inner units in the present step."""
        self.masks: Tensors = {}
        """Masks of the dropout layers, (networks, examples, units), for the present step."""
        self._template = [template]  # in a list, so that it is no part of this module
        states = [network.state_dict() for network in networks]
        for path, module in stacked.named_modules():
            prefix = f"{path}." if path else ""
            for name, value in module.named_parameters(recurse=False):
                together = torch.stack([state[prefix + name] for state in states])
                setattr(module, name, nn.Parameter(together, requires_grad=value.requires_grad))
            for name, _ in module.named_buffers(recurse=False):
                setattr(module, name, torch.stack([state[prefix + name] for state in states]))
        for name, child in stacked.named_children():
            self.add_module(name, child)

    def train(self, mode: bool = True) -> "StackedNetworks":
        """Change to training or evaluation."""
        self._template[0].train(mode)
        super().train(mode)
        return self

    def forward(self, x: Tensor) -> Tensor:
        (template,) = self._template
        state = dict(self.named_parameters()) | dict(self.named_buffers())
        if self.is_fused:
            if self.training and INPUT_MASK in self.masks:
                x = x * self.masks[INPUT_MASK]
            kept = self.kept if self.training else torch.ones_like(self.kept)
            return forward_residual(state, x, kept, self.mask_seed, self.training)
        if self.training:
            state |= self.masks

        def evaluate(state: Tensors, x: Tensor) -> Tensor:
            result: Tensor = functional_call(template, state, (x,))
            return result

        found: Tensor = torch.vmap(evaluate)(state, x)
        return found

    def find_mask_shapes(self, x: Tensor) -> dict[str, Tensor]:
        """Return an empty mask for each dropout layer and these inputs, in the order of calls."""
        (template,) = self._template
        found: dict[str, Tensor] = {}
        wanted = {layer.name for layer in self.dropouts}
        hooks = []

        def make_hook(name: str) -> Callable[[nn.Module, tuple[Tensor, ...]], None]:
            def note(module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
                (given,) = inputs
                found[name] = given.new_empty((self.num_networks, *given.shape))

            return note

        for path, module in template.named_modules():
            if f"{path}.mask" in wanted:
                hooks.append(module.register_forward_pre_hook(make_hook(f"{path}.mask")))
        was_training = template.training
        template.to(x.device).train()  # no part of this module, so not moved with it
        with torch.no_grad():
            template(x[0])
        template.train(was_training)
        for hook in hooks:
            hook.remove()
        return found

    def select_state(self, number: int) -> Tensors:
        """Return a copy of the state of one of the networks."""
        return {name: each[number].clone() for name, each in self.state_dict().items()}


def _replace_dropouts(template: nn.Module, networks: Sequence[nn.Module]) -> list[DropoutLayer]:
    """Replace the dropout layers of the template that drop anything, and list them."""
    found = []
    others = [dict(network.named_modules()) for network in networks]
    for path, module in list(template.named_modules()):
        if not isinstance(module, nn.Dropout):
            continue
        rates = tuple(float(each[path].p) for each in others)
        parent, _, name = path.rpartition(".")
        if any(rates):
            setattr(template.get_submodule(parent), name, MaskedDropout(max(rates)))
            found.append(DropoutLayer(f"{path}.mask", rates))
        else:
            setattr(template.get_submodule(parent), name, nn.Identity())
    return found
