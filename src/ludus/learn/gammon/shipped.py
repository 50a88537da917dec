"""What comes with the program: the expert's data base and trained networks."""

from functools import cache
from pathlib import Path
from typing import Final

from ludus.core.errors import LudusError, quoted
from ludus.datasets.backgammon import lines
from ludus.datasets.backgammon.lines import Lesson
from ludus.learn.gammon.network import Network

DATA: Final = Path(lines.__file__).with_name("data")
WEIGHTS: Final = Path(__file__).with_name("weights")
NETWORKS: Final = ("paper", "comparison")
"""Row (a) of the paper's Table 1, and the same network with alternatives compared."""


def lessons(path: Path) -> list[Lesson]:
    """The lessons of a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise LudusError(f"{quoted(str(path), 200)} is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        raise LudusError(f"cannot read {quoted(str(path), 200)}: {error}") from error
    try:
        return list(lines.read_lessons(text))
    except LudusError as error:
        raise type(error)(f"{quoted(str(path), 200)}, {error}") from error


@cache
def training_lessons() -> tuple[Lesson, ...]:
    """The 3202 positions to learn from."""
    return tuple(lessons(DATA / "train.txt"))


@cache
def test_lessons() -> tuple[Lesson, ...]:
    """The 1000 positions to be tested with."""
    return tuple(lessons(DATA / "test.txt"))


def network(name: str) -> Network:
    """A shipped network by its name, or the one in a file."""
    if name in NETWORKS:
        return Network.load(WEIGHTS / f"{name}.npz")
    return Network.load(Path(name))
