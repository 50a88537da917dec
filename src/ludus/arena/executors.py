"""Executors of games: this process, worker processes on this machine, or a Ray cluster.

A worker leaves a note of whose turn it is. If it dies or hangs, the player whose turn it was loses.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import NamedTuple, Protocol, Self

from ludus.arena.job_runner import (
    MAX_MESSAGE_LENGTH,
    Forfeit,
    PlayerCache,
    make_forfeit_result,
    run_job,
)
from ludus.arena.jobs import GameResult, Job
from ludus.core.errors import to_one_line
from ludus.core.executors import LocalProcesses, RayTasks
from ludus.core.game import Position
from ludus.core.processes import count_cores
from ludus.core.workers import Worker, leave_note

KILL_AFTER_SECONDS = 2.0
"""Seconds after a player's time and grace at which its process is killed."""


class Executor(Protocol):
    """Runs jobs and yields results in order of completion."""

    def run(self, jobs: Iterable[Job]) -> Iterator[GameResult]: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...


class NotedTurn(NamedTuple):
    """Whose turn it is in the game that a worker plays."""

    side: int
    began: float
    """When the game began, by the clock that all processes share."""

    since: float
    """When the turn began; infinite where players are made and games begun, which is not timed."""

    position: str


def play_in_worker(job: Job) -> GameResult:
    """Play a game, and note whose turn it is."""
    began = time.monotonic()

    def watch(side: int, position: Position) -> None:
        since, text = ("inf", "") if position is None else (time.monotonic(), position)
        leave_note(f"{side} {began} {since} {text}")

    try:
        return run_job(job, watch)
    finally:
        leave_note("")


def _read_turn(worker: Worker) -> NotedTurn | None:
    """Return whose turn it is; None if it is nobody's."""
    try:
        side, began, since, position = worker.note.split(" ", 3)
        return NotedTurn(int(side), float(began), float(since), position)
    except ValueError:  # also while it is being written
        return None


def judge_game(job: Job, worker: Worker) -> GameResult | None:
    """Return the forfeit of a player whose process has ended, or hangs and is killed."""
    turn = _read_turn(worker)
    if turn is None:
        return None
    limit, taken = job.conditions.limit.time, time.monotonic() - turn.since
    if worker.has_ended:
        reason, what = "crash", f"the process ended with {worker.describe_exit()}"
    elif limit is not None and taken > limit + job.conditions.grace + KILL_AFTER_SECONDS:
        reason, what = "timeout", f"was stopped after {taken:.1f} s"
    else:
        return None
    message = f"{what}, thinking about {turn.position}" if turn.position else what
    forfeit = Forfeit(turn.side, reason, to_one_line(message, MAX_MESSAGE_LENGTH))
    return make_forfeit_result(job, forfeit, time.monotonic() - turn.began)


class ThisProcess(AbstractContextManager["ThisProcess"]):
    """Plays games one after the other in this process, where a player that hangs is not stopped."""

    def __init__(self, players: PlayerCache | None = None) -> None:
        self._players = players or PlayerCache()

    def __exit__(self, *error: object) -> None:
        pass

    def run(self, jobs: Iterable[Job]) -> Iterator[GameResult]:
        for job in jobs:
            yield run_job(job, players=self._players)


class LocalPool(LocalProcesses):
    """Worker processes on this machine, each with one game or one other task at a time."""

    def run(self, jobs: Iterable[Job]) -> Iterator[GameResult]:
        """Play games; a player that crashes or hangs loses its game."""
        for _, result in self._run(play_in_worker, jobs, lambda: True, judge_game):
            yield result


class RayCluster(RayTasks):
    """A running Ray cluster; see `RayTasks`.

    Each actor plays games in a worker process. A crashing player kills the worker process and not
    the actor, so players' faults are distinguished from a lost machine.
    """

    def run(self, jobs: Iterable[Job]) -> Iterator[GameResult]:
        """Play games, in groups that take about a second."""
        return self.map_unordered(_Referee(), jobs)


class _Referee:
    """A task that plays games in the worker process of its actor."""

    def __call__(self, job: Job) -> GameResult:
        return self.run_group([job])[0]

    def run_group(self, jobs: Sequence[Job]) -> list[GameResult]:
        return list(_get_actor_pool().run(jobs))


@cache
def _get_actor_pool() -> LocalPool:
    return LocalPool(1)


def make_executor(num_workers: int = 0, cluster: str = "") -> LocalPool | RayCluster:
    """Return worker processes on this machine, or a Ray cluster if its address is given.

    `num_workers` of 0 means one for each core.
    """
    if cluster:
        return RayCluster(cluster, num_workers)
    return LocalPool(num_workers or count_cores())
