"""The networks that come with the program, found by size and order.

A file `weights/<size>-<order>.safetensors` is all that makes a set of networks known.
"""

from functools import cache
from pathlib import Path
from typing import Final

from ludus.core.errors import BadSpec, quoted
from ludus.learn.nnmm.chain import Chain
from ludus.learn.nnmm.parts import ORDERS, Order

FOLDER: Final = Path(__file__).with_name("weights")
BEST: Final = "symmetric"
"""The size that plays if nobody says which."""


def chain(weights: str = "", size: str = BEST, order: str = "", folder: Path = FOLDER) -> Chain:
    """The chain of a file, or else a shipped one, of this order or of the first there is."""
    if weights:
        found = Chain.load(Path(weights))
        if order and str(found.order) != order:
            raise BadSpec(f"{quoted(weights, 200)} has the order {found.order}, not {order}")
        return found
    return _shipped(size, order, folder)


def shipped(folder: Path = FOLDER) -> dict[tuple[str, str], Path]:
    """Size and order to the file, those of one size in the sequence of ORDERS."""
    found = {}
    for path in folder.glob("*-*.safetensors"):
        size, _, order = path.stem.rpartition("-")
        if order in ORDERS:
            found[size, order] = path
    return dict(sorted(found.items(), key=lambda item: (item[0][0], ORDERS.index(item[0][1]))))


@cache
def _shipped(size: str, order: str, folder: Path) -> Chain:
    if order:
        Order.parse(order)
    files = shipped(folder)
    for (its_size, its_order), path in files.items():
        if its_size == size and order in ("", its_order):
            return Chain.load(path)
    wanted = f"{size} {order}".strip()
    known = ", ".join(f"size={size} order={order}" for size, order in files)
    raise BadSpec(
        f"no {quoted(wanted)} networks come with the program; there are {known or 'none'}, "
        "and those that ludus train nnmm writes: weights=FILE"
    )
