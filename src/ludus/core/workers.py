"""Worker processes, which run functions of Ludus.

A worker is a fresh interpreter that never imports the caller's main module, so that plain scripts,
standard input and notebooks can use workers. It has the caller's search path and registered names,
and runs what it is asked, one request after the other. It ends with the process that started it.
"""

import atexit
import json
import mmap
import os
import pickle
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import IO, Any

from ludus.core.errors import LudusError, to_one_line
from ludus.core.processes import (
    describe_exit,
    kill_program,
    limit_array_threads,
    report_missing_process,
    start_program,
)
from ludus.core.spec import Registry

NOTE_BYTES = 1024
"""Size of the memory in which a worker leaves notes."""

SECONDS_TO_END = 2.0
"""Time that an idle worker has to end by itself."""

STOP_PAUSE = 0.05

BOOT = """
import json, sys
settings = json.loads(sys.argv[1])
sys.path[:] = settings["path"]
from ludus.core.workers import serve
serve(settings)
"""

STOP = b""
"""The request that hurries the one that is being answered."""


class WorkerLost(LudusError):
    """A worker process has ended before it answered."""


def describe_error(error: Exception) -> LudusError:
    """Return an error of a task as a LudusError with a message of one line."""
    if isinstance(error, LudusError):
        return error
    return LudusError(f"{type(error).__name__}: {to_one_line(str(error))}")


def encode_request(function: Callable[..., Any], *arguments: Any) -> bytes | None:
    """Return a call as bytes; None if a worker could not make it.

    Such are functions and objects of the main module, and those that have no name in a module.
    """
    try:
        data = pickle.dumps((function, arguments))
    except (pickle.PicklingError, AttributeError, TypeError):
        return None
    return None if b"__main__" in data else data


def _send(file: IO[bytes], data: bytes) -> None:
    file.write(len(data).to_bytes(8, "big") + data)
    file.flush()


def _receive(file: IO[bytes]) -> bytes:
    """Return the next message; raise EOFError at the end of the stream."""
    head = file.read(8)
    data = file.read(int.from_bytes(head, "big")) if len(head) == 8 else None
    if data is None or len(data) < int.from_bytes(head, "big"):
        raise EOFError
    return data


