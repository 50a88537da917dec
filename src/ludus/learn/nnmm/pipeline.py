"""The networks of a chain one after another, in torch: each sees what those before have chosen.

`chain.py` does the same in numpy, with more ways of choosing; here whole datasets are answered on
the device that has just trained the networks.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ludus.learn.nnmm.examples import Coded
from ludus.learn.nnmm.inputs import with_choices
from ludus.learn.nnmm.judging import scores_of
from ludus.learn.nnmm.parts import PARTS, Order, Step

BATCH = 65536


def chosen(
    members: Sequence[Sequence[nn.Module]], coded: Coded, order: Order, device: torch.device
) -> NDArray[np.int8]:
    """The classes TO, FROM and REMOVE that the networks choose, shape (entries, 3).

    `members` has the networks of all steps for each member of the ensemble.
    """
    classes = np.zeros((len(coded.entries), len(PARTS)), dtype=np.int8)
    for first in range(0, len(classes), BATCH):
        part = slice(first, first + BATCH)
        for number, step in enumerate(order.steps):
            rows = with_choices(coded.model, coded.rows[part], classes[part][:, list(step.after)])
            networks = [member[number] for member in members]
            _choose(classes[part], step, order, _mean(networks, rows, device))
    return classes


def _mean(
    networks: Sequence[nn.Module], rows: NDArray[Any], device: torch.device
) -> NDArray[np.float32]:
    """The mean of the probabilities that networks give to each class."""
    inputs = torch.from_numpy(rows).to(device)
    found = [torch.softmax(scores_of(network, inputs), dim=1) for network in networks]
    mean: NDArray[np.float32] = torch.stack(found).mean(dim=0).cpu().numpy()
    return mean


def _choose(
    classes: NDArray[np.int8], step: Step, order: Order, probabilities: NDArray[np.float32]
) -> None:
    """Enter the choice of a step. Whether a part is there is noted as class 1 in its place."""
    best = probabilities.argmax(axis=1)
    if order.has_presence and not step.asks_presence and step.name != "TO":
        best = np.where(classes[:, step.part] == 0, 0, 1 + probabilities[:, 1:].argmax(axis=1))
    classes[:, step.part] = best
