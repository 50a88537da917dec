"""The worker processes as the server sees them: ask, wait, stop, and replace what hangs."""

import asyncio
import json
import sys
from collections import deque
from typing import Any

from ludus.core.errors import LudusError
from ludus.web.errors import NoAnswer

GRACE = 5.0
"""Seconds a worker has for its answer after it was told to stop; then it is killed."""

MAX_ANSWER = 16 * 1024 * 1024
"""Bytes of one answer."""


class Worker:
    """One process."""

    def __init__(self, nice: int) -> None:
        self._nice = nice
        self._process: asyncio.subprocess.Process | None = None
        self._is_asked = asyncio.Event()

    async def start(self) -> None:
        """Begin a process, unless one is there."""
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "ludus.web.worker",
                str(self._nice),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=MAX_ANSWER,
            )

    async def ask(self, job: dict[str, Any]) -> dict[str, Any]:
        """The answer to a job; NoAnswer if the process dies over it."""
        self._is_asked.clear()
        try:
            await self.start()
            await self._send(job)
        finally:
            self._is_asked.set()
        return await self._answer()

    async def _answer(self) -> dict[str, Any]:
        """The answer to the job that was asked last."""
        assert self._process is not None
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        if not line.endswith(b"\n"):
            await self.kill()
            raise NoAnswer("the process that should answer has ended")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise LudusError(answer["error"])
        result: dict[str, Any] = answer["answer"]
        return result

    async def stop(self) -> None:
        """Ask for an answer now, once the question is asked."""
        await self._is_asked.wait()
        await self._send({"job": "stop"})

    async def kill(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None:
            if self._process.returncode is None:
                self._process.kill()
            await self._process.wait()
            self._process = None

    async def _send(self, job: dict[str, Any]) -> None:
        if self._process is None or self._process.stdin is None:
            raise NoAnswer("the process that should answer has ended")
        self._process.stdin.write(json.dumps(job).encode() + b"\n")
        try:
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            await self.kill()
            raise NoAnswer("the process that should answer has ended") from None


class Pool:
    """Some workers, and those who wait for one."""

    def __init__(self, size: int, max_seconds: float, max_waiting: int, nice: int = 0) -> None:
        self._workers = [Worker(nice) for _ in range(size)]
        self._free = deque(self._workers)
        self._waiting: deque[asyncio.Future[Worker]] = deque()
        self._max_seconds = max_seconds
        self._max_waiting = max_waiting
        self._settling: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Begin all processes, so that the first question does not wait for one."""
        await asyncio.gather(*(worker.start() for worker in self._workers))

    async def close(self) -> None:
        for task in list(self._settling):
            task.cancel()
        await asyncio.gather(*self._settling, return_exceptions=True)
        await asyncio.gather(*(worker.kill() for worker in self._workers))

    async def ask(self, job: dict[str, Any], now: asyncio.Event | None = None) -> dict[str, Any]:
        """The answer to a job. Whoever sets `now` asks for it at once.

        When nobody waits for the answer any more, because the caller is cancelled, the worker is
        told to stop and takes the next job once it has.
        """
        worker = await self._take()
        task = asyncio.create_task(worker.ask(job))
        try:
            return await self._answer(worker, task, now)
        finally:
            if task.done():
                self._give_back(worker)
            else:
                settling = asyncio.create_task(self._settle(worker, task))
                self._settling.add(settling)
                settling.add_done_callback(self._settling.discard)

    async def _answer(
        self, worker: Worker, task: "asyncio.Task[dict[str, Any]]", now: asyncio.Event | None
    ) -> dict[str, Any]:
        hurry = asyncio.create_task((now or asyncio.Event()).wait())
        try:
            await asyncio.wait(
                (task, hurry), timeout=self._max_seconds, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            hurry.cancel()
        if not task.done():
            await worker.stop()
            await asyncio.wait((task,), timeout=GRACE)
        if not task.done():
            raise NoAnswer("no answer came in time")
        return task.result()

    async def _settle(self, worker: Worker, task: "asyncio.Task[dict[str, Any]]") -> None:
        """See a worker off a job that nobody waits for, and begin a new process if it hangs."""
        try:
            if not task.done():
                await worker.stop()
                await asyncio.wait((task,), timeout=GRACE)
        except NoAnswer:
            pass
        finally:
            if not task.done():
                task.cancel()
                await worker.kill()
            await asyncio.gather(task, return_exceptions=True)
            self._give_back(worker)

    async def _take(self) -> Worker:
        if self._free:
            return self._free.popleft()
        if len(self._waiting) >= self._max_waiting:
            raise NoAnswer("everybody who could answer is busy; try again in a moment")
        turn: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._give_back(turn.result())
            raise

    def _give_back(self, worker: Worker) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(worker)
                return
        self._free.append(worker)
