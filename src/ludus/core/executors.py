"""Executors of tasks: worker processes on this machine, or a Ray cluster.

A task is a function of a module, applied to an item that can be pickled. Results depend on the item
alone, so they are the same wherever a task runs, and a task whose worker is lost is run again.
"""

import math
import socket
import sys
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager
from importlib import import_module
from itertools import islice
from operator import length_hint
from typing import Any, NamedTuple, Self, TypeVar

from ludus.core.errors import LudusError, quote, to_one_line
from ludus.core.extras import require_package
from ludus.core.files import describe_os_error
from ludus.core.processes import limit_array_threads
from ludus.core.spec import Registry
from ludus.core.workers import Worker, WorkerLost, describe_error, encode_request

MAX_AHEAD = 8
"""Tasks per worker that may be handed out ahead of the oldest unfinished one."""

MAX_TRIES = 3
"""Number of processes that may die during one task before the run fails."""

MAX_LOST_ACTORS = 10
"""Number of successively lost actors after which the run fails."""

TASK_SECONDS = 1.0
"""Items are grouped until a task of a cluster takes about this long: handing one out takes a few
milliseconds, and more on a busy machine."""

MAX_GROUP = 4096
MAX_GROWTH = 32
"""A group is at most this many times as large as those before it."""

CONNECT_SECONDS = 10.0
"""Time that a cluster has to accept a connection."""

MAX_DETAIL = 200
"""Longest reason of another program that is shown."""

T = TypeVar("T")
R = TypeVar("R")

MayTake = Callable[[], bool]
"""Whether another item may be handed out."""

Judge = Callable[[T, Worker], R | None]
"""Called with the item of a worker that has ended, and again and again while one is at work.

Returns the result of a task that is to be given up."""

JUDGE_SECONDS = 0.2
"""Time between two calls of a Judge for a task that goes on."""


class TaskExecutor(AbstractContextManager["TaskExecutor"], ABC):
    """Runs tasks in parallel."""

    num_workers: int

    def __enter__(self) -> Self:
        return self

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Yield the results in the order of the items, which may be without end.

        A few items per worker are taken ahead of the result that is due.
        """
        ready: dict[int, R] = {}
        wanted = 0

        def may_take() -> bool:
            return self._num_taken - wanted < self._get_max_ahead()

        for number, result in self._run(function, items, may_take):
            ready[number] = result
            while wanted in ready:
                wanted += 1
                yield ready.pop(wanted - 1)

    def map_unordered(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Yield the results in the order in which they are ready."""
        for _, result in self._run(function, items, lambda: True):
            yield result

    _num_taken: int = 0
    """Number of items of the current run that were handed out."""

    @abstractmethod
    def _get_max_ahead(self) -> int:
        """Return the largest number of items in progress at a time."""

    @abstractmethod
    def _run(
        self, function: Callable[[T], R], items: Iterable[T], may_take: MayTake
    ) -> Iterator[tuple[int, R]]:
        """Yield the number of each item and its result, when it is ready."""


class _Task(NamedTuple):
    """A task that a worker is at."""

    worker: Worker
    number: int
    item: Any
    request: bytes


