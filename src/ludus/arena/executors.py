"""Executors of jobs: worker processes on this machine, or a Ray cluster."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from importlib import import_module
from itertools import islice
from multiprocessing.connection import wait
from typing import Any, Protocol, Self

from ludus.arena.jobs import GameResult, Job
from ludus.arena.worker import POLL_SECONDS, Worker, WorkerInitializer
from ludus.core.errors import LudusError, quote, to_one_line


class Executor(Protocol):
    """Runs jobs in parallel and yields results in order of completion."""

    def run(self, jobs: Iterable[Job]) -> Iterator[GameResult]: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...


class LocalPool(AbstractContextManager["LocalPool"]):
    """Worker processes on this machine, each with one game at a time."""

    def __init__(self, num_workers: int, initializer: WorkerInitializer | None = None) -> None:
        self._num_workers = num_workers
        self._initializer = initializer
        self._workers: list[Worker] = []

    def __exit__(self, *error: object) -> None:
        while self._workers:
            self._workers.pop().close()

    def run(self, jobs: Iterable[Job]) -> Iterator[GameResult]:
        waiting = iter(jobs)
        busy: list[Worker] = []
        for number, job in enumerate(islice(waiting, self._num_workers)):
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


MAX_LOST_ACTORS = 10
"""Number of successively lost actors after which the run fails."""


class GameActor:
    """A Ray actor with one worker process, on one core of the cluster."""

    def __init__(self, initializer: WorkerInitializer | None) -> None:
        self._worker = Worker(initializer)

    def play(self, job: Job) -> GameResult:
        return self._worker.play(job)


class RayCluster(AbstractContextManager["RayCluster"]):
    """A running Ray cluster, by its address, or `auto` for the one this machine belongs to.

    Each core has an actor that holds a worker process. A crashing player kills the worker process
    and not the actor, so players' faults are distinguished from a lost machine. The games of a lost
    machine are replayed elsewhere, with the same results.
    """

    def __init__(
        self, address: str, num_workers: int = 0, initializer: WorkerInitializer | None = None
    ) -> None:
        try:
            ray: Any = import_module("ray")
        except ImportError:
            raise LudusError("a cluster needs Ray: pip install 'ludus[cluster]'") from None
        self._ray = ray
        self._initializer = initializer
        try:
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        except Exception as error:  # Ray raises many types, with messages of little use to users
            detail = to_one_line(str(error))
            raise LudusError(f"there is no Ray cluster at {quote(address)}: {detail}") from error
        cores = int(ray.cluster_resources().get("CPU", 1))
        self._num_workers = min(num_workers, cores) if num_workers else cores

    def __exit__(self, *error: object) -> None:
        self._ray.shutdown()

    def run(self, jobs: Iterable[Job]) -> Iterator[GameResult]:
        waiting = iter(jobs)
        busy: dict[Any, tuple[Any, Job]] = {}
        for job in islice(waiting, self._num_workers):
            self._submit(busy, self._start_actor(), job)
        lost = 0
        while busy:
            (ready, *_), _ = self._ray.wait(list(busy))
            actor, job = busy.pop(ready)
            try:
                result: GameResult = self._ray.get(ready)
            except self._ray.exceptions.RayActorError as error:
                lost += 1
                if lost > MAX_LOST_ACTORS:
                    raise LudusError(f"{lost} workers of the cluster were lost in a row") from error
                self._submit(busy, self._start_actor(), job)
                continue
            lost = 0
            following = next(waiting, None)
            if following is not None:
                self._submit(busy, actor, following)
            yield result

    def _start_actor(self) -> Any:
        return self._ray.remote(num_cpus=1)(GameActor).remote(self._initializer)

    def _submit(self, busy: dict[Any, tuple[Any, Job]], actor: Any, job: Job) -> None:
        busy[actor.play.remote(job)] = actor, job
