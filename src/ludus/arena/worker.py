"""A process that plays games, and what its parent does when it dies or hangs.

The worker notes in shared memory whose turn it is. So when it goes down, its parent knows which
player took it down, and in which position.
"""

import ctypes
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import heap
from multiprocessing.connection import Connection, wait
from multiprocessing.sharedctypes import RawValue
from typing import Any

from ludus.arena.jobs import GameResult, Job
from ludus.arena.play import Forfeit, forfeited, one_line, play
from ludus.core.errors import LudusError
from ludus.core.threads import one_thread_for_arrays

Prepare = Callable[[], None]
"""Called first in every worker; it may make further players known. A function of a module."""

NOBODY = -1
LONGEST_POSITION = 400

SECONDS_TO_KILL = 2.0
"""A player that has not come back so long after its time and grace is killed."""

SECONDS_A_LOOK = 0.2
MAX_TRIES = 3
"""Workers that may die while no player is at work, before a job is given up."""


class Turn(ctypes.Structure):
    """Who is thinking, since when, and about what."""

    _fields_ = (
        ("side", ctypes.c_int),
        ("since", ctypes.c_double),
        ("position", ctypes.c_char * LONGEST_POSITION),
    )


def _serve(connection: Connection, turn: Any, prepare: Prepare | None) -> None:
    """The life of a worker: games come in, results go out, until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C and decides
    os.dup2(2, 1)  # what players print must not get into the output of a command
    one_thread_for_arrays()
    if prepare is not None:
        prepare()

    def watch(side: int, position: Any) -> None:
        text = "" if position is None else str(position)
        turn.position = text.encode("ascii", "backslashreplace")[: LONGEST_POSITION - 1]
        # Making a player and beginning a game may take its time.
        turn.since = float("inf") if position is None else time.monotonic()
        turn.side = side

    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            job = connection.recv()
            try:
                answer: GameResult | Exception = play(job, watch)
            except Exception as error:
                answer = error
            turn.side = NOBODY
            connection.send(answer)


def _shared_turn() -> Any:
    """Memory for a turn that two processes see.

    Python keeps it in a file in /dev/shm, and fails where containers have none that can be written;
    then it is told to use a folder for temporary files.
    """
    try:
        return RawValue(Turn)
    except OSError:
        heap.Arena._dir_candidates = []  # type: ignore[attr-defined]
        return RawValue(Turn)


class Worker:
    """The parent's side of such a process; a new one takes its place when it dies."""

    def __init__(self, prepare: Prepare | None = None) -> None:
        self._prepare = prepare
        self._job: Job | None = None
        self._tries = 0
        self._began = 0.0
        self._start()

    @property
    def waitables(self) -> list[Any]:
        """What becomes ready when there is something to `collect`."""
        return [self._connection, self._process.sentinel]

    def give(self, job: Job) -> None:
        """Begin with a game; `collect` brings its result."""
        self._job = job
        self._began = time.monotonic()
        try:
            self._connection.send(job)
        except (BrokenPipeError, ConnectionResetError):
            self._replace()

    def collect(self) -> GameResult | None:
        """The result if there is one yet. A worker that died or hangs makes one, too."""
        if self._connection.poll():
            try:
                answer = self._connection.recv()
            except (EOFError, ConnectionResetError):
                return self._died()
            if isinstance(answer, Exception):
                raise answer
            self._tries = 0
            return self._done(answer)
        if not self._process.is_alive():
            # It may have answered just before it died.
            return None if self._connection.poll() else self._died()
        return self._hangs() if self._is_overdue() else None

    def play(self, job: Job) -> GameResult:
        """Play a game and wait for it."""
        self.give(job)
        while True:
            wait(self.waitables, SECONDS_A_LOOK)
            if (result := self.collect()) is not None:
                return result

    def close(self) -> None:
        """End the process. An idle one leaves by itself; a game that is going on is lost."""
        self._connection.close()
        if self._job is None:
            self._process.join(SECONDS_TO_KILL)
        self._process.kill()
        self._process.join()

    def _start(self) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([__name__])
        self._turn: Any = _shared_turn()
        self._turn.side = NOBODY
        self._connection, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(theirs, self._turn, self._prepare), daemon=True
        )
        self._process.start()
        theirs.close()

    def _died(self) -> GameResult | None:
        self._process.join()
        code = self._process.exitcode or 0
        how = f"signal {-code}" if code < 0 else f"exit status {code}"
        if self._turn.side == NOBODY:
            self._replace()
            return None
        return self._forfeit("crash", f"the process ended with {how}")

    def _is_overdue(self) -> bool:
        assert self._job is not None
        conditions = self._job.conditions
        if conditions.limit.time is None or self._turn.side == NOBODY:
            return False
        allowed = conditions.limit.time + conditions.grace + SECONDS_TO_KILL
        return bool(time.monotonic() - self._turn.since > allowed)

    def _hangs(self) -> GameResult:
        seconds = time.monotonic() - self._turn.since
        self._process.kill()
        self._process.join()
        return self._forfeit("timeout", f"was stopped after {seconds:.1f} s")

    def _forfeit(self, reason: str, what: str) -> GameResult:
        assert self._job is not None
        position = self._turn.position.decode("ascii")
        message = one_line(f"{what}, thinking about {position}" if position else what)
        job, side = self._job, self._turn.side
        self._connection.close()
        self._start()
        seconds = time.monotonic() - self._began
        return self._done(forfeited(job, Forfeit(side, reason, message), seconds))

    def _done(self, result: GameResult) -> GameResult:
        self._job = None
        return result

    def _replace(self) -> None:
        """A new process for the same game, which no player has to answer for."""
        assert self._job is not None
        self._connection.close()
        self._process.join()
        self._tries += 1
        if self._tries >= MAX_TRIES:
            raise LudusError(f"processes that should play end at once ({self._process.exitcode})")
        self._start()
        self._connection.send(self._job)