class _Answers:
    """The requests of a worker that are not answered yet, oldest first."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.pending: deque[Future[Any]] = deque()
        self.is_over = False

    def read(self, file: IO[bytes]) -> None:
        """Read answers until the worker ends; on a thread that does not keep the worker alive."""
        with file, suppress(EOFError):
            while True:
                data = _receive(file)
                try:
                    is_error, answer = pickle.loads(data)
                except Exception as error:
                    is_error, answer = True, describe_error(error)
                future = self.pending.popleft()
                if is_error:
                    future.set_exception(answer)
                else:
                    future.set_result(answer)
        with self.lock:
            self.is_over = True
        while self.pending:
            self.pending.popleft().set_exception(WorkerLost("the worker process has ended"))


class Worker:
    """A worker process; its owner closes it, and replaces it when it has ended."""

    def __init__(self, niceness: int = 0) -> None:
        self._answers = _Answers()
        with report_missing_process():
            file, path = tempfile.mkstemp(prefix="ludus-")
            os.truncate(file, NOTE_BYTES)
            self._note = mmap.mmap(file, NOTE_BYTES)
            os.close(file)
            paths = [str(each) for each in sys.path]
            settings = {"path": paths, "names": Registry.added, "note": path, "nice": niceness}
            try:
                self._process = start_program(
                    [sys.executable, "-P", "-c", BOOT, json.dumps(settings)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                )
            except OSError:
                os.unlink(path)
                raise
            reader = threading.Thread(
                target=self._answers.read, args=(self._process.stdout,), daemon=True
            )
            self._end = weakref.finalize(
                self, _end_worker, self._process, self._answers, reader, path, os.getpid()
            )
            reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether the process can answer no more."""
        return self._answers.is_over

    @property
    def note(self) -> str:
        """What the process wrote last by `leave_note`; it can be read after its end, too."""
        return self._note[:].partition(b"\0")[0].decode("ascii")

    def ask(self, function: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        """Return the future result of a module's function; its errors become LudusErrors.

        If the process ends before, the error is WorkerLost.
        """
        data = encode_request(function, *arguments)
        if data is None:
            raise LudusError(f"{function!r:.80} cannot be run by another process")
        return self.send(data)

    def send(self, request: bytes) -> "Future[Any]":
        """Return the future result of a call that `encode_request` returned."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()  # it cannot be cancelled
        with self._answers.lock:
            if self._answers.is_over:
                future.set_exception(WorkerLost("the worker process has ended"))
            else:
                self._answers.pending.append(future)
                self._write(request)
        return future

    def stop(self) -> None:
        """Hurry the request that is being answered, if its function uses `on_stop`."""
        with self._answers.lock:
            self._write(STOP)

    def describe_exit(self) -> str:
        """Return how the process ended."""
        return describe_exit(self._process.wait())

    def close(self) -> None:
        """End the process. An idle one ends by itself; a request in progress is lost."""
        self._end()

    def kill(self) -> None:
        """End the process at once, whatever it does."""
        kill_program(self._process)
        self.close()

    def _write(self, data: bytes) -> None:
        # If the process has ended or is closed, the thread that reads its answers notices it.
        with suppress(BrokenPipeError, ValueError):
            _send(self._process.stdin, data)  # type: ignore[arg-type]


def _end_worker(
    process: "subprocess.Popen[bytes]",
    answers: _Answers,
    reader: threading.Thread,
    path: str,
    owner: int,
) -> None:
    """End a worker; called once, when it is closed, when nobody needs it, or at exit."""
    if os.getpid() != owner:  # a forked copy of this process
        return
    with suppress(BrokenPipeError):
        process.stdin.close()  # type: ignore[union-attr]
    if not answers.pending:
        with suppress(subprocess.TimeoutExpired):
            process.wait(SECONDS_TO_END)
    kill_program(process)
    if reader.is_alive() and reader is not threading.current_thread():
        reader.join(SECONDS_TO_END)
    with suppress(OSError):  # the process has removed it itself
        os.unlink(path)


# In the worker.

_note: mmap.mmap | None = None
_stop_callback: Callable[[], object] | None = None


def leave_note(text: str) -> None:
    """Let the process that started this worker see a short text, at any time and at no cost."""
    if _note is not None:
        data = text.encode("ascii", "backslashreplace")[: NOTE_BYTES - 1]
        _note[:] = data.ljust(NOTE_BYTES, b"\0")


@contextmanager
def on_stop(callback: Callable[[], object] | None) -> Iterator[None]:
    """Call a function, on another thread, when the worker is asked to stop within the block.

    It is called again and again until the request is answered, since what it stops may not have
    begun.
    """
    global _stop_callback
    _stop_callback = callback
    try:
        yield
    finally:
        _stop_callback = None


def serve(settings: Mapping[str, Any]) -> None:
    """Answer requests until standard input ends."""
    global _note
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # output of players must not get among the answers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    limit_array_threads()
    if settings["nice"]:
        os.nice(settings["nice"])
    with open(settings["note"], "r+b") as file:
        _note = mmap.mmap(file.fileno(), NOTE_BYTES)
    with suppress(OSError):
        os.unlink(settings["note"])
    Registry.add_to_all(settings["names"])
    _Server(requests, answers).run()
    # Not an orderly end, which would report cached objects of native code as leaks.
    atexit._run_exitfuncs()
    os._exit(0)


class _Server:
    """The requests of a worker process: a thread receives them, the main thread answers them."""

    def __init__(self, requests: IO[bytes], answers: IO[bytes]) -> None:
        self._file, self._answers = requests, answers
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._num_received = self._num_answered = 0

    def run(self) -> None:
        threading.Thread(target=self._receive, daemon=True).start()
        with suppress(BrokenPipeError):
            while (request := self._requests.get()) is not None:
                answer = _answer(request)
                sys.stdout.flush()
                self._num_answered += 1
                _send(self._answers, answer)

    def _receive(self) -> None:
        with suppress(EOFError):
            while True:
                request = _receive(self._file)
                if request == STOP:
                    threading.Thread(target=self._stop, daemon=True).start()
                else:
                    self._num_received += 1
                    self._requests.put(request)
        if self._num_received > self._num_answered:
            os._exit(1)  # nobody wants the answer any more
        self._requests.put(None)

    def _stop(self) -> None:
        wanted = self._num_received
        while self._num_answered < wanted:
            if (callback := _stop_callback) is not None:
                callback()
            time.sleep(STOP_PAUSE)


def _answer(request: bytes) -> bytes:
    """Make a call; return whether there was an error, and the result or the error."""
    try:
        function, arguments = pickle.loads(request)
        return pickle.dumps((False, function(*arguments)))
    except Exception as error:
        try:
            return pickle.dumps((True, describe_error(error)))
        except Exception:
            return pickle.dumps((True, LudusError(to_one_line(str(error)))))
