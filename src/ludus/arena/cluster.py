"""The same jobs on a Ray cluster: each of its cores has a worker process as this machine has.

A player that dies takes down its worker process and not the Ray actor that holds it, so faults
are told apart from a lost machine. The games of a lost machine are played again elsewhere, with
the same results.
"""

from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import islice
from types import TracebackType
from typing import Any, Self

from ludus.arena.jobs import GameResult, Job
from ludus.arena.worker import Prepare, Worker
from ludus.core.errors import LudusError, quoted

MAX_LOST = 10
"""Actors that may be lost in a row before we give up."""


class NoCluster(LudusError):
    """Ray is not installed, or there is no cluster at this address."""


class Core:
    """What runs on a core of the cluster."""

    def __init__(self, prepare: Prepare | None) -> None:
        self._worker = Worker(prepare)

    def play(self, job: Job) -> GameResult:
        return self._worker.play(job)


class RayCluster:
    """A running cluster, by its address, or `auto` for the one this machine belongs to."""

    def __init__(self, address: str, num_workers: int = 0, prepare: Prepare | None = None) -> None:
        try:
            ray: Any = import_module("ray")
        except ImportError:
            raise NoCluster("a cluster needs Ray: pip install 'ludus[cluster]'") from None
        self._ray = ray
        self._prepare = prepare
        try:
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        except Exception as error:  # Ray raises many kinds, and they say little to a user
            detail = " ".join(str(error).split())
            raise NoCluster(f"there is no Ray cluster at {quoted(address)}: {detail}") from error
        cores = int(ray.cluster_resources().get("CPU", 1))
        self._num_workers = min(num_workers, cores) if num_workers else cores

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._ray.shutdown()

    def run(self, jobs: Iterable[Job]) -> Iterator[GameResult]:
        waiting = iter(jobs)
        busy: dict[Any, tuple[Any, Job]] = {}
        for job in islice(waiting, self._num_workers):
            self._give(busy, self._actor(), job)
        lost = 0
        while busy:
            (ready, *_), _ = self._ray.wait(list(busy))
            actor, job = busy.pop(ready)
            try:
                result: GameResult = self._ray.get(ready)
            except self._ray.exceptions.RayActorError as error:
                lost += 1
                if lost > MAX_LOST:
                    raise NoCluster(f"{lost} workers of the cluster were lost in a row") from error
                self._give(busy, self._actor(), job)
                continue
            lost = 0
            following = next(waiting, None)
            if following is not None:
                self._give(busy, actor, following)
            yield result

    def _actor(self) -> Any:
        return self._ray.remote(num_cpus=1)(Core).remote(self._prepare)

    def _give(self, busy: dict[Any, tuple[Any, Job]], actor: Any, job: Job) -> None:
        busy[actor.play.remote(job)] = actor, job
