"""Equivariant residual networks in torch, one or several side by side."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, Self

import torch
from torch import nn

from ludus.learn.equivariant import fourier_torch, group
from ludus.learn.equivariant.group import GROUP_ORDER, RELATIVE_ELEMENTS, Permutations

KernelBasis = Literal["group", "fourier"]
"""Basis of the parameters of group convolutions: in the Fourier basis they need no transform, and
Muon makes its updates there. Files have them by group element; see `parameters_by_element`."""

OUTPUT_ALIGNMENT = 8
"""Outputs are padded to a multiple on a GPU: products with three columns in bfloat16 are slow."""


class EquivariantNetwork(nn.Module):
    """`experts` equivariant networks of one shape: a lifting layer, residual blocks, an output
    layer.

    Maps (experts, positions, features) to (experts, positions, outputs). With `outputs` as
    permutations the outputs are equivariant; as a number, that many invariant outputs.
    Blocks are as in Fig. 5.1 of Galassi 2016: ReLU, weights, ReLU, weights, plus the input.
    """

    input_permutations: torch.Tensor
    output_permutations: torch.Tensor
    bias_index: torch.Tensor
    relative_elements: torch.Tensor

    def __init__(
        self,
        inputs: Permutations,
        outputs: Permutations | int,
        channels: int,
        blocks: int,
        experts: int = 1,
        dropout: float = 0.0,
        input_dropout: float = 0.0,
        repeats: int = 1,
        kernel_basis: KernelBasis = "group",
    ) -> None:
        """`repeats` is the number of passes through the blocks, with the same weights."""
        super().__init__()
        self.kernel_basis = kernel_basis
        self.repeats = repeats
        self.channels, self.dropout, self.input_dropout = channels, dropout, input_dropout
        self._constant("input_permutations", group.invert_permutations(inputs))
        self._constant("relative_elements", RELATIVE_ELEMENTS)
        width = inputs.shape[1]
        self.first = nn.Parameter(torch.empty(experts, channels, width))
        self.first_bias = nn.Parameter(torch.zeros(experts, 1, channels))
        self.blocks = nn.ModuleList(
            _EquivariantBlock(experts, channels, kernel_basis) for _ in range(blocks)
        )
        if isinstance(outputs, int):
            self.has_point_outputs = False
            self.last = nn.Parameter(torch.zeros(experts, outputs, channels))
            self.last_bias = nn.Parameter(torch.zeros(experts, 1, outputs))
        else:
            self.has_point_outputs = True
            self._constant("output_permutations", group.invert_permutations(outputs))
            self.last = nn.Parameter(torch.zeros(experts, channels, outputs.shape[1]))
            self.last_bias = nn.Parameter(torch.zeros(experts, 1, 2))
            self._constant("bias_index", _find_moved_outputs(outputs))
        self.initialise(None)

    def initialise(self, generator: torch.Generator | None) -> None:
        """Initialise layers before a ReLU by He's method; outputs of blocks and network stay 0."""
        with torch.no_grad():
            _initialise_he(self.first, self.first.shape[-1], generator)
            for block in self.blocks:
                assert isinstance(block, _EquivariantBlock)
                _initialise_he(block.layer1, GROUP_ORDER * self.channels, generator)
                if self.kernel_basis == "fourier":
                    block.layer1.copy_(fourier_torch.kernel_to_fourier(block.layer1))

    def parameters_by_element(self) -> dict[str, torch.Tensor]:
        """Return all parameters by name, group convolutions by group element, without gradients."""
        found = {name: each.detach() for name, each in self.named_parameters()}
        if self.kernel_basis == "fourier":
            for name in filter(_is_kernel, found):
                found[name] = fourier_torch.kernel_from_fourier(found[name])
        return found

    @torch.no_grad()
    def load_by_element(self, name: str, values: torch.Tensor) -> None:
        """Set a parameter to values as `parameters_by_element` returns them."""
        if self.kernel_basis == "fourier" and _is_kernel(name):
            values = fourier_torch.kernel_to_fourier(values)
        self.get_parameter(name).copy_(values)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        inputs = nn.functional.dropout(inputs, self.input_dropout, self.training)
        if self.training and self.dropout:
            return self.project(self.forward_in_group_domain(inputs))
        layers = self.transform_layers(inputs.dtype)
        return self.project_lifted(torch.bmm(inputs, layers.filters), layers)

    def forward_experts(self, experts: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
        """Return the outputs of (groups, positions, features), each group by its expert."""
        layers = self.transform_layers(inputs.dtype).select_experts(experts)
        return self.project_lifted(torch.bmm(inputs, layers.filters), layers)

    def last_units(self, inputs: torch.Tensor, experts: torch.Tensor | None = None) -> torch.Tensor:
        """Return the last hidden units, (experts, positions, 16 * channels), via the Fourier basis:
        a tenth of the work, but no dropout. With `experts` each group of inputs has its expert."""
        layers = self.transform_layers(inputs.dtype)
        if experts is not None:
            layers = layers.select_experts(experts)
        return self._forward_lifted(torch.bmm(inputs, layers.filters), layers)

    def mean_units(self, inputs: torch.Tensor, experts: torch.Tensor) -> torch.Tensor:
        """Return the means over the group of `last_units`, (groups, positions, channels)."""
        units = self.last_units(inputs, experts)
        return units.view(*units.shape[:2], GROUP_ORDER, -1).mean(2)

    def project(self, units: torch.Tensor) -> torch.Tensor:
        """Return the outputs for the last hidden units."""
        return self._project(units, self.last, self.last_bias)

    def _project(self, units: torch.Tensor, last: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        if self.has_point_outputs:
            last = group.expand_point_projection(last, self.output_permutations)
            return _affine(units, last, bias[..., self.bias_index])
        return _affine(units, group.expand_invariant_projection(last), bias)

    def _project_mean(
        self, mean: torch.Tensor, last: torch.Tensor, bias: torch.Tensor
    ) -> torch.Tensor:
        """Return invariant outputs for the mean of the last units over the group."""
        number = last.shape[1]
        missing = -number % OUTPUT_ALIGNMENT if mean.is_cuda else 0
        last = nn.functional.pad(last, (0, 0, 0, missing))
        return _affine(mean, last, nn.functional.pad(bias, (0, missing)))[..., :number]

    def forward_in_group_domain(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return the last hidden units, (experts, positions, 16 * channels); no Fourier basis."""
        first = group.expand_lifting(self.first, self.input_permutations)
        units = _affine(inputs, first, group.expand_bias(self.first_bias))
        for block in self._blocks():
            units = units + block(units, self.relative_elements, self.dropout)
        return torch.relu(units)

    def transform_layers(self, dtype: torch.dtype) -> "FourierLayers":
        """Return the weights in the Fourier basis, to be used many times."""
        filters = group.expand_lifting(self.first, self.input_permutations).to(dtype)
        to_matrices = (
            fourier_torch.split_kernel
            if self.kernel_basis == "fourier"
            else fourier_torch.transform_kernel
        )
        blocks = {
            block: fourier_torch.BlockWeights(
                to_matrices(block.layer1, dtype), block.bias1, to_matrices(block.layer2, dtype)
            )
            for block in dict.fromkeys(self._blocks())
        }
        biases = [self.first_bias, *(block.bias2 for block in self._blocks())]
        return FourierLayers(
            filters.swapaxes(-2, -1),
            biases,
            [blocks[block] for block in self._blocks()],
            self.last,
            self.last_bias,
        )

    def project_lifted(self, lifted: torch.Tensor, layers: "FourierLayers") -> torch.Tensor:
        """Return the outputs for the products of inputs and filters."""
        if self.has_point_outputs:
            return self._project(
                self._forward_lifted(lifted, layers), layers.last, layers.last_bias
            )
        # Invariant outputs depend on the mean over the group alone, a sixteenth of the units.
        mean = fourier_torch.apply_relu_to_mean(*self._forward_blocks(lifted, layers))
        return self._project_mean(mean, layers.last, layers.last_bias)

    def _forward_lifted(self, lifted: torch.Tensor, layers: "FourierLayers") -> torch.Tensor:
        """Return the last hidden units for the products of inputs and filters."""
        units = self._forward_blocks(lifted, layers)
        return fourier_torch.apply_relu_to_group(*units).reshape(lifted.shape)

    def _forward_blocks(
        self, lifted: torch.Tensor, layers: "FourierLayers"
    ) -> tuple[fourier_torch.FourierCoefficients, torch.Tensor]:
        """Return the sum of all blocks in the Fourier basis, and the bias that it lacks."""
        units: fourier_torch.FourierCoefficients | torch.Tensor
        units = lifted.view(*lifted.shape[:2], GROUP_ORDER, self.channels)
        # A bias is equal at all group elements, so it can be added at the next ReLU.
        bias, *biases = layers.biases
        for block, more in zip(layers.blocks, biases, strict=True):
            units = fourier_torch.apply_block(units, bias, block)
            bias = bias + more
        if isinstance(units, torch.Tensor):  # there is no block
            units = fourier_torch.to_fourier(units)
        return units, bias

    def _blocks(self) -> Iterator["_EquivariantBlock"]:
        for _ in range(self.repeats):
            for block in self.blocks:
                assert isinstance(block, _EquivariantBlock)
                yield block

    def _constant(self, name: str, values: Any) -> None:
        self.register_buffer(name, torch.as_tensor(values), persistent=False)


class FourierLayers(NamedTuple):
    """Weights of networks, those of hidden layers in the Fourier basis."""

    filters: torch.Tensor
    """Of the lifting layer in the group domain, (experts, features, 16 * channels)."""

    biases: Sequence[torch.Tensor]
    """Of the lifting layer and of the outputs of all blocks, each (experts, 1, channels)."""

    blocks: list[fourier_torch.BlockWeights]
    """In the order of the passes."""

    last: torch.Tensor
    """Of the output layer, which stays as it is."""

    last_bias: torch.Tensor

    def select_experts(self, experts: torch.Tensor) -> Self:
        """Return the weights of these experts, which may occur several times."""
        return type(self)(
            self.filters[experts],
            [bias[experts] for bias in self.biases],
            [block.select_experts(experts) for block in self.blocks],
            self.last[experts],
            self.last_bias[experts],
        )


class _EquivariantBlock(nn.Module):
    """The residual branch of a block: two group convolutions, the second initially 0."""

    def __init__(self, experts: int, channels: int, kernel_basis: KernelBasis) -> None:
        super().__init__()
        self.kernel_basis = kernel_basis
        self.layer1 = nn.Parameter(torch.empty(experts, GROUP_ORDER, channels, channels))
        self.bias1 = nn.Parameter(torch.zeros(experts, 1, channels))
        self.layer2 = nn.Parameter(torch.zeros(experts, GROUP_ORDER, channels, channels))
        self.bias2 = nn.Parameter(torch.zeros(experts, 1, channels))

    def forward(self, units: torch.Tensor, step: torch.Tensor, dropout: float) -> torch.Tensor:
        units = nn.functional.dropout(torch.relu(units), dropout, self.training)
        units = _affine(units, self._expand(self.layer1, step), group.expand_bias(self.bias1))
        units = nn.functional.dropout(torch.relu(units), dropout, self.training)
        return _affine(units, self._expand(self.layer2, step), group.expand_bias(self.bias2))

    def _expand(self, kernel: torch.Tensor, step: torch.Tensor) -> torch.Tensor:
        if self.kernel_basis == "fourier":
            kernel = fourier_torch.kernel_from_fourier(kernel)
        expanded: torch.Tensor = group.expand_group_convolution(kernel, step)
        return expanded


def fourier_parameters(model: nn.Module) -> Iterator[nn.Parameter]:
    """Yield the weights of all group convolutions in the Fourier basis, (experts, 16, to, from)."""
    for module in model.modules():
        if isinstance(module, _EquivariantBlock) and module.kernel_basis == "fourier":
            yield module.layer1
            yield module.layer2


def _is_kernel(name: str) -> bool:
    return name.endswith((".layer1", ".layer2"))


def _affine(units: torch.Tensor, weights: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Apply each expert's layer to its own positions."""
    return torch.baddbmm(bias.to(units.dtype), units, weights.to(units.dtype).swapaxes(-2, -1))


def _initialise_he(weights: torch.Tensor, inputs: int, generator: torch.Generator | None) -> None:
    weights.normal_(0, (2 / inputs) ** 0.5, generator=generator)


def _find_moved_outputs(outputs: Permutations) -> Any:
    """Return 1 for points and 0 for fixed outputs: all points share one bias, by equivariance."""
    moved = (outputs != outputs[:1]).any(axis=0)
    return moved.astype("int64")
