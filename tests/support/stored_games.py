"""The games of a server in a file, without its HTTP part, and coroutines that use them."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from ludus.web.game_registry import GameRegistry
from ludus.web.game_tree import PERSON
from ludus.web.job_queue import FairPool
from ludus.web.schemas.requests import NewGameRequest, SeatRequest
from ludus.web.settings import Settings
from ludus.web.store import GameStore, StoredGame, StoredNode
from ludus.web.worker_pool import WorkerPool


class StoredGames(GameRegistry):
    """The games of a server without its HTTP part; workers start at first need."""

    def __init__(self, path, max_games=100):
        settings = Settings(games_file=path, max_games=max_games)
        self.store = GameStore(path, max_games)
        self.workers = WorkerPool(settings)
        super().__init__(settings, self.store, self.workers, FairPool([None], 2_000))

    def run_sql(self, text):
        return self.store._run(lambda: self.store._connection.executescript(text))

    def fill_disk(self):
        """Let each write fail, as on a full disk."""
        why = "SELECT RAISE(ABORT, 'database or disk is full')"
        return self.run_sql(
            f"CREATE TEMP TRIGGER full BEFORE UPDATE ON game BEGIN {why}; END;"
            f"CREATE TEMP TRIGGER full_too BEFORE INSERT ON game BEGIN {why}; END;"
        )

    def free_disk(self):
        return self.run_sql("DROP TRIGGER full; DROP TRIGGER full_too;")


@asynccontextmanager
async def games_in(path, **more):
    games = StoredGames(path, **more)
    try:
        yield games
    finally:
        games.close()
        await games.workers.close()
        await games.store.close()


def order(*players, **more):
    seats = [SeatRequest(player=name) for name in players or (None, None)]
    return NewGameRequest(game="hexapawn", seed=1, seats=seats, **more)


async def play(session, move):
    record = session.record
    await record.play(record.tree.current_number, move)


def shown(session):
    return session.views.view().model_dump(exclude={"revision"})


def stored(number=0, **state):
    seats = [{"player": None, "level": None, "choices": {}}] * 2
    state = {"at": 0, "seats": seats, "paused": False, "delay": 0.0, "comment": "", **state}
    return StoredGame(f"a-game-of-number-{number}", "hexapawn", "", "BBB/.../WWW w", 1, state)


FIRST_MOVE = StoredNode(1, 0, "b1-b2", PERSON, "", None)


def run_apart(work: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine on a thread: the browser of other tests has a loop of its own on this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
