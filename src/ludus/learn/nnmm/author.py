"""The networks that the author of the thesis published, read out of his npz files.

His one residual block is ours: arrays 0 to 7 are weights and biases of the first layer, of both
layers of the block and of the last layer, each weight of shape (inputs, outputs). No file says
what it is for; its name does: `TEST-rawest-TFR_FROM.npz` is the network for FROM in the order TFR
with `rawest` inputs.
"""

import io
import re
import zipfile
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import quoted
from ludus.learn.files import read_whole
from ludus.learn.nnmm.design import Design
from ludus.learn.nnmm.inputs import INPUTS
from ludus.learn.nnmm.parts import PARTS, Order
from ludus.learn.nnmm.weights import Array, BadWeights, ChainWeights

LAYERS = ("first", "blocks.0.layer1", "blocks.0.layer2", "last")
ARRAYS = tuple(f"arr_{number}" for number in range(2 * len(LAYERS)))
NAME = re.compile(
    rf"(.+-)?(?P<inputs>[a-z]+)-(?P<order>[A-Z]{{3}})_(?P<part>{'|'.join(PARTS)})\.npz"
)
UNREADABLE = (ValueError, TypeError, KeyError, EOFError, OSError, zipfile.BadZipFile, zlib.error)
"""What numpy raises for files that are no arrays of numbers."""


def import_folder(folder: Path, order: str = "TFR") -> ChainWeights:
    """The three networks of a folder that choose in this order."""
    wanted = Order.parse(order)
    files = _files(folder, order)
    kinds = {inputs for inputs, _ in files}
    if not kinds:
        raise BadWeights(
            f"{quoted(str(folder), 200)} has no files named like rawest-{order}_TO.npz"
        )
    if len(kinds) > 1:
        raise BadWeights(f"{quoted(str(folder), 200)} has {order} networks of several inputs")
    model = INPUTS[kinds.pop()]
    designs, members = [], []
    for step in wanted.steps:
        path = files.get((model.name, step.name))
        if path is None:
            raise BadWeights(f"{quoted(str(folder), 200)} has no network for {step.name}")
        design, tensors = _network(path)
        designs.append(design.as_dict())
        members.append(tensors)
    facts = {"source": "A. Galassi's published networks", "order": order}
    return ChainWeights(wanted, model, tuple(designs), (tuple(members),), facts)


def _files(folder: Path, order: str) -> dict[tuple[str, str], Path]:
    """Inputs and part to the file of that network."""
    try:
        names = sorted(folder.iterdir())
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadWeights(f"cannot read {quoted(str(folder), 200)}: {reason}") from error
    found = {}
    for path in names:
        match = NAME.fullmatch(path.name)
        if match and match["order"] == order and match["inputs"] in INPUTS:
            found[match["inputs"], match["part"]] = path
    return found


def _network(path: Path) -> tuple[Design, dict[str, Array]]:
    try:
        with np.load(io.BytesIO(read_whole(path)), allow_pickle=False) as stored:
            arrays = [_floats(stored[name]) for name in ARRAYS]
        tensors: dict[str, Array] = {}
        for layer, weight, bias in zip(LAYERS, arrays[::2], arrays[1::2], strict=True):
            if weight.ndim != 2 or bias.shape != weight.shape[1:]:
                raise ValueError(f"{layer} has arrays of shape {weight.shape} and {bias.shape}")
            tensors |= {f"{layer}.weight": weight.T, f"{layer}.bias": bias}
    except UNREADABLE as error:
        reason = quoted(str(error), 100)
        raise BadWeights(f"{quoted(str(path), 200)} holds no network: {reason}") from error
    (_, first), (_, units) = arrays[0].shape, arrays[2].shape
    return Design("residual", first=first, units=units, blocks=1), tensors


def _floats(array: NDArray[np.generic]) -> Array:
    floats: Array = array.astype(np.float64)
    if not np.isfinite(floats).all():
        raise ValueError("a weight is not a number")
    return floats
