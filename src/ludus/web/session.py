"""A game in progress: its record, the replies of its players, its analyses and its watchers."""

import asyncio
from collections.abc import Awaitable, Callable

from ludus.web.analysis import Analyses
from ludus.web.game_record import Change, GameRecord
from ludus.web.job_queue import FairPool, JobOwner, current_client
from ludus.web.replies import Replies
from ludus.web.seats import OfferedPlayers
from ludus.web.views import ViewLog
from ludus.web.worker_pool import WorkerPool


class Session:
    """One game in memory, with everything that follows its changes."""

    def __init__(
        self,
        record: GameRecord,
        workers: WorkerPool,
        turns: FairPool[None],
        find_offers: Callable[[str, str], Awaitable[OfferedPlayers]],
    ) -> None:
        self.record, self._turns = record, turns
        self.watchers: set[asyncio.Event] = set()
        """Set on each change, one per client; an event carries no data, so no backlog builds up."""

        self.replies = Replies(record, workers, find_offers, self.watchers)
        self.analyses = Analyses(record, workers)
        self.views = ViewLog(record, self.replies, self.analyses)
        record.on_change = self._follow

    def close(self) -> None:
        """Stop the players, and refer to nothing in a circle, so that memory is free at once."""
        self.replies.close()
        self.record.on_change = lambda change: None

    def add_watcher(self) -> asyncio.Event:
        watcher = asyncio.Event()
        self.watchers.add(watcher)
        self.replies.resume()
        return watcher

    async def format_view(self, number: int | None = None, since: int | None = None) -> str:
        """Return what `ViewLog.format` does, when it is the client's turn."""
        async with self._turns.turn(JobOwner(current_client.get(), self.record.id)):
            return self.views.format(number, since)

    def _follow(self, change: Change) -> None:
        self.replies.follow(change)
        for watcher in self.watchers:
            watcher.set()
