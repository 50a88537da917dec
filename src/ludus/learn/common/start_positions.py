"""Start positions of training games: those after one move of each side.

From the initial position an opponent that never errs holds the draw in all these games, so a
learner could never win. The positions are those of Muggleton and Hocquette (2019). Symmetric
positions count as one in noughts and crosses and on the 3x3 board of hexapawn. The opponent breaks
ties between moves by the order of cells, so the representative of a class matters: in noughts and
crosses the smallest sequence of cells coded as empty 0, cross 1, nought 2; in hexapawn the first in
order of generation. Only these match the published figures.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from ludus.core.game import AnyGame

MAX_PLIES = 4
"""Maximum number of plies before a start position."""

StartSampling = Literal["uniform", "shuffled", "one"]
"""uniform: sampled for each game; shuffled: all in random order before any repeats; one: the same
for all games."""


def list_start_positions(game: AnyGame) -> list[Any]:
    """Return the positions after one move of each side, in order of generation.

    >>> from ludus.games import game
    >>> [len(list_start_positions(game(name))) for name in ("noughts_and_crosses", "hexapawn")]
    [12, 5]
    """
    boards = _play_one_move_each(game)
    if game.id == "noughts_and_crosses":
        classes = _group_by_symmetry(game, boards)
        return [min(twins, key=_cell_codes) for twins in classes]
    if game.id == "hexapawn" and game.rules.size == 3:
        return [twins[0] for twins in _group_by_symmetry(game, boards)]
    return boards


def iterate_start_choices(
    starts: Sequence[Any], draw: StartSampling, source: random.Random
) -> Iterator[Sequence[Any]]:
    """Yield for every game the positions it may begin with, without end."""
    if draw == "one":
        starts = [source.choice(starts)]
    while draw != "shuffled":
        yield starts
    while True:
        for board in source.sample(starts, len(starts)):
            yield [board]


def count_plies_to(game: AnyGame, start: Any) -> int:
    """Return the number of plies from the initial to a start position, 0 if it is not found."""
    boards = {game.start()}
    for ply in range(MAX_PLIES + 1):
        if start in boards:
            return ply
        boards = {board.play(move) for board in boards for move in board.legal_moves()}
    return 0


def _play_one_move_each(game: AnyGame) -> list[Any]:
    start = game.start()
    first = [start.play(move) for move in start.legal_moves()]
    met = [after.play(reply) for after in first for reply in after.legal_moves()]
    return [board for board in dict.fromkeys(met) if board.outcome() is None]


def _group_by_symmetry(game: AnyGame, boards: list[Any]) -> list[list[Any]]:
    """Return the orbit of the first position of each symmetry class."""
    classes: dict[frozenset[Any], list[Any]] = {}
    for board in boards:
        twins = [game.transform(board, symmetry) for symmetry in game.symmetries()]
        classes.setdefault(frozenset(twins), twins)
    return list(classes.values())


def _cell_codes(board: Any) -> list[int]:
    return [".XO".index(cell) for cell in board.cells]
