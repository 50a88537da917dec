"""Game results in SQLite. A game has one key and one row, so none is counted twice."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import astuple
from pathlib import Path
from typing import Any

from ludus.arena.jobs import GameResult, JobKey
from ludus.arena.tournament import Tournament
from ludus.core.errors import LudusError
from ludus.core.files import create_sqlite_tables, quote_path, read_sqlite_header

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
            return [(identity, json.loads(settings)) for identity, settings in rows]

    def keys(self, tournament: str) -> set[JobKey]:
        """Return the keys of the finished games of a tournament."""
        with self._convert_errors():
            rows = self._connection.execute(
                "SELECT tournament, first, second, number FROM game WHERE tournament = ?",
                (tournament,),
            )
            return {JobKey(*row) for row in rows}

    def results(self, tournament: str) -> Iterator[GameResult]:
        """Yield every result of a tournament, pair by pair."""
        with self._convert_errors():
            rows = self._connection.execute(
                "SELECT tournament, first, second, number, winner, reason, message, plies, seconds,"
                " record FROM game WHERE tournament = ? ORDER BY first, second, number",
                (tournament,),
            )
            for row in rows:
                yield GameResult(JobKey(*row[:4]), *row[4:])

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
        if is_read_only:
            if not tables:
                raise BadStore(f"{self._quoted_path} has no results")
            return
        create_sqlite_tables(self._connection, SCHEMA, APPLICATION_ID, SCHEMA_VERSION)

    @contextmanager
    def _convert_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, ValueError) as error:
            raise BadStore(f"cannot use {self._quoted_path}: {error}") from error