class LocalProcesses(TaskExecutor):
    """Worker processes on this machine, each with one task at a time.

    What workers could not import, such as a function of the main module, is run in this process.
    """

    def __init__(self, num_workers: int) -> None:
        self.num_workers = num_workers
        self._idle: list[Worker] = []

    def __exit__(self, *error: object) -> None:
        while self._idle:
            self._idle.pop().close()

    def _get_max_ahead(self) -> int:
        return MAX_AHEAD * self.num_workers

    def _run(
        self,
        function: Callable[[T], R],
        items: Iterable[T],
        may_take: MayTake,
        judge: Judge[T, R] | None = None,
    ) -> Iterator[tuple[int, R]]:
        waiting = iter(items)
        self._num_taken = 0
        busy: dict[Future[R], _Task] = {}
        deaths: Counter[int] = Counter()

        def submit(number: int, item: T, request: bytes) -> None:
            worker = self._idle.pop() if self._idle else Worker()
            busy[worker.send(request)] = _Task(worker, number, item, request)

        try:
            while True:
                while len(busy) < self.num_workers and may_take():
                    following = list(islice(waiting, 1))
                    if not following:
                        break
                    number, item = self._num_taken, following[0]
                    self._num_taken += 1
                    request = encode_request(function, item)
                    if request is None:
                        yield number, _run_task(function, item)
                    else:
                        submit(number, item, request)
                if not busy:
                    return
                wait(busy, JUDGE_SECONDS if judge else None, FIRST_COMPLETED)
                for future, task in list(busy.items()):
                    is_lost = future.done() and isinstance(future.exception(), WorkerLost)
                    if future.done() and not is_lost:
                        del busy[future]
                        self._idle.append(task.worker)
                        yield task.number, future.result()
                        continue
                    verdict = judge(task.item, task.worker) if judge else None
                    if verdict is None and not is_lost:
                        continue
                    del busy[future]
                    task.worker.close()
                    if verdict is not None:
                        yield task.number, verdict
                        continue
                    deaths[task.number] += 1
                    if deaths[task.number] >= MAX_TRIES:
                        raise LudusError(f"processes that should run task {task.number} die")
                    submit(task.number, task.item, task.request)
        finally:
            for task in busy.values():  # what is still running is not wanted any more
                task.worker.close()


def _run_task(function: Callable[[T], R], item: T) -> R:
    """Return the result of a task; its error is one with a message of one line."""
    try:
        return function(item)
    except Exception as error:
        raise describe_error(error) from error


