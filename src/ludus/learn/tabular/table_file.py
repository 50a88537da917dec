"""Tables in files: JSON with a format and a version, described in docs/tabular.md."""

import dataclasses
import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludus.core.errors import LudusError, quoted
from ludus.core.game import AnyGame
from ludus.learn.files import read_whole
from ludus.learn.tabular.rows import Table

FORMAT = "ludus table"
VERSION = 1


class BadTable(LudusError):
    """A file is not a table, or is one of another learner or game."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What a learner has learned, and how."""

    system: str
    """The learner's name, as in `ludus train`."""

    game: str
    rules: dict[str, Any]
    options: dict[str, Any]
    """The learner's options."""

    schooling: dict[str, Any]
    """How it was taught; `games` tells how many games it has played."""

    table: Table = field(default_factory=dict)

    def write(self) -> str:
        """The text of the file, with a line for each row."""
        head = {"format": FORMAT, "version": VERSION, **dataclasses.asdict(self)}
        rows = ",\n".join(
            f"  {json.dumps(key)}: {json.dumps(row)}" for key, row in head.pop("table").items()
        )
        lines = (f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items())
        return "{\n" + ",\n".join((*lines, f' "table": {{\n{rows}\n }}')) + "\n}\n"

    @staticmethod
    def read(text: str, game: AnyGame, system: str) -> "Saved":
        """A table of this learner and game from the text of a file; BadTable otherwise."""
        found = _object(text)
        if found.get("format") != FORMAT:
            raise BadTable(f"it has no format {FORMAT!r}")
        if found.get("version") != VERSION:
            version = quoted(str(found.get("version")))
            raise BadTable(f"it has version {version}; {VERSION} is read here")
        wanted = {
            "system": system,
            "game": game.id,
            "rules": dataclasses.asdict(game.rules),
        }
        for key, value in wanted.items():
            if found.get(key) != value:
                raise BadTable(
                    f"its {key} is {quoted(str(found.get(key)))} instead of {quoted(str(value))}"
                )
        for key in ("options", "schooling", "table"):
            if not isinstance(found.get(key), dict):
                raise BadTable(f"it has no {key}")
        names = (item.name for item in dataclasses.fields(Saved))
        saved = Saved(**{name: found[name] for name in names})
        _check(saved.table, game)
        return saved


def read_table(file: Path, game: AnyGame, system: str) -> Saved:
    """The table in a file; BadTable, with the name of the file, if it is none of this kind."""
    content = read_whole(file)
    try:
        return Saved.read(content.decode(), game, system)
    except UnicodeDecodeError:
        raise BadTable(f"{quoted(str(file), 200)} is not valid UTF-8 text") from None
    except BadTable as error:
        raise BadTable(f"{quoted(str(file), 200)} is no table of {system} here: {error}") from error


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise BadTable("it is not JSON") from None
    if not isinstance(found, dict):
        raise BadTable("it is not a JSON object")
    return found


def _check(table: Any, game: AnyGame) -> None:
    """Every row belongs to a position of the game, and has a number for moves that are legal."""
    for key, row in table.items():
        try:
            position = game.parse(key)
        except LudusError as error:
            raise BadTable(f"one of its positions is none: {error}") from error
        if str(position) != key or not isinstance(row, dict) or not row:
            raise BadTable(f"its row of {quoted(key)} is malformed")
        legal = {str(move) for move in position.legal_moves()}
        for move, number in row.items():
            if move not in legal:
                raise BadTable(f"{quoted(move)} is not legal in its position {quoted(key)}")
            is_number = isinstance(number, int | float) and not isinstance(number, bool)
            if not is_number or abs(number) > 1e12 or math.isnan(number):
                raise BadTable(f"{quoted(str(number))} in its row of {quoted(key)} is no number")
