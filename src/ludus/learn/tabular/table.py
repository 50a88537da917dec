"""The table of a learner: a number for each move of each position, all written as texts."""

from typing import Any, ClassVar

from ludus.core.game import AnyGame
from ludus.learn.lessons import Learner

Row = dict[str, float]
"""Move to its beads, or to what it is worth."""

Table = dict[str, Row]


class Rows:
    """Where the moves of a position are found in a table: here each position has its own row."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self._known: dict[Any, tuple[str, dict[Any, str]]] = {}

    def find(self, position: Any) -> tuple[str, dict[Any, str]]:
        """The row's key, and for every legal move what it is called in that row."""
        if position not in self._known:
            self._known[position] = self._look(position)
        return self._known[position]

    def _look(self, position: Any) -> tuple[str, dict[Any, str]]:
        return str(position), {move: str(move) for move in position.legal_moves()}


class SymmetricRows(Rows):
    """Positions that are one another's mirror images share a row, and so do such moves."""

    def _look(self, position: Any) -> tuple[str, dict[Any, str]]:
        game = self.game
        seen = [(str(game.transform(position, each)), each) for each in game.symmetries()]
        key, turned = min(seen)
        box = game.transform(position, turned)
        same = [each for each in game.symmetries() if str(game.transform(box, each)) == key]
        names = {}
        for move in position.legal_moves():
            there = game.transform_move(move, turned)
            names[move] = min(str(game.transform_move(there, each)) for each in same)
        return key, names


class TableLearner(Learner):
    """A learner whose knowledge is a table."""

    system: ClassVar[str]
    """Its name, as in `ludus train`."""

    rows: ClassVar[type[Rows]] = Rows

    def __init__(self, game: AnyGame, settings: Any = None, spec: str = "") -> None:
        super().__init__(game, settings, spec)
        self.table: Table = {}
        self.places = self.rows(game)