def connect_to_ray(address: str) -> Any:
    """Connect to a running cluster and return the module `ray`; `auto` is this machine's."""
    ray = require_package("ray", "a cluster")
    _check_cluster_address(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except Exception as error:  # Ray raises many types, with messages of little use to users
        detail = to_one_line(str(error), MAX_DETAIL)
        raise LudusError(f"there is no Ray cluster at {quote(address)}: {detail}") from error
    # Ray prints messages about lost machines to standard output, in the midst of results.
    worker: Any = import_module("ray._private.worker")
    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = _print_cluster_message
    return ray


def _check_cluster_address(address: str) -> None:
    """Raise LudusError if nothing listens at `host:port`, for which Ray would wait for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not (host and colon and port.isascii() and port.isdecimal() and len(port) <= 5):
        return  # auto and other names, which Ray reads itself
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError, UnicodeError) as error:
        detail = to_one_line(describe_os_error(error), MAX_DETAIL)
        raise LudusError(f"there is no Ray cluster at {quote(address)}: {detail}") from error


def _print_cluster_message(data: Mapping[str, Any], *_: Any, **__: Any) -> None:
    for line in data["lines"]:
        print(f"ludus: cluster: {to_one_line(line, 200)}", file=sys.stderr, flush=True)


class TaskActor:
    """A Ray actor that runs groups of tasks on one core of the cluster."""

    def __init__(self, names: Mapping[str, Mapping[str, str]]) -> None:
        """Register the names that the program has added to registries."""
        limit_array_threads()
        Registry.add_to_all(names)

    def ping(self) -> None:
        """Return when the actor is ready."""

    def run(
        self, function: Callable[[T], R], items: Sequence[T]
    ) -> tuple[list[R | LudusError], float]:
        """Return the results of a group, up to the first error, and the seconds that it took."""
        began = time.perf_counter()
        results: list[R | LudusError] = []
        try:
            for item in items:
                results.append(_run_task(function, item))  # noqa: PERF401 - as far as it goes
        except LudusError as error:
            results.append(error)
        return results, time.perf_counter() - began


class _Group(NamedTuple):
    """Consecutive items, by the number of the first."""

    first: int
    items: list[Any]


class RayTasks(TaskExecutor):
    """A running Ray cluster, by its address, or `auto` for the one this machine belongs to.

    Each core has an actor. The tasks of a lost machine are run again elsewhere, with the same
    results; if the cluster gets cores back, they are used.
    """

    def __init__(self, address: str, num_workers: int = 0) -> None:
        self._ray = connect_to_ray(address)
        errors = self._ray.exceptions
        self._losses = (errors.RayActorError, errors.ObjectLostError)
        """Errors of a lost machine; finished results that were still on it are lost, too."""
        cores = int(self._ray.cluster_resources().get("CPU", 1))
        self.num_workers = min(num_workers, cores) if num_workers else cores
        self._group_size = 1
        self._idle: list[Any] = []
        self._starting: dict[Any, Any] = {}
        """Actors that are not ready yet, by the reference to their first answer."""

    def __exit__(self, *error: object) -> None:
        self._idle, self._starting = [], {}
        self._ray.shutdown()

    def _get_max_ahead(self) -> int:
        return MAX_AHEAD * self.num_workers * self._group_size

    def _run(
        self, function: Callable[[T], R], items: Iterable[T], may_take: MayTake
    ) -> Iterator[tuple[int, R]]:
        waiting = iter(items)
        self._num_taken, self._group_size = 0, 1
        num_done, seconds_done, num_lost = 0, 0.0, 0
        sent = self._ray.put(function)
        busy: dict[Any, tuple[Any, _Group]] = {}
        lost: deque[_Group] = deque()
        try:
            while True:
                while self._idle and (lost or may_take()):
                    group = lost.popleft() if lost else self._take_group(waiting)
                    if not group.items:
                        break
                    actor = self._idle.pop()
                    busy[actor.run.remote(sent, group.items)] = actor, group
                if not busy and not lost and self._idle:
                    return
                missing = self.num_workers - len(self._idle) - len(busy) - len(self._starting)
                for _ in range(missing):
                    actor = self._ray.remote(num_cpus=1)(TaskActor).remote(Registry.added)
                    self._starting[actor.ping.remote()] = actor
                (ready, *_), _ = self._ray.wait([*busy, *self._starting])
                actor, group = busy.pop(ready, (self._starting.pop(ready, None), _Group(0, [])))
                try:
                    answer = self._ray.get(ready)
                except self._losses as error:
                    num_lost += 1
                    if num_lost > MAX_LOST_ACTORS:
                        message = f"{num_lost} workers of the cluster were lost in a row"
                        raise LudusError(message) from error
                    if group.items:
                        lost.append(group)
                    continue
                self._idle.append(actor)
                if answer is None:
                    continue
                num_lost = 0
                results, seconds = answer
                num_done, seconds_done = num_done + len(results), seconds_done + seconds
                self._group_size = choose_group_size(
                    seconds_done / num_done,
                    self._group_size,
                    length_hint(waiting),
                    self.num_workers,
                )
                for number, result in enumerate(results, group.first):
                    if isinstance(result, LudusError):
                        raise result
                    yield number, result
        finally:
            for actor, _ in busy.values():  # what is still running is not wanted any more
                self._ray.kill(actor)

    def _take_group(self, waiting: Iterator[Any]) -> _Group:
        group = _Group(self._num_taken, list(islice(waiting, self._group_size)))
        self._num_taken += len(group.items)
        return group


def choose_group_size(
    seconds_per_item: float, last_size: int, num_left: int, num_workers: int
) -> int:
    """Return the size of the next groups; the last ones are smaller, so that all end together.

    `num_left` is 0 if the number of items that are left is not known.

    >>> choose_group_size(0.01, last_size=1, num_left=0, num_workers=2)
    32
    >>> choose_group_size(0.01, last_size=64, num_left=0, num_workers=2)
    100
    >>> choose_group_size(0.01, last_size=100, num_left=30, num_workers=2)
    8
    """
    size = math.ceil(TASK_SECONDS / max(seconds_per_item, 1e-6))
    size = min(size, MAX_GROWTH * last_size, MAX_GROUP)
    if num_left:
        size = min(size, math.ceil(num_left / (2 * num_workers)))
    return max(1, size)
