"""Tables with a number per position and move: row keys, JSON file, base class of learners."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from ludus.core.errors import LudusError, quote
from ludus.core.files import MAX_FILE_BYTES, parse_json_object, quote_path, read_text, write_text
from ludus.core.game import AnyGame, Move, Position
from ludus.learn.checkpoint import TrainingState
from ludus.learn.episodes import Learner, complete_rules

TableRow = dict[str, float]
"""Move, as text, to its beads or its value."""

MoveTable = dict[str, TableRow]


Symmetry = Literal["both", "moves", "none"]
"""What mirror images share: positions a row and moves an entry (both), only the moves of one
position an entry (moves), or nothing.
"""


class RowIndex:
    """Maps positions and moves to rows and entries of a table."""

    def __init__(self, game: AnyGame, symmetry: Symmetry) -> None:
        self.game = game
        self.symmetry = symmetry
        self._known: dict[Position, tuple[str, dict[Move, str]]] = {}

    def locate(self, position: Position) -> tuple[str, dict[Move, str]]:
        """Return the key of the row, and the entry name of every legal move."""
        if position not in self._known:
            self._known[position] = self._compute_key(position)
        return self._known[position]

    def _compute_key(self, position: Position) -> tuple[str, dict[Move, str]]:
        if self.symmetry == "none":
            return str(position), {move: str(move) for move in position.legal_moves()}
        game = self.game
        images = [(str(game.transform(position, each)), each) for each in game.symmetries()]
        if self.symmetry == "moves":
            images = [each for each in images if each[0] == str(position)]
        key, symmetry = min(images)
        box = game.transform(position, symmetry)
        same = [each for each in game.symmetries() if str(game.transform(box, each)) == key]
        names = {}
        for move in position.legal_moves():
            there = game.transform_move(move, symmetry)
            names[move] = min(str(game.transform_move(there, each)) for each in same)
        return key, names


TABLE_FORMAT = "ludus table"
TABLE_VERSION = 1

TRAINING_RUN_KEY = "schooling"
"""Key in the file of the settings of the training run."""


class BadTable(LudusError):
    """A file is not a table, or is one of another learner or game."""


@dataclass(frozen=True, slots=True)
class SavedTable:
    """A learned table with its origin; the JSON file is described in docs/tabular.md."""

    system: str
    """The learner's name, as in `ludus train`."""

    game: str
    rules: dict[str, Any]
    options: dict[str, Any]
    """The learner's options."""

    training_run: dict[str, Any]
    """Settings of the training run; `games` is the number of games played."""

    table: MoveTable = field(default_factory=dict)

    def save(self, path: Path) -> None:
        """Write the file."""
        write_text(path, self.format())

    def format(self) -> str:
        """Return the text of the file, with one line per row."""
        head = {
            "format": TABLE_FORMAT,
            "version": TABLE_VERSION,
            "system": self.system,
            "game": self.game,
            "rules": self.rules,
            "options": self.options,
            TRAINING_RUN_KEY: self.training_run,
        }
        rows = ",\n".join(
            f"  {json.dumps(key)}: {json.dumps(row)}" for key, row in self.table.items()
        )
        lines = (f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items())
        return "{\n" + ",\n".join((*lines, f' "table": {{\n{rows}\n }}')) + "\n}\n"

    @staticmethod
    def parse(text: str, game: AnyGame, system: str) -> "SavedTable":
        """Parse the text of a file; raise BadTable if it is not of this learner and game."""
        found = parse_json_object(text)
        if found is None or found.get("format") != TABLE_FORMAT:
            raise BadTable(f"it has no format {TABLE_FORMAT!r}")
        if found.get("version") != TABLE_VERSION:
            version = quote(str(found.get("version")))
            raise BadTable(f"it has version {version}; {TABLE_VERSION} is read here")
        wanted = {"system": system, "game": game.id, "rules": asdict(game.rules)}
        found["rules"] = complete_rules(found.get("rules"), game)
        for key, value in wanted.items():
            if found.get(key) != value:
                raise BadTable(
                    f"its {key} is {quote(str(found.get(key)))} instead of {quote(str(value))}"
                )
        for key in ("options", TRAINING_RUN_KEY, "table"):
            if not isinstance(found.get(key), dict):
                raise BadTable(f"it has no {key}")
        table = found["table"]
        _check_table(table, game)
        run = found[TRAINING_RUN_KEY]
        return SavedTable(system, game.id, found["rules"], found["options"], run, table)


def load_table(file: Path, game: AnyGame, system: str) -> SavedTable:
    """Read a table from a file; BadTable names the file."""
    text = read_text(file, MAX_FILE_BYTES, BadTable)
    try:
        return SavedTable.parse(text, game, system)
    except BadTable as error:
        raise BadTable(f"{quote_path(file)} is no table of {system} here: {error}") from error


def _check_table(table: Any, game: AnyGame) -> None:
    """Check that every row is of a position of the game and has numbers for legal moves only."""
    for key, row in table.items():
        try:
            position = game.parse(key)
        except LudusError as error:
            raise BadTable(f"one of its positions is invalid: {error}") from error
        if str(position) != key or not isinstance(row, dict) or not row:
            raise BadTable(f"its row of {quote(key)} is malformed")
        legal = {str(move) for move in position.legal_moves()}
        for move, number in row.items():
            if move not in legal:
                raise BadTable(f"{quote(move)} is not legal in its position {quote(key)}")
            is_number = isinstance(number, int | float) and not isinstance(number, bool)
            if not is_number or abs(number) > 1e12 or math.isnan(number):
                raise BadTable(f"{quote(str(number))} in its row of {quote(key)} is not a number")


class TableLearner(Learner):
    """Learns a number for each move of the positions it has met."""

    def __init__(self, game: AnyGame, options: Any = None, spec: str = "") -> None:
        super().__init__(game, options, spec)
        self.table: MoveTable = {}
        self.row_index = RowIndex(game, self.options.symmetry)

    def summary(self) -> str:
        return f"{len(self.table)} positions in its table"

    def state(self) -> TrainingState:
        return TrainingState({"table": self.table})

    def load(self, state: TrainingState) -> None:
        self.table = state.facts["table"]

    def init_from(self, file: Path) -> None:
        self.table = load_table(file, self.game, self.system).table

    def export(self, training_run: Mapping[str, Any]) -> SavedTable:
        return SavedTable(
            system=self.system,
            game=self.game.id,
            rules=asdict(self.game.rules),
            options=self.options.model_dump(),
            training_run=dict(training_run),
            table=self.table,
        )
