"""Games of tournaments and of record files as Parquet tables and as texts; see docs/data.md."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from ludus.arena.result_store import ResultStore
from ludus.core.errors import BadRecord, LudusError
from ludus.core.files import atomic_file, describe_os_error, quote_path, read_text
from ludus.core.parquet import (
    CATEGORY,
    TEXT_LIST,
    Column,
    import_pyarrow,
    is_parquet,
    make_schema,
    write_parquet,
)
from ludus.core.record import Record
from ludus.games import GAMES

FORMAT = "ludus games"
VERSION = 1
"""Version of the columns."""

COLUMNS = (
    Column("tournament", "string", "id of the tournament", is_nullable=True),
    Column("number", "int32", "number of the game between these players, from 0"),
    Column("first", "string", "the player listed first"),
    Column("second", "string", "the player listed second"),
    Column("side_0", "string", "the player of the side that moves first at the start of the game"),
    Column("side_1", "string", "the player of the other side"),
    Column("winner", CATEGORY, "first or second; null for a draw", is_nullable=True),
    Column("reason", CATEGORY, "how the game ended"),
    Column("message", "string", "details of a crash, a timeout or an illegal move"),
    Column("plies", "int32", "number of moves"),
    Column("seconds", "float64", "time the game took", is_nullable=True),
    Column("game", CATEGORY, "id of the game"),
    Column("rules", "string", "preset and options of the rules"),
    Column("start", "string", "start position; null for that of the game", is_nullable=True),
    Column("moves", TEXT_LIST, "the moves in the game's notation"),
    Column("record", "string", "the whole game as a record, with the players' comments"),
)

ROWS_PER_GROUP = 4096
SQLITE_MAGIC = b"SQLite format 3\0"


class ExportedGame(NamedTuple):
    """A game of a result file, or of a file of records."""

    tournament: str | None
    name: str
    """Name of the tournament, empty if it has none."""

    number: int
    first: str
    second: str
    winner: int | None
    """0 for the first player, 1 for the second, None for a draw or an unfinished game."""

    reason: str
    message: str
    seconds: float | None
    record: Record


Track = Callable[[Iterable[ExportedGame]], Iterable[ExportedGame]]
"""Passes on games and shows progress."""


def export_games(file: Path, out: Path, track: Track = lambda games: games) -> int:
    """Write the games of a file as a Parquet table, if `out` ends so, or as records.

    Return their number. `read_games` says which files have games.
    """
    from ludus import __version__

    games = track(read_games(file))
    if not is_parquet(out):
        return _write_records(out, games)
    import_pyarrow()
    about = {"format": FORMAT, "version": VERSION, "source": file.name, "ludus": __version__}
    rows = iter(games)
    groups = iter(lambda: tuple(islice(rows, ROWS_PER_GROUP)), ())
    return write_parquet(out, make_schema(COLUMNS, about), map(_make_columns, groups))


def read_games(path: Path) -> Iterator[ExportedGame]:
    """Read the games of a result file, of a tournament's file (.toml), or of a file of records.

    Raise LudusError for a file without games: it is probably another one.
    """
    if path.suffix == ".toml":
        path = path.with_suffix(".sqlite")
    num_games = 0
    for game in _read_results(path) if _is_sqlite(path) else _read_records(path):
        num_games += 1
        yield game
    if not num_games:
        raise LudusError(f"{quote_path(path)} holds no games")


def _read_results(path: Path) -> Iterator[ExportedGame]:
    with ResultStore(path, is_read_only=True) as store:
        for identity, settings in store.tournaments():
            name = str(settings.get("name") or "")
            for result in store.results(identity):
                _, first, second, number = result.key
                outcome = result.winner, result.reason, result.message, result.seconds
                record = Record.parse(result.record)
                yield ExportedGame(identity, name, number, first, second, *outcome, record)


def _read_records(path: Path) -> Iterator[ExportedGame]:
    for number, record in enumerate(Record.parse_many(read_text(path))):
        if "Game" not in record.headers:
            why = f"record {number + 1} names no game: it has no header [Game]"
            raise BadRecord(f"{quote_path(path)}: {why}")
        winner = {"1-0": 0, "0-1": 1}.get(record.result)
        reason = record.headers.get("Reason", "")
        players = _list_players(record)
        yield ExportedGame(None, "", number, *players, winner, reason, "", None, record)


def _write_records(path: Path, games: Iterable[ExportedGame]) -> int:
    """Write games as records, one after the other, and return their number."""
    written = 0
    with atomic_file(path) as file:
        for each in games:
            event = {"Event": each.name} if each.name else {}
            record = replace(each.record, headers={**event, **each.record.headers})
            print(record, end="\n\n", file=file)
            written += 1
    return written


def _is_sqlite(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC
    except (OSError, ValueError) as error:
        raise LudusError(f"cannot read {quote_path(path)}: {describe_os_error(error)}") from error


def _list_players(record: Record) -> tuple[str, str]:
    """Return the players by side; empty for those that the record does not name."""
    name = record.headers.get("Game", "")
    sides: tuple[str, str] = GAMES[name].sides if name in GAMES else ("white", "black")
    first, second = (record.headers.get(side.capitalize(), "") for side in sides)
    return first, second


def _make_columns(games: tuple[ExportedGame, ...]) -> dict[str, list[Any]]:
    rows = [_make_row(each) for each in games]
    return {column.name: [row[column.name] for row in rows] for column in COLUMNS}


def _make_row(game: ExportedGame) -> dict[str, Any]:
    record = game.record
    headers, moves = record.headers, [node.move for node in record.line.moves]
    side_0, side_1 = _list_players(record)
    return {
        **game._asdict(),
        "side_0": side_0,
        "side_1": side_1,
        "winner": None if game.winner is None else ("first", "second")[game.winner],
        "plies": len(moves),
        "game": headers.get("Game", ""),
        "rules": headers.get("Rules", ""),
        "start": headers.get("Start"),
        "moves": moves,
        "record": str(record),
    }
