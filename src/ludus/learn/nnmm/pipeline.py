"""The networks of a chain one after another, in torch: each sees what those before have chosen.

`chain.py` does the same in numpy, with more ways of choosing; here whole datasets are answered on
the device that has just trained the networks.
"""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ludus.learn.nnmm.examples import Coded
from ludus.learn.nnmm.inputs import with_choices
from ludus.learn.nnmm.judging import scores_of
from ludus.learn.nnmm.parts import PARTS, Order

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
        presence: list[nn.Module] = []
        for number, step in enumerate(order.steps):
            networks = [member[number] for member in members]
            if step.asks_presence:
                presence = networks
                continue
            rows = with_choices(coded.model, coded.rows[part], classes[part][:, list(step.after)])
            inputs = torch.from_numpy(rows).to(device)
            classes[part, step.part] = _best(networks, presence, inputs).cpu().numpy()
            presence = []
    return classes


def _best(networks: Sequence[nn.Module], presence: Sequence[nn.Module], inputs: Tensor) -> Tensor:
    """The most likely class of a part, by the mean of what the members say.

    Where networks of their own say whether there is such a part, that is decided first.
    """
    if not presence:
        return _mean([torch.softmax(scores_of(each, inputs), dim=1) for each in networks]).argmax(1)
    is_there = [torch.softmax(scores_of(each, inputs), dim=1) for each in presence]
    points = [
        torch.softmax(scores_of(each, inputs)[:, 1:], dim=1) * there[:, 1:]
        for each, there in zip(networks, is_there, strict=True)
    ]
    is_likely = _mean(is_there).argmax(dim=1)
    return is_likely * (1 + _mean(points).argmax(dim=1))


def _mean(probabilities: Sequence[Tensor]) -> Tensor:
    return torch.stack(list(probabilities)).mean(dim=0)
