"""The scholar's networks that come with the program, found by way and size.

A file `weights/<way>-<size>.safetensors` is all that makes a scholar known.
"""

from functools import cache
from pathlib import Path
from typing import Final

from ludus.core.errors import BadSpec, quoted
from ludus.learn.scholar.chain import Chain
from ludus.learn.scholar.scorer import Scorer
from ludus.learn.scholar.weights import CHAIN, SCORER, load

FOLDER: Final = Path(__file__).with_name("weights")
FULL: Final = "full"
KINDS: Final = {"scorer": SCORER, "chain": CHAIN}
"""What a file is that plays in each way."""


def networks(
    way: str, size: str = FULL, weights: str = "", folder: Path = FOLDER
) -> Scorer | Chain:
    """Those of a file, or else shipped ones; BadSpec if they do not play in this way."""
    return _read(Path(weights), way) if weights else _shipped(way, size, folder)


def shipped(folder: Path = FOLDER) -> dict[tuple[str, str], Path]:
    """Way and size to the file."""
    found = {}
    for path in sorted(folder.glob("*-*.safetensors")):
        way, _, size = path.stem.partition("-")
        if way in KINDS:
            found[way, size] = path
    return found


@cache
def _shipped(way: str, size: str, folder: Path) -> Scorer | Chain:
    files = shipped(folder)
    if (way, size) not in files:
        known = ", ".join(f"way={way} size={size}" for way, size in files)
        raise BadSpec(
            f"no scholar with way={way} and size {quoted(size)} comes with the program; there are "
            f"{known or 'none'}, and those that ludus train scholar writes: weights=FILE"
        )
    return _read(files[way, size], way)


def _read(path: Path, way: str) -> Scorer | Chain:
    weights = load(path)
    if weights.kind != KINDS[way]:
        other = next(name for name, kind in KINDS.items() if kind == weights.kind)
        raise BadSpec(f"{quoted(str(path), 200)} plays with way={other}, not way={way}")
    return Scorer(weights) if weights.kind == SCORER else Chain(weights)
