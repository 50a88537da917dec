"""Games in SQLite, so that none is lost if the server is killed. One thread does all writes.

A file has one server at a time, which locks it. A file may be damaged or come from a stranger, so
what is read from it is checked like a request.
"""

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, Field, ValidationError

from ludus.core.errors import BadRecord, CannotWrite, LudusError, to_one_line
from ludus.core.files import (
    check_sqlite_schema,
    create_sqlite_tables,
    lock_file,
    quote_path,
    read_sqlite_header,
)
from ludus.games import registered_game
from ludus.web.errors import LimitReached, OutOfTurn, RequestRefused
from ludus.web.explanations import MoveExplanation
from ludus.web.game_tree import GameTree
from ludus.web.job_queue import FairPool, JobOwner, current_client
from ludus.web.middleware import RateLimiter, is_local
from ludus.web.schemas.requests import SeatRequest

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


MAX_STORED_NODES = 10_000
"""Most moves of a stored game, variations included; the page makes no game as long as that."""

SECONDS_A_DAY = 86_400

MAX_WAITING = 10_000
"""Changes that may wait to be stored; each is of another game."""

NEW_GAME_BYTES = 20_000
"""Bytes as which a new game counts."""

NUM_EVICTED = 10
"""Games that nobody played which make room in a full file."""

PAGE_BYTES = 4_096

OPEN_SECONDS, BUSY_SECONDS = 5.0, 0.2
"""How long another program may lock the file when it is opened, and when a game is saved."""

MAX_REASON = 200
"""Longest reason in a message, in characters; a file may bring its own."""


class BadGameFile(RequestRefused):
    """The file of games cannot be read or written; nothing was changed."""

    status: ClassVar[int] = 503


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


STORED_VALUE_ERRORS = (ValueError, TypeError, RecursionError, OverflowError)
"""What reading a damaged row may raise, apart from errors of SQLite; JSON and text included."""


