"""Games in SQLite, so that none is lost if the server is killed. One thread does all writes."""

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ludus.core.errors import LudusError
from ludus.core.files import create_sqlite_tables, quote_path, read_sqlite_header

T = TypeVar("T")

APPLICATION_ID = 0x4C554457
"""`LUDW`: SQLite application id that identifies these files."""

VERSION = 1

SCHEMA = """
CREATE TABLE IF NOT EXISTS game (
    id TEXT PRIMARY KEY,
    used REAL NOT NULL,
    name TEXT NOT NULL,
    rules TEXT NOT NULL,
    start TEXT NOT NULL,
    seed INTEGER NOT NULL,
    state TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS by_use ON game (used);
CREATE TABLE IF NOT EXISTS node (
    game TEXT NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    parent INTEGER NOT NULL,
    move TEXT NOT NULL,
    made_by TEXT NOT NULL,
    comment TEXT NOT NULL,
    thought TEXT NOT NULL,
    PRIMARY KEY (game, number)
) WITHOUT ROWID;
"""


class BadGameFile(LudusError):
    """The game file cannot be used."""


class StoredNode(NamedTuple):
    """A move as stored."""

    number: int
    parent: int
    move: str
    made_by: str
    comment: str
    explanation: dict[str, Any] | None


class StoredGame(NamedTuple):
    """A game as stored; `state` is the mutable part: seats, pace, current node."""

    id: str
    name: str
    rules: str
    start: str
    seed: int
    state: dict[str, Any]


class GameStore:
    """The SQLite file; a write is committed when its coroutine returns."""

    def __init__(self, path: Path | None, max_games: int) -> None:
        self._title = "games in memory" if path is None else quote_path(path)
        self._max_games = max_games
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="games")
        try:
            self._thread.submit(self._open, path).result()
        except BaseException:
            self._thread.shutdown()
            raise

    async def save(self, game: StoredGame, nodes: Iterable[StoredNode] = ()) -> None:
        """Save a game's state and its new or changed moves."""
        saved = list(nodes)
        await self._run(lambda: self._save(game, saved))

    async def load(self, id_: str) -> tuple[StoredGame, list[StoredNode]] | None:
        """Return a game and its moves in order; None if it does not exist."""
        return await self._run(lambda: self._load(id_))

    async def close(self) -> None:
        await self._run(self._connection.close)
        self._thread.shutdown()

    async def _run(self, work: Callable[[], T]) -> T:
        def convert_errors() -> T:
            try:
                return work()
            except (sqlite3.Error, OSError) as error:
                raise BadGameFile(f"cannot use {self._title}: {error}") from error

        return await asyncio.get_running_loop().run_in_executor(self._thread, convert_errors)

    def _open(self, path: Path | None) -> None:
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path or ":memory:", 30.0, isolation_level=None)
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise
        except (sqlite3.Error, OSError, ValueError) as error:
            raise BadGameFile(f"cannot use {self._title}: {error}") from error

    def _prepare(self) -> None:
        application, version, tables = read_sqlite_header(self._connection)
        if tables and (application, version) != (APPLICATION_ID, VERSION):
            raise BadGameFile(f"{self._title} is not a file of games that this version knows")
        self._connection.execute("PRAGMA foreign_keys = ON")
        create_sqlite_tables(self._connection, SCHEMA, APPLICATION_ID, VERSION)

    def _save(self, game: StoredGame, nodes: list[StoredNode]) -> None:
        run, now = self._connection.execute, time.time()
        id_, *setup, state = game
        run("BEGIN IMMEDIATE")
        try:
            done = run(
                "UPDATE game SET used = ?, state = ? WHERE id = ?", (now, json.dumps(state), id_)
            )
            if not done.rowcount:
                self._evict()
                row = (id_, now, *setup, json.dumps(state))
                run("INSERT INTO game VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            self._connection.executemany(
                "INSERT OR REPLACE INTO node VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(id_, *fields, json.dumps(explanation)) for *fields, explanation in nodes],
            )
            run("COMMIT")
        except BaseException:
            run("ROLLBACK")
            raise

    def _evict(self) -> None:
        """Delete the least recently used games if the limit is reached."""
        count = self._connection.execute("SELECT count(*) FROM game").fetchone()[0]
        if count >= self._max_games:
            self._connection.execute(
                "DELETE FROM game WHERE id IN (SELECT id FROM game ORDER BY used LIMIT ?)",
                (count - self._max_games + 1,),
            )

    def _load(self, id_: str) -> tuple[StoredGame, list[StoredNode]] | None:
        row = self._connection.execute(
            "SELECT name, rules, start, seed, state FROM game WHERE id = ?", (id_,)
        ).fetchone()
        if row is None:
            return None
        nodes = self._connection.execute(
            "SELECT number, parent, move, made_by, comment, thought FROM node WHERE game = ?"
            " ORDER BY number",
            (id_,),
        )
        stored = [
            StoredNode._make((*fields, json.loads(explanation))) for *fields, explanation in nodes
        ]
        *setup, state = row
        return StoredGame._make((id_, *setup, json.loads(state))), stored
