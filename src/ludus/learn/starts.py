"""Where lessons begin: the boards one full move ahead of the start of a game.

From the start itself an opponent that never errs holds the draw in all these games, and a learner
could never win. The boards are those of Muggleton and Hocquette (2019). Symmetric boards count as
one in noughts and crosses and on the small board of hexapawn. The opponent goes by the order of
the cells where moves are equally good, so it matters which board stands for its class: in
noughts and crosses the one that comes first reading the cells as numbers, empty 0, cross 1,
nought 2; in hexapawn the one that is met first. The published figures fit these alone.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from ludus.core.game import AnyGame

MAX_PLIES = 4
"""No lesson begins later in a game."""

Draw = Literal["uniform", "shuffled", "one"]
"""How the boards of the games are drawn: each time anew, all in turn before any comes again, or
one for all games."""


def start_boards(game: AnyGame) -> list[Any]:
    """The boards that one move of each side leads to, in the order in which they are met.

    >>> from ludus.games import game
    >>> [len(start_boards(game(name))) for name in ("noughts_and_crosses", "hexapawn")]
    [12, 5]
    """
    boards = _one_move_each(game)
    if game.id == "noughts_and_crosses":
        classes = _classes(game, boards)
        return [min(twins, key=_as_number) for twins in classes]
    if game.id == "hexapawn" and game.rules.size == 3:
        return [twins[0] for twins in _classes(game, boards)]
    return boards


def offers(starts: Sequence[Any], draw: Draw, source: random.Random) -> Iterator[Sequence[Any]]:
    """For every game the boards it may begin with, without end."""
    if draw == "one":
        starts = [source.choice(starts)]
    while draw != "shuffled":
        yield starts
    while True:
        for board in source.sample(starts, len(starts)):
            yield [board]


def plies_played(game: AnyGame, start: Any) -> int:
    """The plies that lead to a board where a lesson begins; 0 if it is beyond all of them."""
    boards = {game.start()}
    for ply in range(MAX_PLIES + 1):
        if start in boards:
            return ply
        boards = {board.play(move) for board in boards for move in board.legal_moves()}
    return 0


def _one_move_each(game: AnyGame) -> list[Any]:
    start = game.start()
    first = [start.play(move) for move in start.legal_moves()]
    met = [after.play(reply) for after in first for reply in after.legal_moves()]
    return [board for board in dict.fromkeys(met) if board.outcome() is None]


def _classes(game: AnyGame, boards: list[Any]) -> list[list[Any]]:
    """For each class of symmetric boards, the first that is met and what it is seen as."""
    classes: dict[frozenset[Any], list[Any]] = {}
    for board in boards:
        twins = [game.transform(board, symmetry) for symmetry in game.symmetries()]
        classes.setdefault(frozenset(twins), twins)
    return list(classes.values())


def _as_number(board: Any) -> list[int]:
    return [".XO".index(cell) for cell in board.cells]
