"""How a person handles each game's board: touching, taking back, and being told what to do."""

from ludus.core.game import AnyGame
from ludus.core.registry import Registry
from ludus.web.boards.board import Board

BOARDS: Registry[type[Board]] = Registry(
    "board",
    {
        "nine_mens_morris": "ludus.web.boards.morris:MorrisBoard",
        "backgammon": "ludus.web.boards.backgammon:BackgammonBoard",
        "noughts_and_crosses": "ludus.web.boards.squares:NoughtsBoard",
        "hexapawn": "ludus.web.boards.squares:HexapawnBoard",
    },
)


def board_of(game: AnyGame) -> Board:
    """The board of a game; a game that has none of its own gets the plain one."""
    if game.id not in BOARDS:
        return Board(game)
    return BOARDS[game.id](game)
