"""Actions and observations of the games on a square board."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from ludus.core.game import Game, M
from ludus.games import hexapawn, noughts_and_crosses
from ludus.games.coding import MoveListCoding, Observation
from ludus.games.squares import SquaresPosition, encode_cells


class SquaresCoding(MoveListCoding[SquaresPosition, M]):
    """Squares as `encode_cells` has them, then the number of the side that observes.

    The last column tells which way pawns go.
    """

    letters: ClassVar[str]
    """The men of side 0 and side 1."""

    observation_bounds = (-1.0, 1.0)

    def __init__(self, game: Game[SquaresPosition, M]) -> None:
        super().__init__(game)
        self.observation_size = len(game.start().cells) + 1

    def observe(
        self, position: SquaresPosition, side: int, actions: Sequence[int] = ()
    ) -> Observation:
        squares = encode_cells(position.cells, self.letters[side])
        return np.array([*squares, side], dtype=np.float32)


class NoughtsAndCrossesCoding(SquaresCoding[noughts_and_crosses.Move]):
    """Actions are squares, row by row from the top left."""

    letters = "XO"


class HexapawnCoding(SquaresCoding[hexapawn.Move]):
    """Actions are steps and captures of either side, in the order of `Hexapawn.all_moves`."""

    letters = "WB"
