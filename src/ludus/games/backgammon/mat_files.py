"""Games of backgammon in the .mat format (Jellyfish): sessions and matches."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from ludus.core.errors import BadRecord, quote
from ludus.core.record import Record
from ludus.games.backgammon.game_files import (
    MAX_GAMES,
    FileGame,
    Turn,
    join_sessions,
    quote_line,
)

COLUMN_WIDTH = 34
"""Width of the first player's column, after the line number."""

NUMBER_WIDTH = 5
"""Width of the line number."""


def format_mat(records: Iterable[Record]) -> str:
    """Format a session or match of complete games between the same two players.

    In moves 25 is the bar, 0 is off the board, and a star marks a hit.
    """
    games = join_sessions(list(records))
    length = games[0].length if games else 0
    parts = [f" {length} point match\n"]
    for number, played in enumerate(games, 1):
        parts += ["\n", f" Game {number}\n", f"{_format_heading(played)}\n"]
        parts += [f"{line}\n" for line in _format_turns(played, number)]
    return "".join(parts)


def _format_heading(played: FileGame) -> str:
    left, right = (
        f"{_to_single_word(name)} : {points}"
        for name, points in zip(played.players, played.score, strict=True)
    )
    return f" {left:<{NUMBER_WIDTH + COLUMN_WIDTH - 2}} {right}"


def _to_single_word(name: str) -> str:
    """Return a name as one word: programs parse what follows as the score."""
    kept = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)
    return kept[:24] or "player"


def _format_turns(played: FileGame, number: int) -> list[str]:
    """Return numbered lines of two turns each, the left one empty where player 2 is first.

    The result follows in a line of its own, or beside a last turn of the player who lost.
    """
    winner, points = played.winner, played.points
    if winner is None:
        raise BadRecord(f"game {number} was not played to its end")
    is_last = bool(played.length) and played.score[winner] + points >= played.length
    result = f"Wins {points} point{'s' * (points > 1)}{' and the match' * is_last}"
    cells: list[str] = []
    value = 1
    for turn in played.turns:
        if turn.side != len(cells) % 2:
            cells.append("")
        if turn.action == "double":
            value *= 2
        cells.append(_format_turn(turn, value))
    is_beside = winner == 1 and len(cells) % 2 == 1
    if len(cells) % 2:
        cells.append(f" {result}" if is_beside else "")
    pairs = zip(cells[::2], cells[1::2], strict=True)
    lines = [
        f"{line:3}) {left:<{COLUMN_WIDTH - 1}} {right}".rstrip()
        for line, (left, right) in enumerate(pairs, 1)
    ]
    indent = " " * (NUMBER_WIDTH + COLUMN_WIDTH * winner)
    return lines if is_beside else [*lines, f"{indent}{result}"]


def _format_turn(turn: Turn, value: int) -> str:
    words = {"double": f" Doubles => {value}", "take": " Takes", "drop": " Drops"}
    return words.get(turn.action) or f"{turn.action}: {turn.move}"


LENGTH: Final = re.compile(r"\s*(\d{1,4}) point match", re.ASCII)
GAME: Final = re.compile(r"\s*Game (\d{1,6})\s*", re.ASCII)
HEADING: Final = re.compile(
    r"\s*+((?:[^:]|:(?!\s*+\d{1,4}\s\s))++):\s*+(\d{1,4})\s\s"
    r"((?:[^:]|:(?!\s*+\d{1,4}\s*+$))++):\s*+(\d{1,4})\s*+",
    re.ASCII,
)
"""Two names with their points; a name ends at the first colon with points after it."""

LINE: Final = re.compile(r"\s*\d{1,6}\)(.*)", re.ASCII)
CELL: Final = re.compile(
    r"([1-6][1-6]):|(Doubles)\s*=>\s*(\d{1,5})|(Takes|Drops)|Wins\s+(\d{1,5})\s+points?", re.ASCII
)
END: Final = re.compile(r"\s*Wins\s+(\d{1,5})\s+points?.*", re.ASCII)
RIGHT_COLUMN = 20
"""Characters after the line number from which a single entry belongs to the second player."""


