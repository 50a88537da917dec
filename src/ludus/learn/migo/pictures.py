"""The rule that gave a move, on the board: the rows it rests on, and the moves it refused."""

from collections.abc import Iterator
from typing import Any

from ludus.core.game import AnyGame
from ludus.core.pictures import Note, Picture
from ludus.games.noughts_and_crosses.position import LETTERS
from ludus.games.noughts_and_crosses.rules import lines
from ludus.games.squares import place
from ludus.learn.migo.explain import Explainer
from ludus.learn.migo.strategy import Strategy

MAX_LINES = 4
"""Lines of play that are told below a picture."""

GOOD, BAD = 2, 3

Row = tuple[str, ...]


def reasons(strategy: Strategy, game: AnyGame, position: Any) -> list[Picture]:
    """The rule at work and, if there are any, the moves that lose by a rule it knows."""
    explainer = Explainer(strategy)
    explained = explainer.explain(position)
    rule = explained.rule
    if rule is None:
        return _refusals(explainer, game, position, explained.lines)
    is_win = rule.startswith("win")
    move = game.parse_move(explained.move, position)
    rows = _rows(explainer, position, move, is_win)
    at_work = Picture(
        f"{rule} at work",
        text=_told("The win goes on:", explained.lines) if is_win else _said_of_rows(rows),
        notes=(Note(game.steps(move), "1", colour=GOOD),),
        lines=rows,
    )
    refusals = [] if is_win else _refusals(explainer, game, position, explained.lines)
    return [at_work, *refusals]


def _refusals(
    explainer: Explainer, game: AnyGame, position: Any, lines_of_play: tuple[str, ...]
) -> list[Picture]:
    """The moves after which a rule would win for the other side, if there are any."""
    refused = explainer.refused(position)
    if not refused:
        return []
    notes = tuple(Note(game.steps(each), "✗", colour=BAD) for each in refused)
    return [Picture("Moves it refused", text=_told("Lost moves:", lines_of_play), notes=notes)]


def _told(beginning: str, lines_of_play: tuple[str, ...]) -> str:
    if not lines_of_play:
        return ""
    shown = "; ".join(line.strip() for line in lines_of_play[:MAX_LINES])
    return f"{beginning} {shown}{'; …' if len(lines_of_play) > MAX_LINES else '.'}"


def _said_of_rows(rows: tuple[Row, ...]) -> str:
    return "It keeps the other side from completing the row that is drawn." if rows else ""


def _rows(explainer: Explainer, position: Any, move: Any, is_win: bool) -> tuple[Row, ...]:
    """The rows that win, or the rows of the other side that the move blocks.

    Only noughts and crosses has rows; other boards have nothing to be joined.
    """
    if not hasattr(position, "completed"):
        return ()
    found = _winning(explainer, position, move) if is_win else _blocked(position, move)
    return tuple(dict.fromkeys(_names(line, position.size) for line in found))


def _winning(explainer: Explainer, position: Any, move: Any) -> Iterator[slice]:
    """The lines with which the win ends, whatever the other side does."""
    for end in explainer.ends(position.play(move)):
        yield from end.completed(position.mover)


def _blocked(position: Any, move: Any) -> Iterator[slice]:
    """The lines that the other side would have completed with this move."""
    cells = position.cells
    theirs = LETTERS[1 - position.mover]
    taken = cells[: move.cell] + theirs + cells[move.cell + 1 :]
    for line in lines(position.rules):
        if taken[line] == theirs * position.rules.line:
            yield line


def _names(line: slice, size: int) -> Row:
    return tuple(place(square, size) for square in range(size * size)[line])
