"""Executors of games: worker processes on this machine, or a Ray cluster."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from multiprocessing.connection import wait
from typing import Protocol, Self

from ludus.arena.jobs import GameResult, Job
from ludus.arena.worker import POLL_SECONDS, Worker
from ludus.core.executors import LocalProcesses, RayTasks, WorkerInitializer
from ludus.core.processes import count_cores


class Executor(Protocol):
    """Runs jobs in parallel and yields results in order of completion."""

    def run(self, jobs: Iterable[Job]) -> Iterator[GameResult]: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...


class LocalPool(LocalProcesses):
    """Worker processes on this machine, each with one game or one other task at a time."""

    def __init__(self, num_workers: int, initializer: WorkerInitializer | None = None) -> None:
        super().__init__(num_workers, initializer)
        self._workers: list[Worker] = []

    def __exit__(self, *error: object) -> None:
        while self._workers:
            self._workers.pop().close()
        super().__exit__(*error)

    def run(self, jobs: Iterable[Job]) -> Iterator[GameResult]:
        """Play games; a player that crashes or hangs loses its game."""
        waiting = iter(jobs)
        busy: list[Worker] = []
        for number, job in enumerate(islice(waiting, self.num_workers)):
            if number == len(self._workers):
                self._workers.append(Worker(self._initializer))
            busy.append(self._workers[number])
            busy[-1].submit(job)
        while busy:
            wait([handle for worker in busy for handle in worker.wait_handles], POLL_SECONDS)
            for worker in list(busy):
                result = worker.poll_result()
                if result is None:
                    continue
                following = next(waiting, None)
                if following is None:
                    busy.remove(worker)
                else:
                    worker.submit(following)
                yield result


class RayCluster(RayTasks):
    """A running Ray cluster; see `RayTasks`.

    Each actor plays games in a worker process. A crashing player kills the worker process and not
    the actor, so players' faults are distinguished from a lost machine.
    """

    def run(self, jobs: Iterable[Job]) -> Iterator[GameResult]:
        """Play games, in groups that take about a second."""
        return self.map_unordered(_Referee(self._initializer), jobs)


class _Referee:
    """A task that plays games in the worker process of its actor."""

    def __init__(self, initializer: WorkerInitializer | None) -> None:
        self._initializer = initializer

    def __call__(self, job: Job) -> GameResult:
        return self.run_group([job])[0]

    def run_group(self, jobs: Sequence[Job]) -> list[GameResult]:
        return list(_get_worker(self._initializer).play_all(jobs))


@cache
def _get_worker(initializer: WorkerInitializer | None) -> Worker:
    return Worker(initializer)


def make_executor(num_workers: int = 0, cluster: str = "") -> LocalPool | RayCluster:
    """Return worker processes on this machine, or a Ray cluster if its address is given.

    `num_workers` of 0 means one for each core.
    """
    if cluster:
        return RayCluster(cluster, num_workers)
    return LocalPool(num_workers or count_cores())
