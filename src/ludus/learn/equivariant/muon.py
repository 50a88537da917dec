"""Muon for the weights of group convolutions: momentum, orthogonalised in the Fourier basis.

Muon (Jordan and others 2024) replaces the momentum of a weight matrix by the nearest orthogonal
matrix, so that a step changes all directions alike. A group convolution is one large matrix, 16
times as wide as its channels, that is block diagonal in the Fourier basis; orthogonal blocks make
an orthogonal matrix. So networks have their weights in that basis (`kernel_basis`). The other
weights are trained by Adam.
"""

from typing import Any

import torch
from torch import nn
from torch.optim import Adam, Optimizer

from ludus.learn.equivariant.fourier_torch import split_irreps
from ludus.learn.equivariant.group import GROUP_ORDER
from ludus.learn.equivariant.network import fourier_parameters

NEWTON_SCHULZ_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
"""Of an iteration aX + bXX'X + c(XX')²X, which moves singular values towards 1; these of Jordan
reach 0.7 to 1.2 soon rather than 1 exactly."""

NUM_NEWTON_SCHULZ_STEPS = 5

ADAM_UPDATE_SIZE = 0.2
"""Usual root mean square of the entries of Adam's updates, in learning rates; those of Muon get the
same, so that one learning rate serves both (Liu and others 2025, section 2.2)."""

MOMENTUM = 0.95

MIN_NORM = 1e-7
"""Norm below which a matrix is not scaled up to 1."""


class Muon(Optimizer):
    """Muon for group convolutions, and Adam for all other weights of a model, as one optimizer."""

    def __init__(
        self,
        model: nn.Module,
        *,
        momentum: float = MOMENTUM,
        weight_decay: float = 0.0,
        **options: Any,
    ) -> None:
        """`options` are those of Adam; the decay of weights is that of group convolutions alone."""
        kernels = list(fourier_parameters(model))
        if not kernels:
            raise ValueError("Muon trains group convolutions with kernel_basis='fourier'")
        is_kernel = set(kernels)
        others = [each for each in model.parameters() if each not in is_kernel]
        self._adam = Adam(others, **options)
        super().__init__([{"params": kernels}], {"lr": self._adam.defaults["lr"]})
        self.momentum, self.weight_decay = momentum, weight_decay
        self.param_groups += self._adam.param_groups

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Update all weights that have gradients."""
        assert closure is None
        kernels, *others = self.param_groups
        self._update_kernels(kernels)
        # Restoring a checkpoint replaces both.
        self._adam.param_groups, self._adam.state = others, self.state
        self._adam.step()

    def _update_kernels(self, group: dict[str, Any]) -> None:
        kernels = [each for each in group["params"] if each.grad is not None]
        if not kernels:
            return
        gradients = [each.grad for each in kernels]
        for kernel in kernels:
            if not self.state[kernel]:
                self.state[kernel]["momentum"] = torch.zeros_like(kernel)
        momenta = [self.state[kernel]["momentum"] for kernel in kernels]
        if self.weight_decay:
            torch._foreach_mul_(kernels, 1 - self.weight_decay * group["lr"])
        torch._foreach_lerp_(momenta, gradients, 1 - self.momentum)
        directions = torch._foreach_lerp(gradients, momenta, self.momentum)  # Nesterov's
        by_shape: dict[tuple[int, ...], list[int]] = {}
        for number, kernel in enumerate(kernels):
            by_shape.setdefault(tuple(kernel.shape), []).append(number)
        for numbers in by_shape.values():
            updates = orthogonalize_kernels(torch.cat([directions[number] for number in numbers]))
            size = ADAM_UPDATE_SIZE * (GROUP_ORDER * max(updates.shape[2:])) ** 0.5
            updates *= -size * group["lr"]
            chosen = [kernels[number] for number in numbers]
            torch._foreach_add_(chosen, list(torch.split(updates, [len(each) for each in chosen])))


def orthogonalize_kernels(kernels: torch.Tensor) -> torch.Tensor:
    """Orthogonalise group convolutions in the Fourier basis, (number, 16, to, from).

    Returns them in single precision.
    """
    _, _, to, frm = kernels.shape
    signs, planes = split_irreps(kernels)
    found = (
        orthogonalize(signs.reshape(-1, to, frm)).reshape(signs.shape),
        orthogonalize(planes.reshape(-1, 2 * to, 2 * frm)).reshape(planes.shape),
    )
    return torch.cat(found, dim=1).float()


def orthogonalize(matrices: torch.Tensor) -> torch.Tensor:
    """Return nearly the nearest orthogonal matrices, (number, rows, columns), in bfloat16 on a GPU.

    Singular values become 0.7 to 1.2, unless they are below a hundredth of the norm.
    """
    first, third, fifth = NEWTON_SCHULZ_COEFFICIENTS
    # With Y = scale * X and R = YY' + third / (2 * sqrt(fifth)), whose factor of YY' is thereby
    # sqrt(fifth), the iteration is Y = (RR + rest) Y: products alone, and sums on diagonals.
    scale, shift = fifth**0.25, third / (2 * fifth**0.5)
    rest = first - shift**2
    norms = torch.linalg.matrix_norm(matrices, keepdim=True)
    found: torch.Tensor = matrices * (scale / (norms + MIN_NORM))
    if found.is_cuda:
        found = found.bfloat16()
    is_tall = found.shape[-2] > found.shape[-1]
    if is_tall:
        found = found.mT.contiguous()
    for _ in range(NUM_NEWTON_SCHULZ_STEPS):
        roots = torch.bmm(found, found.mT)
        roots.diagonal(dim1=1, dim2=2).add_(shift)
        factors = torch.bmm(roots, roots)
        factors.diagonal(dim1=1, dim2=2).add_(rest)
        found = torch.bmm(factors, found)
    found /= scale
    return found.mT if is_tall else found
