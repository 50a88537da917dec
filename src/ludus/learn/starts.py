"""Where lessons begin: the boards one full move ahead of the start of a game.

From the start itself an opponent that never errs holds the draw in all these games, and a learner
could never win. The boards are those of Muggleton and Hocquette (2019). Symmetric boards count as
one in noughts and crosses and on the small board of hexapawn. The opponent goes by the order of
the cells where moves are equally good, so it matters which board stands for its class: in
noughts and crosses the one that comes first reading the cells as numbers, empty 0, cross 1,
nought 2; in hexapawn the one that is met first. The published figures fit these alone.
"""

from typing import Any

from ludus.core.game import AnyGame


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
