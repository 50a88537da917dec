"""Networks that come with the package, and any other by its file."""

from functools import lru_cache
from pathlib import Path

from ludus.learn.patterns.file import load
from ludus.learn.patterns.network import Network

FOLDER = Path(__file__).parent / "data"

SHIPPED = ("seed", "long")
"""`seed` has learned the 430 games of the paper's plan, `long` ten times as many of each kind."""

EMPTY = "empty"
"""The network that has learned nothing: its player moves at random."""


def network(name: str) -> Network:
    """A network by its name or file. It is the caller's own, who may go on teaching it."""
    if name == EMPTY:
        return Network(note="nothing learned")
    if name in SHIPPED:
        return _shipped(name).copy()
    return load(Path(name))


@lru_cache(maxsize=len(SHIPPED))
def _shipped(name: str) -> Network:
    return load(FOLDER / f"{name}.patterns")
