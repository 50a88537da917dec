"""Those who look on at a game through a websocket: each gets the newest view, never a backlog."""

import asyncio
from contextlib import suppress

from fastapi import WebSocket, WebSocketDisconnect

from ludus.web.settings import Settings
from ludus.web.table import Table, Watcher
from ludus.web.views import view_of

FULL = 1013
"""The close code for a server that has as many connections as it allows: try again later."""

MAX_MESSAGES = 100
"""What a page may say on one connection, which is only that it is still there."""


class Gallery:
    """Counts who looks on, over all games."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._count = 0

    async def watch(self, socket: WebSocket, table: Table) -> None:
        """Send every change of a game until the page is gone."""
        is_full = (
            self._count >= self._settings.max_watchers
            or len(table.watchers) >= self._settings.max_watchers_of_one
        )
        await socket.accept()
        if is_full:
            await socket.close(FULL, "too many connections; try again later")
            return
        self._count += 1
        watcher = table.attach()
        tasks = {
            asyncio.create_task(self._tell(socket, table, watcher)),
            asyncio.create_task(_listen(socket)),
        }
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            table.detach(watcher)
            self._count -= 1
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            with suppress(RuntimeError, WebSocketDisconnect):
                await socket.close()

    async def _tell(self, socket: WebSocket, table: Table, watcher: Watcher) -> None:
        watcher.news.set()
        while True:
            await watcher.news.wait()
            watcher.news.clear()
            text = view_of(table).model_dump_json()
            # Whoever does not read keeps nothing here but this one text, and not for long.
            async with asyncio.timeout(self._settings.seconds_to_send):
                await socket.send_text(text)


async def _listen(socket: WebSocket) -> None:
    """What a page says means nothing; that it can no longer say it means that it is gone."""
    with suppress(WebSocketDisconnect, KeyError):
        for _ in range(MAX_MESSAGES):
            await socket.receive_text()
