"""Game results in SQLite. A game has one key and one row, so none is counted twice."""

import math
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import astuple
from pathlib import Path
from typing import Any

from ludus.arena.jobs import GameResult, JobKey
from ludus.arena.tournament import Tournament
from ludus.core.errors import LudusError, quote_value, to_one_line
from ludus.core.files import (
    check_sqlite_schema,
    create_sqlite_tables,
    parse_json_object,
    quote_path,
    read_sqlite_header,
)

APPLICATION_ID = 0x4C554455
"""`LUDU`: marks the file as one of Ludus."""

SCHEMA_VERSION = 1

SCHEMA = """
CREATE TABLE IF NOT EXISTS tournament (
    id TEXT PRIMARY KEY,
    settings TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS game (
    tournament TEXT NOT NULL REFERENCES tournament (id),
    first TEXT NOT NULL,
    second TEXT NOT NULL,
    number INTEGER NOT NULL,
    winner INTEGER CHECK (winner IN (0, 1)),
    reason TEXT NOT NULL,
    message TEXT NOT NULL,
    plies INTEGER NOT NULL,
    seconds REAL NOT NULL,
    record TEXT NOT NULL,
    UNIQUE (tournament, first, second, number)
);
"""

BUSY_TIMEOUT_SECONDS = 30.0
"""Timeout while another process is writing."""


MAX_COUNT = 2**31 - 1
"""Largest number of a game, or of its plies."""

MAX_REASON = 200
"""Longest reason in a message, in characters; a file may bring its own."""


class BadStore(LudusError):
    """A result file cannot be read or written."""


class ResultStore(AbstractContextManager["ResultStore"]):
    """A result file. Results are committed when `add` returns."""

    def __init__(self, path: Path | str, *, is_read_only: bool = False) -> None:
        path = Path(path)
        self._quoted_path = quote_path(path)
        with self._convert_errors():
            name = f"{path.absolute().as_uri()}?mode=ro" if is_read_only else str(path)
            self._connection = sqlite3.connect(
                name, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, uri=is_read_only
            )
            try:
                self._prepare(is_read_only)
            except BaseException:
                self._connection.close()
                raise

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def begin(self, tournament: Tournament) -> None:
        """Insert a tournament if it is new."""
        with self._convert_errors():
            self._connection.execute(
                "INSERT OR IGNORE INTO tournament VALUES (?, ?)",
                (tournament.id, tournament.settings()),
            )

    def tournaments(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the id and the settings of every tournament."""
        with self._convert_errors():
            rows = self._connection.execute("SELECT id, settings FROM tournament ORDER BY rowid")
            return [(identity, _parse_settings(settings)) for identity, settings in rows]

    def keys(self, tournament: str) -> set[JobKey]:
        """Return the keys of the finished games of a tournament."""
        with self._convert_errors():
            rows = self._connection.execute(
                "SELECT tournament, first, second, number FROM game WHERE tournament = ?",
                (tournament,),
            )
            return {_make_key(row) for row in rows}

    def results(self, tournament: str) -> Iterator[GameResult]:
        """Yield every result of a tournament, pair by pair."""
        with self._convert_errors():
            rows = self._connection.execute(
                "SELECT tournament, first, second, number, winner, reason, message, plies, seconds,"
                " record FROM game WHERE tournament = ? ORDER BY first, second, number",
                (tournament,),
            )
            for row in rows:
                yield _make_result(row)

    def add(self, result: GameResult) -> bool:
        """Insert a result; return False if the game has one already, which is kept."""
        key, *fields = astuple(result)
        values = (*key, *fields)
        with self._convert_errors():
            done = self._connection.execute(
                f"INSERT INTO game VALUES ({', '.join('?' * len(values))})"
                " ON CONFLICT (tournament, first, second, number) DO NOTHING",
                values,
            )
            return done.rowcount == 1

    def _prepare(self, is_read_only: bool) -> None:
        """Create the schema, or check that the file is a result file of this version."""
        application, version, tables = read_sqlite_header(self._connection)
        if tables and application != APPLICATION_ID:
            raise BadStore(f"{self._quoted_path} is a database of another program")
        if tables and version != SCHEMA_VERSION:
            raise BadStore(
                f"{self._quoted_path} has format version {version}; {SCHEMA_VERSION} is known"
            )
        if is_read_only and not tables:
            raise BadStore(f"{self._quoted_path} has no results")
        if tables:
            check_sqlite_schema(self._connection, SCHEMA)
        if is_read_only:
            return
        create_sqlite_tables(self._connection, SCHEMA, APPLICATION_ID, SCHEMA_VERSION)

    @contextmanager
    def _convert_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, ValueError, RecursionError) as error:
            why = to_one_line(str(error), MAX_REASON)
            raise BadStore(f"cannot use {self._quoted_path}: {why}") from error


def _parse_settings(text: Any) -> dict[str, Any]:
    settings = parse_json_object(text) if isinstance(text, str) else None
    if settings is None:
        raise ValueError("the settings of a tournament are no JSON object")
    return settings


def _make_key(row: Sequence[Any]) -> JobKey:
    key = JobKey(*row)
    if not (all(isinstance(each, str) for each in row[:3]) and _is_count(key.number)):
        raise ValueError(f"the key of a game is {quote_value(row)}")
    return key


def _make_result(row: Sequence[Any]) -> GameResult:
    """Return a result after checking its types: SQLite stores any type in any column."""
    result = GameResult(_make_key(row[:4]), *row[4:])
    is_text = all(isinstance(each, str) for each in (result.reason, result.message, result.record))
    is_winner = result.winner is None or (_is_count(result.winner) and result.winner <= 1)
    is_time = isinstance(result.seconds, float) and math.isfinite(result.seconds)
    if not (is_text and is_winner and is_time and _is_count(result.plies)):
        raise ValueError(f"game {result.key.number} of {quote_value(row[1:3])} has wrong values")
    return result


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and 0 <= value <= MAX_COUNT
