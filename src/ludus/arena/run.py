"""Who plays the jobs: processes of this machine, or a cluster behind the same few methods."""

from collections.abc import Iterable, Iterator
from itertools import islice
from multiprocessing.connection import wait
from types import TracebackType
from typing import Protocol, Self

from ludus.arena.jobs import GameResult, Job
from ludus.arena.worker import SECONDS_A_LOOK, Prepare, Worker


class Executor(Protocol):
    """Plays jobs, several at a time. Results come as they are ready, in any order."""

    def run(self, jobs: Iterable[Job]) -> Iterator[GameResult]: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...


class LocalPool:
    """So many processes of this machine, each with one game at a time."""

    def __init__(self, num_workers: int, prepare: Prepare | None = None) -> None:
        self._num_workers = num_workers
        self._prepare = prepare
        self._workers: list[Worker] = []

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

    def run(self, jobs: Iterable[Job]) -> Iterator[GameResult]:
        waiting = iter(jobs)
        busy: list[Worker] = []
        for number, job in enumerate(islice(waiting, self._num_workers)):
            if number == len(self._workers):
                self._workers.append(Worker(self._prepare))
            busy.append(self._workers[number])
            busy[-1].give(job)
        while busy:
            wait([thing for worker in busy for thing in worker.waitables], SECONDS_A_LOOK)
            for worker in list(busy):
                result = worker.collect()
                if result is None:
                    continue
                following = next(waiting, None)
                if following is None:
                    busy.remove(worker)
                else:
                    worker.give(following)
                yield result
