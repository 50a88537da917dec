"""A table has a number for each move of each position, all written as texts; here is where."""

from typing import Any

from ludus.core.game import AnyGame

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
