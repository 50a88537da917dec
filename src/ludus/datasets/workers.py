"""Processes that play matches; what they find comes back in the order of the matches.

A worker leaves when its parent is gone, however that ended, because nobody else holds the other
end of its pipe.
"""

import multiprocessing
import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, Self

from ludus.core.errors import LudusError
from ludus.datasets.generators import GENERATORS
from ludus.datasets.plan import Plan

AHEAD = 8
"""Matches that each worker may be ahead of the slowest one."""

MAX_TRIES = 3
"""Workers that may die over one match before it is given up."""


def _serve(connection: Connection, game_id: str, plan: Plan) -> None:
    """The life of a worker: numbers of matches come in, lines go out, until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C and decides
    os.dup2(2, 1)  # what players print must not get into the output of a command
    generator = GENERATORS[game_id]()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            number = connection.recv()
            try:
                answer: list[str] | str = generator.lines(plan, number)
            except LudusError as error:
                answer = str(error)
            except Exception as error:
                answer = f"{type(error).__name__}: {error}"
            connection.send(answer)


class _Worker:
    """The parent's side of such a process."""

    def __init__(self, game_id: str, plan: Plan) -> None:
        context = multiprocessing.get_context("forkserver")
        self.connection, theirs = context.Pipe()
        self._process: Any = context.Process(
            target=_serve, args=(theirs, game_id, plan), daemon=True
        )
        self._process.start()
        theirs.close()
        self.number = -1

    def give(self, number: int) -> None:
        self.number = number
        # If it is dead, collecting its answer will show that.
        with suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send(number)

    def collect(self) -> list[str] | None:
        """The lines of the match; None if the worker died over it."""
        try:
            answer = self.connection.recv()
        except (EOFError, ConnectionResetError):
            return None
        if isinstance(answer, str):
            raise LudusError(f"match {self.number}: {answer}")
        found: list[str] = answer
        return found

    def close(self) -> None:
        self.connection.close()
        self._process.kill()
        self._process.join()


class Workers:
    """So many processes, each with one match at a time."""

    def __init__(self, num_workers: int, game_id: str, plan: Plan) -> None:
        self._game_id = game_id
        self._plan = plan
        self._num_workers = num_workers
        self._workers: list[_Worker] = []
        self._deaths: Counter[int] = Counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        while self._workers:
            self._workers.pop().close()

    def results(self, first: int) -> Iterator[list[str]]:
        """The lines of this match and of all that follow, without end."""
        wanted = given = first
        ready: dict[int, list[str]] = {}
        self._workers = [self._make() for _ in range(self._num_workers)]
        idle = list(self._workers)
        while True:
            while idle and given < wanted + AHEAD * self._num_workers:
                idle.pop().give(given)
                given += 1
            for worker in self._that_have_answered(idle):
                lines = worker.collect()
                if lines is None:
                    self._replace(worker)
                else:
                    ready[worker.number] = lines
                    idle.append(worker)
            while wanted in ready:
                yield ready.pop(wanted)
                wanted += 1

    def _that_have_answered(self, idle: list[_Worker]) -> list[_Worker]:
        """Those that are at work and have something to collect, once there are some."""
        busy = [worker for worker in self._workers if worker not in idle]
        answered = wait([worker.connection for worker in busy])
        return [worker for worker in busy if worker.connection in answered]

    def _make(self) -> _Worker:
        return _Worker(self._game_id, self._plan)

    def _replace(self, worker: _Worker) -> None:
        """A new process for the same match."""
        self._workers.remove(worker)
        worker.close()
        self._deaths[worker.number] += 1
        if self._deaths[worker.number] >= MAX_TRIES:
            raise LudusError(f"match {worker.number}: processes that should play it die")
        self._workers.append(self._make())
        self._workers[-1].give(worker.number)