def parse_mat(text: str) -> list[FileGame]:
    """Parse the games of a .mat file; BadRecord names the line that is wrong."""
    length: int | None = None
    games: list[_GameParser] = []
    for number, line in enumerate(text.splitlines(), 1):
        where = f"line {number}"
        if not line.strip() or line.lstrip().startswith(";"):
            continue
        if length is None:
            found = LENGTH.match(line)
            if found is None:
                raise BadRecord(f"{where}: {quote_line(line)} is not “N point match”")
            length = int(found[1])
        elif GAME.fullmatch(line):
            if len(games) >= MAX_GAMES:
                raise BadRecord(f"{where}: more than {MAX_GAMES} games")
            games.append(_GameParser(length))
        elif not games:
            raise BadRecord(f"{where}: {quote_line(line)} comes before “Game 1”")
        else:
            games[-1].add_line(line, where)
    found_games = [game.finish() for game in games]
    return _mark_crawford(found_games)


def _mark_crawford(games: list[FileGame]) -> list[FileGame]:
    """Mark the first game of a match that begins within a point of the match: it has no cube."""
    was_played = False
    marked = []
    for played in games:
        near = played.length > 1 and max(played.score) == played.length - 1
        is_first = near and not was_played and min(played.score) < played.length - 1
        has_cube = any(turn.action == "double" for turn in played.turns)
        marked.append(replace(played, is_crawford=is_first and not has_cube))
        was_played = was_played or near
    return marked


class _GameParser:
    """Collects the lines of one game."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.players: tuple[str, str] | None = None
        self.score = (0, 0)
        self.turns: list[Turn] = []
        self.winner: int | None = None
        self.points = 0

    def add_line(self, line: str, where: str) -> None:
        if self.players is None:
            found = HEADING.fullmatch(line)
            if found is None or not (found[1].strip() and found[3].strip()):
                raise BadRecord(f"{where}: {quote_line(line)} is not “name : points name : points”")
            self.players = (found[1].strip(), found[3].strip())
            self.score = (int(found[2]), int(found[4]))
            return
        if END.fullmatch(line):
            self._add_cells(line, where)
            return
        body = LINE.fullmatch(line)
        if body is None:
            raise BadRecord(f"{where}: {quote_line(line)} is not a line of moves")
        self._add_cells(body[1], where)

    def _add_cells(self, text: str, where: str) -> None:
        cells = list(CELL.finditer(text))
        if not cells:
            if text.strip():
                raise BadRecord(f"{where}: {quote_line(text)} has no dice and no cube action")
            return
        if len(cells) > 2 or text[: cells[0].start()].strip():
            raise BadRecord(f"{where}: {quote_line(text)} is not one entry for each side")
        for n, cell in enumerate(cells):
            side = n if len(cells) == 2 else int(cell.start() >= RIGHT_COLUMN)
            end = cells[n + 1].start() if n + 1 < len(cells) else len(text)
            self._add_cell(side, cell, text[cell.end() : end].strip(), where)

    def _add_cell(self, side: int, cell: re.Match[str], rest: str, where: str) -> None:
        if self.winner is not None:
            raise BadRecord(f"{where}: the game goes on after its end")
        label = f", {where}"
        dice, double, value, answer, points = cell.groups()
        if dice:
            move = "" if rest.lower() in ("cannot move", "????") else rest
            self.turns.append(Turn(side, dice, move, where=label))
        elif double:
            doubled = 2 << sum(turn.action == "double" for turn in self.turns)
            if int(value) != doubled:
                raise BadRecord(f"{where}: the cube goes to {doubled}, not to {quote(value)}")
            self.turns.append(Turn(side, "double", where=label))
        elif answer:
            self.turns.append(Turn(side, answer.lower().rstrip("s"), where=label))
        else:
            self.winner, self.points = side, int(points)

    def finish(self) -> FileGame:
        return FileGame(
            self.players or ("white", "black"),
            tuple(self.turns),
            self.length,
            self.score if self.length else (0, 0),
            False,
            self.winner,
            self.points,
        )
