"""A worker process that plays games, and its supervision by the parent.

The worker records the side to move in shared memory. If it dies or hangs, the parent knows which
player is responsible, and in which position.
"""

import ctypes
import multiprocessing
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from multiprocessing import heap
from multiprocessing.connection import Connection, wait
from multiprocessing.sharedctypes import RawValue
from typing import Any

from ludus.arena.job_runner import MAX_MESSAGE_LENGTH, Forfeit, make_forfeit_result, run_job
from ludus.arena.jobs import GameResult, Job
from ludus.core.errors import LudusError, to_one_line
from ludus.core.executors import WorkerInitializer
from ludus.core.game import Position
from ludus.core.processes import prepare_worker, report_missing_process

NO_SIDE = -1
MAX_POSITION_BYTES = 400

KILL_AFTER_SECONDS = 2.0
"""Seconds after a player's time and grace at which the worker is killed."""

POLL_SECONDS = 0.2
MAX_AHEAD = 4
"""Games that a process has at a time in `play_all`."""

MAX_TRIES = 3
"""Number of workers that may die outside a player's turn before a job fails."""


class SharedTurn(ctypes.Structure):
    """The side to move, the time its turn began, and the position."""

    _fields_ = (
        ("side", ctypes.c_int),
        ("since", ctypes.c_double),
        ("position", ctypes.c_char * MAX_POSITION_BYTES),
    )


def _run_worker(connection: Connection, turn: Any, initializer: WorkerInitializer | None) -> None:
    """Receive jobs and send results until the parent closes the pipe."""
    prepare_worker()
    if initializer is not None:
        initializer()

    def watch(side: int, position: Position) -> None:
        text = "" if position is None else str(position)
        turn.position = text.encode("ascii", "backslashreplace")[: MAX_POSITION_BYTES - 1]
        # Constructing a player and beginning a game are not timed.
        turn.since = float("inf") if position is None else time.monotonic()
        turn.side = side

    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            job = connection.recv()
            try:
                response: GameResult | Exception = run_job(job, watch)
            except Exception as error:
                response = error
            turn.side = NO_SIDE
            connection.send(response)


def _allocate_turn() -> Any:
    """Allocate a turn in memory shared by two processes.

    Python keeps it in a file in /dev/shm and fails where a container has no writable one; then a
    folder for temporary files is used.
    """
    try:
        return RawValue(SharedTurn)
    except OSError:
        heap.Arena._dir_candidates = []  # type: ignore[attr-defined]
        return RawValue(SharedTurn)


class Worker:
    """The parent's handle of a worker process, which is replaced when it dies."""

    def __init__(self, initializer: WorkerInitializer | None = None) -> None:
        self._initializer = initializer
        self._job: Job | None = None
        self._ahead: deque[Job] = deque()
        """Games that the process has received and that follow the present one."""
        self._tries = 0
        self._began = 0.0
        self._start()

    @property
    def wait_handles(self) -> list[Any]:
        """Objects that become ready when there may be something to `poll_result`."""
        return [self._connection, self._process.sentinel]

    def submit(self, job: Job) -> None:
        """Start a game, or let it follow those under way; `poll_result` returns its result."""
        if self._job is None:
            self._job = job
            self._began = time.monotonic()
        else:
            self._ahead.append(job)
        self._send(job)

    def poll_result(self) -> GameResult | None:
        """Return the result if it is ready; a worker that died or hangs results in a forfeit."""
        if self._connection.poll():
            try:
                response = self._connection.recv()
            except (EOFError, ConnectionResetError):
                return self._handle_exit()
            if isinstance(response, Exception):
                raise response
            self._tries = 0
            return self._finish(response)
        if not self._process.is_alive():
            # It may have responded just before it died.
            return None if self._connection.poll() else self._handle_exit()
        return self._handle_hang() if self._is_overdue() else None

    def play_all(self, jobs: Iterable[Job]) -> Iterator[GameResult]:
        """Play games one after the other.

        The process has the next ones already when it finishes one, so it never waits.
        """
        waiting, num_out = iter(jobs), 0
        for job in islice(waiting, MAX_AHEAD):
            self.submit(job)
            num_out += 1
        while num_out:
            wait(self.wait_handles, POLL_SECONDS)
            while num_out and (result := self.poll_result()) is not None:
                num_out -= 1
                for job in islice(waiting, 1):
                    self.submit(job)
                    num_out += 1
                yield result

    def close(self) -> None:
        """End the process. An idle one exits by itself; a game in progress is lost."""
        self._connection.close()
        if self._job is None:
            self._process.join(KILL_AFTER_SECONDS)
        self._process.kill()
        self._process.join()

    def _start(self) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([__name__])
        self._turn: Any = _allocate_turn()
        self._turn.side = NO_SIDE
        with report_missing_process():
            self._connection, theirs = context.Pipe()
            self._process = context.Process(
                target=_run_worker, args=(theirs, self._turn, self._initializer), daemon=True
            )
            self._process.start()
            theirs.close()

    def _handle_exit(self) -> GameResult | None:
        self._process.join()
        code = self._process.exitcode or 0
        how = f"signal {-code}" if code < 0 else f"exit status {code}"
        if self._turn.side == NO_SIDE:
            self._restart()
            return None
        return self._forfeit("crash", f"the process ended with {how}")

    def _is_overdue(self) -> bool:
        assert self._job is not None
        conditions = self._job.conditions
        if conditions.limit.time is None or self._turn.side == NO_SIDE:
            return False
        allowed = conditions.limit.time + conditions.grace + KILL_AFTER_SECONDS
        return bool(time.monotonic() - self._turn.since > allowed)

    def _handle_hang(self) -> GameResult:
        seconds = time.monotonic() - self._turn.since
        self._process.kill()
        self._process.join()
        return self._forfeit("timeout", f"was stopped after {seconds:.1f} s")

    def _forfeit(self, reason: str, what: str) -> GameResult:
        assert self._job is not None
        position = self._turn.position.decode("ascii")
        message = f"{what}, thinking about {position}" if position else what
        message = to_one_line(message, MAX_MESSAGE_LENGTH)
        job, side = self._job, self._turn.side
        self._connection.close()
        self._start()
        for following in self._ahead:
            self._send(following)
        seconds = time.monotonic() - self._began
        return self._finish(make_forfeit_result(job, Forfeit(side, reason, message), seconds))

    def _finish(self, result: GameResult) -> GameResult:
        self._job = self._ahead.popleft() if self._ahead else None
        self._began = time.monotonic()
        return result

    def _restart(self) -> None:
        """Start a new process for the same game; no player is responsible."""
        assert self._job is not None
        self._connection.close()
        self._process.join()
        self._tries += 1
        if self._tries >= MAX_TRIES:
            raise LudusError(f"worker processes exit at once ({self._process.exitcode})")
        self._start()
        for job in (self._job, *self._ahead):
            self._send(job)

    def _send(self, job: Job) -> None:
        # A process that is gone already is noticed and replaced by `poll_result`.
        with suppress(BrokenPipeError, ConnectionResetError):
            self._connection.send(job)
