"""The scholar's networks that come with the program."""

from functools import cache
from pathlib import Path
from typing import Final

from ludus.core.errors import BadSpec, quoted
from ludus.learn.scholar.scorer import Scorer
from ludus.learn.scholar.weights import load

FOLDER: Final = Path(__file__).with_name("weights")
FULL: Final = "full"


def scorer(weights: str = "", size: str = FULL, folder: Path = FOLDER) -> Scorer:
    """The scorer of a file, or else a shipped one."""
    return _loaded(Path(weights)) if weights else _loaded(_file(size, folder))


def sizes(folder: Path = FOLDER) -> list[str]:
    """What can be asked for."""
    return sorted(path.stem.removeprefix("scorer-") for path in folder.glob("scorer-*.safetensors"))


def _file(size: str, folder: Path) -> Path:
    known = sizes(folder)
    if size not in known:
        raise BadSpec(f"no scholar of size {quoted(size)} comes with the program: {known}")
    return folder / f"scorer-{size}.safetensors"


@cache
def _loaded(path: Path) -> Scorer:
    return Scorer(load(path))
