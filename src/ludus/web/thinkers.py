"""Who answers which question, so that those who answer at once never wait for those who do not."""

import asyncio
import time
from collections import OrderedDict
from contextlib import suppress
from typing import Any

from ludus.core.errors import LudusError
from ludus.web.pool import Pool
from ludus.web.settings import Settings

QUICK = 0.08
"""Seconds; players that have taken less of late are asked where nobody keeps them waiting."""

NICE = 10
"""Those who think long give way to the server, which answers people, and to quick players."""

MAX_KNOWN = 1_000


class Thinkers:
    """Three kinds of workers: for quick players, for slow ones, and for everything else."""

    def __init__(self, settings: Settings) -> None:
        bounds = settings.max_thinking, settings.max_waiting
        self._quick = Pool(1, *bounds)
        self._slow = Pool(settings.thinkers, *bounds, NICE)
        self._exact = Pool(1, *bounds)
        self._taken: OrderedDict[tuple[str, str, str], float] = OrderedDict()
        self._getting_ready: dict[tuple[str, str, str], asyncio.Task[None]] = {}

    async def start(self) -> None:
        await asyncio.gather(self._quick.start(), self._slow.start(), self._exact.start())

    async def close(self) -> None:
        for task in list(self._getting_ready.values()):
            task.cancel()
        await asyncio.gather(*self._getting_ready.values(), return_exceptions=True)
        await asyncio.gather(self._quick.close(), self._slow.close(), self._exact.close())

    def get_ready(self, job: dict[str, Any]) -> None:
        """Let a player that nobody has asked before load what it needs, while a person thinks."""
        key = (job["game"], job["rules"], job["player"])
        if key not in self._taken and key not in self._getting_ready:
            task = asyncio.create_task(self._prepare(key, {**job, "job": "get ready", "seed": 0}))
            self._getting_ready[key] = task
            task.add_done_callback(lambda _: self._getting_ready.pop(key, None))

    async def _prepare(self, key: tuple[str, str, str], job: dict[str, Any]) -> None:
        # What fails here fails again, and is told, when somebody plays it.
        with suppress(LudusError):
            seconds = (await self._slow.ask(job))["seconds"]
            if seconds < QUICK:
                await self._quick.ask(job)
            self._taken.setdefault(key, seconds)

    async def choose(self, job: dict[str, Any], now: asyncio.Event) -> dict[str, Any]:
        """A player's choice; `now` hurries it."""
        key = (job["game"], job["rules"], job["player"])
        is_quick = self._taken.get(key, 1.0) < QUICK
        pool = self._quick if is_quick else self._slow
        began = time.monotonic()
        answer = await pool.ask({"job": "choose", **job}, now)
        self._note(key, time.monotonic() - began)
        return answer

    async def work(self, kind: str, job: dict[str, Any]) -> dict[str, Any]:
        """The answer to any other kind of job."""
        return await self._exact.ask({"job": kind, **job})

    def _note(self, key: tuple[str, str, str], seconds: float) -> None:
        """How long a player takes, the last times counting most."""
        before = self._taken.pop(key, seconds)
        self._taken[key] = max(seconds, (before + seconds) / 2) if seconds > QUICK else seconds
        while len(self._taken) > MAX_KNOWN:
            self._taken.popitem(last=False)
