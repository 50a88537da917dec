"""What can be typed instead of a move.

A command gets the table, the whole line, and the move being typed (None when the game is over).
It returns True when the game is another one afterwards, so that the turn has to begin anew.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.cli.files import read_file, whole_file
from ludus.cli.terminal.entry import Entry
from ludus.cli.terminal.line import Line
from ludus.core.errors import LudusError
from ludus.core.record import Record
from ludus.games import game as named_game
from ludus.players import player as named_player

if TYPE_CHECKING:
    from ludus.cli.terminal.table import Table

Command = Callable[["Table", str, Entry | None], bool]

HELP = """
Type a move as `moves` lists them, or name its places one by one.

  moves        list the legal moves
  hint         ask a player that tries each move in random games
  back, undo   take back, to your last decision
  new          begin again
  flip side    change places with your opponent
  save FILE    write the game into a file
  load FILE    go on with a game from a file
  position     the position as a text, as --position takes it
  quit         leave
"""

HINTS = 5
"""So many of the best moves does a hint show."""


class Leave(Exception):
    """The person is done."""


def show_help(table: "Table", line: str, entry: Entry | None) -> bool:
    table.screen.say(HELP)
    return False


def show_moves(table: "Table", line: str, entry: Entry | None) -> bool:
    table.screen.list(str(move) for move in _going_on(entry).moves)
    return False


def show_hint(table: "Table", line: str, entry: Entry | None) -> bool:
    """The best moves of the `playouts` player, on the board and in a list."""
    position = _going_on(entry).position
    adviser = named_player("playouts", table.game)
    adviser.begin(table.random.getrandbits(62))
    with table.screen.thinking("trying the moves"):
        choice = adviser.choose(position)
    table.show(entry, good=table.game.steps(choice.move))
    table.screen.say(f"{choice.move} {choice.comment}.", "green")
    best = sorted(choice.scores.items(), key=lambda item: -item[1])[:HINTS]
    if len(best) > 1:
        scores = ", ".join(f"{move} {score:+.2f}" for move, score in best)
        table.screen.say(f"Mean results (+1 is a win, -1 a loss): {scores}")
    return False


def take_back(table: "Table", line: str, entry: Entry | None) -> bool:
    """Forget the places named so far or, if there are none, go back to the last decision."""
    if entry is not None and entry.touched:
        entry.touched = ()
        table.show(entry)
        return False
    if not table.line.back(table.people):
        raise LudusError("there is nothing to take back")
    table.news[:] = ["Taken back."]
    return True


def begin_anew(table: "Table", line: str, entry: Entry | None) -> bool:
    table.sit_down(Line(table.game, table.line.positions[0]))
    return True


def flip_sides(table: "Table", line: str, entry: Entry | None) -> bool:
    if len(table.people) != 1:
        raise LudusError("there is nobody to change places with")
    table.people = frozenset({0, 1}) - table.people
    table.news.clear()
    return True


def save(table: "Table", line: str, entry: Entry | None) -> bool:
    path = _path(line)
    with whole_file(path) as file:
        print(table.line.record(table.who, table.seed), file=file)
    table.screen.say(f"Saved as {path}.")
    return False


def load(table: "Table", line: str, entry: Entry | None) -> bool:
    record = Record.parse(read_file(_path(line)))
    headers = record.headers
    game = named_game(headers.get("Game", table.game.id), headers.get("Rules", ""))
    table.sit_down(Line.replayed(record, game))
    return True


def show_position(table: "Table", line: str, entry: Entry | None) -> bool:
    table.screen.say(str(table.line.position))
    return False


def leave(table: "Table", line: str, entry: Entry | None) -> bool:
    raise Leave


COMMANDS: dict[str, Command] = {
    "help": show_help,
    "?": show_help,
    "moves": show_moves,
    "hint": show_hint,
    "back": take_back,
    "undo": take_back,
    "new": begin_anew,
    "flip": flip_sides,
    "save": save,
    "load": load,
    "position": show_position,
    "quit": leave,
    "exit": leave,
    "q": leave,
}


def _going_on(entry: Entry | None) -> Entry:
    if entry is None:
        raise LudusError("the game is over")
    return entry


def _path(line: str) -> Path:
    word, *rest = line.split(maxsplit=1)
    if not rest:
        raise LudusError(f"{word} needs the name of a file")
    try:
        return Path(rest[0]).expanduser()
    except RuntimeError as error:
        raise LudusError(str(error)) from error
