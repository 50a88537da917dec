"""Programs that come with Ludus: what was learned for each game, as text."""

from importlib.resources import files

from ludus.core.errors import LudusError, quoted
from ludus.learn.migo.text import Saved, parse_program


def shipped(name: str, mode: str) -> Saved:
    """The program that was learned in a game, by the spec of the game."""
    stem = name.replace(":size=", "_")
    file = files(__package__) / "programs" / f"{stem}.{mode}.pl"
    if not stem.replace("_", "").isalnum() or not file.is_file():
        raise LudusError(
            f"no program of {mode} mode comes with Ludus for {quoted(name)}; learn one with "
            f"`ludus migo learn` and name it: program=FILE"
        )
    return parse_program(file.read_text(encoding="ascii"))