class GameStore:
    """The SQLite file; a write is committed when its coroutine returns."""

    def __init__(
        self,
        path: Path | None,
        max_games: int,
        max_bytes: int = 4_000_000_000,
        client_bytes: int = 20_000_000,
    ) -> None:
        self._locks = ExitStack()
        self._title = "games in memory" if path is None else quote_path(path)
        self._max_games, self._max_pages = max_games, max_bytes // PAGE_BYTES
        self._turns = FairPool([None], MAX_WAITING)
        self._quota = RateLimiter(client_bytes / SECONDS_A_DAY, client_bytes)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="games")
        try:
            self._thread.submit(self._open, path).result()
        except BaseException:
            self._thread.shutdown()
            self._locks.close()
            raise

    async def save(self, game: StoredGame, nodes: Iterable[StoredNode] = ()) -> None:
        """Save a game's state and its new or changed moves."""
        saved, client = list(nodes), current_client.get()
        async with self._turns.turn(JobOwner(client, game.id)):
            await self._run(lambda: self._save(game, saved, client))

    async def load(self, id_: str) -> tuple[StoredGame, list[StoredNode]] | None:
        """Return a game and its moves in order; None if it does not exist."""
        return await self._run(lambda: self._load(id_))

    async def close(self) -> None:
        await self._run(self._connection.close)
        self._thread.shutdown()
        # Last, because closing a file ends all of SQLite's own locks on it.
        self._locks.close()

    async def _run(self, work: Callable[[], T]) -> T:
        def convert_errors() -> T:
            try:
                return work()
            except (sqlite3.Error, OSError) as error:
                raise self._cannot_use(error) from error
            except STORED_VALUE_ERRORS as error:
                why = to_one_line(str(error), MAX_REASON)
                raise BadGameFile(f"{self._title} is damaged: {why}") from error

        return await asyncio.get_running_loop().run_in_executor(self._thread, convert_errors)

    def _open(self, path: Path | None) -> None:
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch(0o600)  # for this user alone, if it is new
                self._locks.enter_context(lock_file(path))
            self._connection = sqlite3.connect(
                path or ":memory:", timeout=OPEN_SECONDS, isolation_level=None
            )
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise
        except CannotWrite as error:
            raise BadGameFile(
                f"{error}; stop the other server, or name another file with --games"
            ) from error
        except (sqlite3.Error, OSError, ValueError) as error:
            raise self._cannot_use(error) from error

    def _cannot_use(self, error: Exception) -> BadGameFile:
        return BadGameFile(f"cannot use {self._title}: {to_one_line(str(error), MAX_REASON)}")

    def _prepare(self) -> None:
        application, version, tables = read_sqlite_header(self._connection)
        if tables and (application, version) != (APPLICATION_ID, VERSION):
            raise BadGameFile(f"{self._title} is not a file of games that this version knows")
        if tables:
            check_sqlite_schema(self._connection, SCHEMA)
        self._connection.execute("PRAGMA foreign_keys = ON")
        create_sqlite_tables(self._connection, SCHEMA, APPLICATION_ID, VERSION)
        self._connection.execute(f"PRAGMA max_page_count = {self._max_pages}")
        self._connection.execute(f"PRAGMA busy_timeout = {1000 * BUSY_SECONDS:.0f}")

    def _save(self, game: StoredGame, nodes: list[StoredNode], client: str) -> None:
        run, now = self._connection.execute, time.time()
        id_, *setup, state = game
        rows = [(id_, *fields, json.dumps(explanation)) for *fields, explanation in nodes]
        size = sum(len(text) for row in rows for text in row if isinstance(text, str))
        run("BEGIN IMMEDIATE")
        try:
            done = run(
                "UPDATE game SET used = ?, state = ? WHERE id = ?", (now, json.dumps(state), id_)
            )
            size += 0 if done.rowcount else NEW_GAME_BYTES
            if client and not is_local(client) and not self._quota.allow(client, size):
                raise LimitReached("you have stored as much as a day allows; wait a while")
            if not done.rowcount:
                self._evict()
                row = (id_, now, *setup, json.dumps(state))
                run("INSERT INTO game VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            # A move that is stored keeps its place; only its comment may change.
            changed = self._connection.executemany(
                "INSERT INTO node VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE"
                " SET comment = excluded.comment"
                " WHERE parent = excluded.parent AND move = excluded.move",
                rows,
            )
            if nodes and changed.rowcount != len(nodes):
                raise OutOfTurn("the game has changed since; reload it")
            run("COMMIT")
        except BaseException:
            # SQLite itself has rolled back after some errors, such as a full disk.
            if self._connection.in_transaction:
                run("ROLLBACK")
            raise

    def _evict(self) -> None:
        """Delete the least recently used of the games that nobody played, if a limit is near.

        A game is played if a person has moved here, or players more than once; then it is never
        deleted. Moves of a record are nobody's.
        """
        read = self._connection.execute
        (count,) = read("SELECT count(*) FROM game").fetchone()
        (pages,), (free,) = (
            read(f"PRAGMA {name}").fetchone() for name in ("page_count", "freelist_count")
        )
        is_large = pages - free >= 0.9 * self._max_pages
        if count < self._max_games and not is_large:
            return
        wanted = max(count - self._max_games + 1, NUM_EVICTED * is_large)
        deleted = read(
            "DELETE FROM game WHERE id IN (SELECT id FROM game WHERE"
            " NOT EXISTS (SELECT 1 FROM node WHERE game = id AND made_by = 'person') AND"
            " (SELECT count(*) FROM node WHERE game = id AND made_by = 'player') <= 1"
            " ORDER BY used LIMIT ?)",
            (wanted,),
        )
        if count - deleted.rowcount >= self._max_games:
            raise LimitReached(
                f"{self._title} holds {self._max_games} played games, which are never deleted; "
                "start the server with another file of games"
            )

    def _load(self, id_: str) -> tuple[StoredGame, list[StoredNode]] | None:
        row = self._connection.execute(
            "SELECT name, rules, start, seed, state FROM game WHERE id = ?", (id_,)
        ).fetchone()
        if row is None:
            return None
        nodes = self._connection.execute(
            "SELECT number, parent, move, made_by, comment, thought FROM node WHERE game = ?"
            " ORDER BY number LIMIT ?",
            (id_, MAX_STORED_NODES + 1),
        )
        stored = [
            StoredNode._make((*fields, _parse_json(explanation))) for *fields, explanation in nodes
        ]
        if len(stored) > MAX_STORED_NODES:
            raise ValueError(f"a game has more than {MAX_STORED_NODES} moves")
        *setup, state = row
        return StoredGame._make((id_, *setup, _parse_json(state))), stored


def _parse_json(text: str) -> Any:
    """Return a stored value; UnicodeEncodeError for half of a character, which cannot be sent."""
    value = json.loads(text)
    json.dumps(value, ensure_ascii=False).encode()
    return value


class StoredState(BaseModel):
    """The mutable part of a stored game; older versions lack the last ones."""

    at: Annotated[int, Field(ge=0)]
    seats: Annotated[list[SeatRequest], Field(min_length=2, max_length=2)]
    paused: bool
    delay: Annotated[float, Field(ge=0, le=60)]
    comment: str
    learned: tuple[dict[str, str], dict[str, str]] = ({}, {})
    resigned: (
        tuple[Annotated[int, Field(ge=0)], Literal[0, 1]]
        | tuple[Annotated[int, Field(ge=0)], Literal[0, 1], Literal[1, 2, 3]]
        | None
    ) = None
    earlier: tuple[int, int, int] = (0, 0, 0)
    """Points of both sides in earlier games of a money session, and the number of these games."""

    revision: Annotated[int, Field(ge=0, le=2**52)] = 0
    """The revision of the game at that time."""


class StoredMove(BaseModel):
    """A row of the table of moves."""

    number: Annotated[int, Field(ge=1)]
    parent: Annotated[int, Field(ge=0)]
    move: str
    made_by: Literal["person", "player", "dice", "rules", "record"]
    comment: str
    explanation: MoveExplanation | None


@contextmanager
def report_damage(id_: str) -> Iterator[None]:
    """Raise BadGameFile where what is stored of a game is damaged."""
    try:
        yield
    except (LudusError, ValidationError, *STORED_VALUE_ERRORS) as error:
        why = to_one_line(str(error), 200)
        raise BadGameFile(f"the stored game {id_} is damaged: {why}") from error


def restore_start(stored: StoredGame) -> tuple[GameTree, StoredState]:
    """Return the tree of a stored game without its moves, and the game's state."""
    if not isinstance(stored.seed, int):
        raise BadRecord("its seed is not a number")
    if not all(isinstance(each, str) for each in (stored.name, stored.rules, stored.start)):
        raise BadRecord("its game, rules or start is not a text")
    state = StoredState.model_validate(stored.state)
    game = registered_game(stored.name, stored.rules)
    tree = GameTree(game, game.parse(stored.start))
    tree.nodes[0].comment = state.comment
    return tree, state


def restore_node(tree: GameTree, node: StoredNode) -> None:
    """Add a stored move to a tree."""
    row = StoredMove.model_validate(node._asdict())
    if row.parent >= len(tree.nodes):
        raise BadRecord(f"move {row.parent} is missing")
    move = tree.game.parse_move(row.move, tree.nodes[row.parent].position)
    added = tree.add(row.parent, move, row.made_by, row.comment, row.explanation)
    if added.number != row.number:
        raise BadRecord(f"move {row.number} is not where it should be")
