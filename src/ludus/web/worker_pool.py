"""Pools of worker processes: send jobs, await responses, replace processes that hang."""

import asyncio
import time
from collections import deque
from contextlib import suppress
from typing import Any

from cachetools import LRUCache

from ludus.core.errors import LudusError
from ludus.core.workers import Worker, WorkerLost
from ludus.web.errors import WorkerUnavailable
from ludus.web.job_queue import FairPool, JobOwner
from ludus.web.settings import Settings
from ludus.web.worker import measure_memory, run_job

GRACE_SECONDS = 5.0
"""Seconds a worker may take to respond after a stop request; then it is killed."""

BUSY_SECONDS = 10.0
"""Seconds after which a player that can be stopped is asked for its move while others wait."""

MAX_WORKER_BYTES = 2_000_000_000
"""Memory beyond which a worker is replaced after its job, since players may not limit theirs."""


class ProcessPool:
    """Fixed number of workers and the queue of callers that wait for a free worker."""

    def __init__(
        self,
        size: int,
        max_seconds: float,
        max_queued_jobs: int,
        nice: int = 0,
        grace: float = GRACE_SECONDS,
    ) -> None:
        self.size = size
        self._nice, self._grace = nice, grace
        self._workers: set[Worker] = set()
        self._turns: FairPool[Worker | None] = FairPool([None] * size, max_queued_jobs)
        """Workers, and None in the place of one that is not started."""

        self._max_seconds = max_seconds
        self._tasks: set[asyncio.Future[Any]] = set()

    async def start(self) -> None:
        """Start all processes, so that the first job need not wait."""
        self._turns.free = deque(self._start_worker() for _ in self._turns.free)

    async def close(self) -> None:
        for worker in self._workers:
            worker.kill()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def run(self, job: dict[str, Any], now: asyncio.Event | None = None) -> dict[str, Any]:
        """Return the response to a job; setting `now` requests it immediately.

        If the caller is cancelled, the worker gets a stop request and is free again once it has
        stopped.
        """
        owner = JobOwner.of(job)
        worker = await self._turns.acquire(owner)
        began = time.monotonic()
        try:
            if worker is None or worker.has_ended:
                worker = self._replace(worker)
                # It reads by then: a long job in a full pipe would hold up the event loop.
                await asyncio.wrap_future(worker.ask(measure_memory))
            task = self._keep(asyncio.wrap_future(worker.ask(run_job, job)))
        except (LudusError, asyncio.CancelledError):
            if worker is not None:
                worker.kill()
                self._workers.discard(worker)
            self._turns.release(None)
            raise
        try:
            return await self._wait(worker, task, now)
        finally:
            self._turns.queue.used.add(owner, time.monotonic() - began)
            if task.done():
                self._turns.release(worker)
            else:
                self._keep(asyncio.create_task(self._recover(worker, task)))

    async def _wait(
        self, worker: Worker, task: "asyncio.Future[Any]", now: asyncio.Event | None
    ) -> dict[str, Any]:
        deadline = time.monotonic() + self._max_seconds
        hurry = asyncio.create_task((now or asyncio.Event()).wait())
        crowded = asyncio.create_task(self._turns.queue.is_waiting.wait())
        try:
            await _wait_for_first({task, hurry}, min(BUSY_SECONDS, self._max_seconds))
            if not task.done() and not hurry.done():
                await _wait_for_first({task, hurry, crowded}, deadline - time.monotonic())
            if not task.done():
                worker.stop()
            if not task.done() and not hurry.done():
                # Others wait. A player that does not hear the request keeps its full time.
                await _wait_for_first({task, hurry}, deadline - time.monotonic())
        finally:
            hurry.cancel()
            crowded.cancel()
        if not task.done():
            await asyncio.wait((task,), timeout=self._grace)
        if not task.done():
            raise WorkerUnavailable("the worker did not respond in time")
        try:
            response, memory = task.result()
        except WorkerLost as error:
            raise WorkerUnavailable(str(error)) from None
        if memory > MAX_WORKER_BYTES:
            worker.kill()
        if isinstance(response, LudusError):
            raise response
        found: dict[str, Any] = response
        return found

    async def _recover(self, worker: Worker, task: "asyncio.Future[Any]") -> None:
        """Stop a worker whose caller is gone; kill it if it hangs."""
        worker.stop()
        await asyncio.wait((task,), timeout=self._grace)
        if not task.done():
            worker.kill()
            await asyncio.wait((task,))
        self._turns.release(worker)

    def _keep(self, task: "asyncio.Future[Any]") -> "asyncio.Future[Any]":
        """Let `close` wait for a task, whose result nobody may ask for."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task

    def _start_worker(self) -> Worker:
        worker = Worker(self._nice)
        worker.ask(measure_memory)  # which loads the module of the jobs
        self._workers.add(worker)
        return worker

    def _replace(self, worker: Worker | None) -> Worker:
        if worker is not None:
            worker.close()
            self._workers.discard(worker)
        return self._start_worker()


async def _wait_for_first(tasks: "set[asyncio.Future[Any]]", seconds: float) -> None:
    await asyncio.wait(tasks, timeout=max(seconds, 0), return_when=asyncio.FIRST_COMPLETED)


QUICK_SECONDS = 0.08
"""Players that respond faster than this use the pool without slow players."""

SLOW_NICENESS = 10
"""Slow players yield the CPU to the server and to quick players."""

MAX_TIMED_PLAYERS = 1_000


class WorkerPool:
    """Process pools: for quick players, slow players, long texts, and for all other jobs."""

    def __init__(self, settings: Settings) -> None:
        limits = settings.max_choice_seconds, settings.max_queued_jobs
        self._own = {"own_player": settings.own_player} if settings.own_player else {}
        self._quick_pool = ProcessPool(1, *limits)
        self._slow_pool = ProcessPool(settings.num_slow_workers, *limits, SLOW_NICENESS)
        self._other_pool = ProcessPool(1, *limits)
        self._text_pool = ProcessPool(1, *limits, SLOW_NICENESS, grace=0.0)
        self._pools = self._quick_pool, self._slow_pool, self._other_pool, self._text_pool
        self._seconds: LRUCache[tuple[str, str, str], float] = LRUCache(MAX_TIMED_PLAYERS)
        self.tables_version = 0
        """Changes when tables of solved games are added, after which estimates may be exact."""

        self._warmed_analysts: set[tuple[str, str, str]] = set()
        self._warming_up: dict[tuple[str, str, str], asyncio.Task[None]] = {}

    async def start(self) -> None:
        await asyncio.gather(*(pool.start() for pool in self._pools[:-1]))

    async def close(self) -> None:
        for task in list(self._warming_up.values()):
            task.cancel()
        await asyncio.gather(*self._warming_up.values(), return_exceptions=True)
        await asyncio.gather(*(pool.close() for pool in self._pools))

    def warm_up(self, job: dict[str, Any]) -> None:
        """Warm up a player that was not used before, while a person thinks."""
        key = (job["game"], job["rules"], job["player"])
        if key not in self._seconds and key not in self._warming_up:
            timed = {**job, "job": "warm_up", "seed": 0, **self._own}
            task = asyncio.create_task(self._time_player(key, timed))
            self._warming_up[key] = task
            task.add_done_callback(lambda _: self._warming_up.pop(key, None))

    async def _time_player(self, key: tuple[str, str, str], job: dict[str, Any]) -> None:
        # An error here occurs again, and is reported, when the player is used.
        with suppress(LudusError):
            seconds = (await self._slow_pool.run(job))["seconds"]
            if seconds < QUICK_SECONDS:
                await self._quick_pool.run(job)
            self._seconds.setdefault(key, seconds)

    def warm_up_analyst(self, game: str, rules: str) -> None:
        """Load the analyst of a game in every process that reviews games, step by step."""
        key = (game, rules, "")
        if key not in self._warmed_analysts and len(self._warmed_analysts) < MAX_TIMED_PLAYERS:
            self._warmed_analysts.add(key)
            task = asyncio.create_task(self._load_analysts({"game": game, "rules": rules}))
            self._warming_up[key] = task
            task.add_done_callback(lambda _: self._warming_up.pop(key, None))

    async def _load_analysts(self, job: dict[str, Any]) -> None:
        # An error here occurs again, and is reported, in a review.
        with suppress(LudusError):
            number = total = 0
            while number <= total:
                for _ in range(self._slow_pool.size):  # processes take turns
                    step = {"job": "load_analyst", "number": number, **job}
                    total = (await self._slow_pool.run(step))["positions"]
                number += 1

    async def review(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return the review of a game, which loads what it needs itself."""
        key = (job["game"], job["rules"], "")
        if (warming_up := self._warming_up.get(key)) is not None:
            warming_up.cancel()
            self._warmed_analysts.discard(key)
        return await self._slow_pool.run({"job": "review", **job})

    async def choose(self, job: dict[str, Any], now: asyncio.Event) -> dict[str, Any]:
        """Return a player's choice; setting `now` requests it immediately."""
        key = (job["game"], job["rules"], job["player"])
        is_quick = self._seconds.get(key, 1.0) < QUICK_SECONDS
        pool = self._quick_pool if is_quick else self._slow_pool
        began = time.monotonic()
        response = await pool.run({"job": "choose", **job, **self._own}, now)
        self._record_seconds(key, time.monotonic() - began)
        return response

    async def draw(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return a picture of a game; an animation takes seconds, as long as a slow player."""
        pool = self._slow_pool if job["suffix"] == ".gif" else self._other_pool
        return await pool.run({"job": "picture", **job})

    async def run_job(self, kind: str, job: dict[str, Any]) -> dict[str, Any]:
        """Return the response to any other kind of job."""
        return await self._other_pool.run({"job": kind, **job, **self._own})

    async def read_text(self, kind: str, job: dict[str, Any]) -> dict[str, Any]:
        """Return what a text of a client holds; the work ends when the client leaves."""
        return await self._text_pool.run({"job": kind, **job})

    def note_new_tables(self) -> None:
        """Note that tables of a solved game were added."""
        self.tables_version += 1

    def _record_seconds(self, key: tuple[str, str, str], seconds: float) -> None:
        """Record how long a player takes, weighting recent times most."""
        before = self._seconds.get(key, seconds)
        self._seconds[key] = (
            max(seconds, (before + seconds) / 2) if seconds > QUICK_SECONDS else seconds
        )
