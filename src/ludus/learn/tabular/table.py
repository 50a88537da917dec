"""A learner whose knowledge is a table."""

import dataclasses
from pathlib import Path
from typing import Any, ClassVar

from ludus.core.errors import quoted
from ludus.core.game import AnyGame
from ludus.learn.files import write_whole
from ludus.learn.keeping import KeptLearner
from ludus.learn.tabular.rows import Rows, Table
from ludus.learn.tabular.table_file import BadTable, Saved, read_table


class TableLearner(KeptLearner):
    """Keeps a number for each move of the positions it has seen."""

    rows: ClassVar[type[Rows]] = Rows

    def __init__(self, game: AnyGame, settings: Any = None, spec: str = "") -> None:
        super().__init__(game, settings, spec)
        self.table: Table = {}
        self.places = self.rows(game)

    def summary(self) -> str:
        return f"{len(self.table)} positions in its table"

    def save(self, file: Path, schooling: dict[str, Any]) -> None:
        saved = Saved(
            system=self.system,
            game=self.game.id,
            rules=dataclasses.asdict(self.game.rules),
            options=dataclasses.asdict(self.settings),
            schooling=schooling,
            table=self.table,
        )
        write_whole(file, saved.write().encode())

    def load(self, file: Path) -> dict[str, Any]:
        saved = read_table(file, self.game, self.system)
        if saved.options != dataclasses.asdict(self.settings):
            raise BadTable(f"{quoted(str(file), 200)} was learned with other options")
        self.table = saved.table
        return saved.schooling
