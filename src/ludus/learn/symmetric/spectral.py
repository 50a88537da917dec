"""Symmetric networks in torch through the group's harmonics: a tenth of the work.

What `networks.Symmetric` says it says here as well. Between two layers each unit goes from the
harmonics' terms into the sixteen views, where the rectifier belongs, and back; on a GPU that is one
kernel (`kernels`), elsewhere two products with a small matrix.
"""

from functools import cache
from typing import NamedTuple

import torch

from ludus.learn.symmetric import kernels
from ludus.learn.symmetric.group import ORDER
from ludus.learn.symmetric.harmonics import PLANES, SIGNS, representations, waves


class Terms(NamedTuple):
    """Units in terms of the harmonics."""

    signs: torch.Tensor
    """(experts, 8, positions, channels)"""

    planes: torch.Tensor
    """(experts, plane, row, positions, column, channels)"""


class Layer(NamedTuple):
    """A layer that mixes views, in terms of the harmonics."""

    signs: torch.Tensor
    """(experts * 8, from, to)"""

    planes: torch.Tensor
    """(experts * 2, 2 * from, 2 * to)"""


def layer(steps: torch.Tensor, kind: torch.dtype) -> Layer:
    """From matrices for each step from view to view, (experts, 16, to, from)."""
    experts, _, to, frm = steps.shape
    signs, planes = _representations(steps.dtype, steps.device)
    blocks = torch.einsum("ra,eakl->erlk", signs, steps)
    pairs = torch.einsum("rajl,eakm->erlmjk", planes, steps)
    return Layer(
        blocks.reshape(experts * SIGNS, frm, to).to(kind),
        pairs.reshape(experts * PLANES, 2 * frm, 2 * to).to(kind),
    )


def entered(units: torch.Tensor) -> Terms:
    """(experts, positions, 16, channels) in terms of the harmonics."""
    if kernels.serve(units):
        return Terms(*kernels.entered(units))
    return _terms(units.permute(0, 2, 1, 3))


def passed(terms: Terms, bias: torch.Tensor) -> Terms:
    """Rectified in the views, with a bias (experts, 1, channels) that is the same in all."""
    if kernels.serve(terms.signs):
        return Terms(*kernels.passed(*terms, bias))
    return _terms(torch.relu(_views(terms) + bias[:, None]))


def left(terms: Terms, bias: torch.Tensor) -> torch.Tensor:
    """The same, but left in the views: (experts, positions, 16, channels)."""
    if kernels.serve(terms.signs):
        found: torch.Tensor = kernels.left(*terms, bias)
        return found
    return torch.relu(_views(terms) + bias[:, None]).permute(0, 2, 1, 3)


def mixed(terms: Terms, by: Layer, plus: Terms | None = None) -> Terms:
    """A layer applied; `plus` is added to what comes out."""
    experts, _, positions, channels = terms.signs.shape
    rows = terms.signs.reshape(experts * SIGNS, positions, channels)
    pairs = terms.planes.reshape(experts * PLANES, 2 * positions, 2 * channels)
    to = by.signs.shape[2]
    signs_shape = (experts, SIGNS, positions, to)
    planes_shape = (experts, PLANES, 2, positions, 2, to)
    if plus is None:
        signs, planes = torch.bmm(rows, by.signs), torch.bmm(pairs, by.planes)
    else:
        signs = torch.baddbmm(plus.signs.reshape(experts * SIGNS, positions, to), rows, by.signs)
        more = plus.planes.reshape(experts * PLANES, 2 * positions, 2 * to)
        planes = torch.baddbmm(more, pairs, by.planes)
    return Terms(signs.view(signs_shape), planes.view(planes_shape))


def _terms(views: torch.Tensor) -> Terms:
    """From (experts, 16, positions, channels)."""
    experts, _, positions, channels = views.shape
    terms = torch.einsum("sg,egbk->esbk", _waves(views.dtype, views.device), views)
    planes = terms[:, SIGNS:].reshape(experts, PLANES, 2, 2, positions, channels)
    return Terms(terms[:, :SIGNS], planes.transpose(3, 4))


def _views(terms: Terms) -> torch.Tensor:
    """To (experts, 16, positions, channels)."""
    experts, _, positions, channels = terms.signs.shape
    planes = terms.planes.transpose(3, 4).reshape(experts, ORDER - SIGNS, positions, channels)
    joined = torch.cat([terms.signs, planes], dim=1)
    return torch.einsum("sg,esbk->egbk", _waves(joined.dtype, joined.device), joined)


# Kept where they are used: to send them there each time would make a GPU wait.


@cache
def _waves(kind: torch.dtype, device: torch.device) -> torch.Tensor:
    return torch.as_tensor(waves(), dtype=kind, device=device)


@cache
def _representations(kind: torch.dtype, device: torch.device) -> list[torch.Tensor]:
    return [torch.as_tensor(each, dtype=kind, device=device) for each in representations()]
