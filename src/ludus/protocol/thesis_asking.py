"""One player for many clients: questions that come at the same time are asked together."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ludus.core.errors import LudusError
from ludus.core.player import Player

MOST_TOGETHER = 256

Question = tuple[Any, asyncio.Future[Any]]


class Asking:
    """Hands positions to a player on a thread of its own, so that nobody else has to wait."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._questions: asyncio.Queue[Question] = asyncio.Queue()
        self._thread = ThreadPoolExecutor(1, "player")

    async def move(self, position: Any) -> Any:
        """The player's move; LudusError if it fails."""
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._questions.put_nowait((position, answer))
        return await answer

    async def run(self) -> None:
        """Ask until cancelled."""
        while True:
            questions = [await self._questions.get()]
            while len(questions) < MOST_TOGETHER and not self._questions.empty():
                questions.append(self._questions.get_nowait())
            # Of those who have gone nobody wants to know.
            waiting = [question for question in questions if not question[1].done()]
            if waiting:
                await self._ask(waiting)

    def close(self) -> None:
        """Let the thread end, and a search on it if it can be stopped."""
        if callable(stop := getattr(self._player, "stop", None)):
            stop()
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _ask(self, questions: list[Question]) -> None:
        positions = [position for position, _ in questions]
        choose = self._player.choose_many
        try:
            loop = asyncio.get_running_loop()
            choices = await loop.run_in_executor(self._thread, choose, positions)
            moves = [choice.move for choice in choices]
        except Exception as error:  # a player's fault must not end the server
            fault = LudusError(f"{self._player.spec} failed: {error}")
            moves = [fault] * len(questions)
        for move, (_, answer) in zip(moves, questions, strict=True):
            if answer.done():
                continue
            if isinstance(move, LudusError):
                answer.set_exception(move)
            else:
                answer.set_result(move)
