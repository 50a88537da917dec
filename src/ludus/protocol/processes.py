"""Child processes of other programs: find, start, exchange lines by pipe or terminal, and end."""

import os
import pty
import select
import selectors
import shutil
import signal
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from subprocess import PIPE

from ludus.core.errors import LudusError, quote, to_one_line
from ludus.core.files import describe_os_error
from ludus.core.workers import (
    describe_exit,
    kill_program,
    signal_program,
    start_program,
    start_watchdog,
)
from ludus.protocol.uci import LineSplitter


GAMES_FOLDER = "/usr/games"
"""Debian's folder of games, which root's PATH often lacks."""


class ProgramFailed(LudusError):
    """A program is missing, has ended, does not respond, or sent invalid output."""


def find_program(name: str, package: str) -> str:
    """Return the path of a program; the error if it is missing names the Debian package."""
    path = os.environ.get("PATH", os.defpath)
    found = shutil.which(name, path=f"{path}{os.pathsep}{GAMES_FOLDER}")
    if found is None:
        raise ProgramFailed(
            f"the program {name} is not installed; on Debian: apt-get install {package}"
        )
    return found


def is_installed(name: str) -> bool:
    """Return whether `find_program` finds a program."""
    try:
        find_program(name, name)
    except ProgramFailed:
        return False
    return True


READ_SIZE = 65_536
MAX_RESPONSE_BYTES = 40_000_000
"""Maximum length of a response line."""


class LinePipes:
    """Non-blocking pipes to and from a program that may hang or die; every wait has a deadline."""

    def __init__(self, name: str, writing: int, reading: int) -> None:
        self._name = name
        self._writing = writing
        self._reading = reading
        os.set_blocking(writing, False)
        os.set_blocking(reading, False)

    def exchange(self, line: bytes, seconds: float) -> bytes:
        """Send a line and return the response line, both within this number of seconds."""
        deadline = time.monotonic() + seconds
        self._write(line, deadline)
        return self._read(deadline)

    def _write(self, line: bytes, deadline: float) -> None:
        left = memoryview(line + b"\n")
        while left:
            self._wait([], [self._writing], deadline)
            try:
                left = left[os.write(self._writing, left) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise ProgramFailed(f"{self._name} has ended") from None

    def _read(self, deadline: float) -> bytes:
        received = bytearray()
        while True:
            self._wait([self._reading], [], deadline)
            try:
                more = os.read(self._reading, READ_SIZE)
            except BlockingIOError:
                continue
            if not more:
                raise ProgramFailed(f"{self._name} has ended")
            received += more
            if b"\n" in more:
                line, _, rest = bytes(received).partition(b"\n")
                if rest:
                    raise ProgramFailed(f"{self._name} sent more than one line")
                return line
            if len(received) > MAX_RESPONSE_BYTES:
                raise ProgramFailed(f"{self._name} sends an endless line")

    def _wait(self, reading: list[int], writing: list[int], deadline: float) -> None:
        left = deadline - time.monotonic()
        ready = select.select(reading, writing, [], max(left, 0))
        if not any(ready):
            raise ProgramFailed(f"{self._name} does not answer")

    def close(self) -> None:
        os.close(self._writing)
        os.close(self._reading)


MAX_TERMINAL_BYTES = 1_000_000
"""Unread bytes after which the output is considered endless."""


class TerminalProcess(AbstractContextManager["TerminalProcess"]):
    """A program on a pseudo-terminal, for programs that require one.

    A context manager; leaving the block kills the program and closes the terminal.
    """

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._name = name
        self._buffer = b""
        try:
            self._terminal, inner = pty.openpty()
        except OSError as error:
            raise ProgramFailed(f"{name} needs a terminal, and there is none: {error}") from error
        try:
            self._process = start_program(
                command, stdin=inner, stdout=inner, stderr=inner, env=dict(environment)
            )
        except OSError as error:
            os.close(self._terminal)
            raise ProgramFailed(f"{name} cannot be started: {describe_os_error(error)}") from error
        finally:
            os.close(inner)

    def __exit__(self, *error: object) -> None:
        kill_program(self._process)
        os.close(self._terminal)

    def write(self, text: bytes) -> None:
        # An ended program is detected by the next read.
        with suppress(OSError):
            os.write(self._terminal, text)

    def read_until(self, wanted: Sequence[bytes], deadline: float) -> bytes:
        """Return the output up to and including the first occurrence of one of these words."""
        while True:
            ends = [self._buffer.index(word) + len(word) for word in wanted if word in self._buffer]
            if ends:
                output, self._buffer = self._buffer[: min(ends)], self._buffer[min(ends) :]
                return output
            self._read_more(deadline)

    def _read_more(self, deadline: float) -> None:
        if len(self._buffer) > MAX_TERMINAL_BYTES:
            raise ProgramFailed(f"{self._name} sends endless output")
        left = max(deadline - time.monotonic(), 0)
        if not select.select([self._terminal], [], [], left)[0]:
            raise ProgramFailed(f"{self._name} does not answer")
        try:
            more = os.read(self._terminal, READ_SIZE)
        except OSError:  # raised by Linux when the other end of a terminal is closed
            more = b""
        if not more:
            raise ProgramFailed(f"{self._name} has ended")
        self._buffer += more


MAX_LINE_BYTES = 200_000
"""Maximum length of an output line; no engine needs more."""

MAX_KEPT_STDERR = 2_000
"""Number of bytes kept from the end of standard error."""

MAX_SHOWN_STDERR = 200

SECONDS_TO_QUIT = 0.5
SECONDS_TO_TERMINATE = 0.5


class ResponseTimeout(ProgramFailed):
    """No line arrived before the deadline."""


class EngineProcess:
    """A line-based child process in its own process group, which ends with this process.

    A watchdog process kills the group if this process dies. There is no reader thread: output
    stays in the pipe until `receive`, so a full pipe blocks a program that floods, and nothing
    keeps running after `end`.
    """

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self._process = start_program(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, bufsize=0)
        except (OSError, ValueError) as error:
            why = describe_os_error(error)
            raise ProgramFailed(f"cannot be started: {to_one_line(why)}") from None
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin is not None and stdout is not None and stderr is not None  # noqa: PT018
        self._stdin, self._stdout, self._stderr = stdin, stdout, stderr
        self._owner = os.getpid()
        self._is_closed = False
        self._lines: deque[str] = deque()
        self._splitter = LineSplitter(MAX_LINE_BYTES)
        self._outgoing = bytearray()
        self._stderr_tail = bytearray()
        try:
            self._watchdog = start_watchdog(self._process)
        except OSError as error:
            kill_program(self._process)
            raise ProgramFailed(
                f"its watchdog cannot be started: {describe_os_error(error)}"
            ) from None
        self._selector = selectors.DefaultSelector()
        for file in (self._stdout, self._stderr):
            os.set_blocking(file.fileno(), False)
            self._selector.register(file, selectors.EVENT_READ)
        os.set_blocking(self._stdin.fileno(), False)

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, line: str) -> None:
        """Queue a line; it is written during `receive`."""
        if not self._outgoing:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        self._outgoing += f"{line}\n".encode()

    def receive(self, until: float) -> str:
        """Return the next line; raise ResponseTimeout at this time of the monotonic clock."""
        while time.monotonic() < until:
            if self._lines:
                return self._lines.popleft()
            if self._is_closed:
                raise ProgramFailed(f"ended: {self.end()}")
            for key, _ in self._selector.select(max(until - time.monotonic(), 0)):
                if key.fileobj is self._stdin:
                    self._write()
                elif key.fileobj is self._stdout:
                    self._read()
                else:
                    self._read_stderr()
        raise ResponseTimeout(f"gave no answer{self._format_stderr()}")

    def end(self) -> str:
        """End the program, by force if it does not quit; return a description of how it ended."""
        if os.getpid() != self._owner:  # a forked copy of this process does not own the program
            return "owned by another process"
        if self._process.returncode is None:
            self._quit()
        with suppress(BlockingIOError, OSError, ValueError):
            self._read_stderr()
        words = self._format_stderr()
        self._release()
        return describe_exit(self._process.returncode) + words

    def _quit(self) -> None:
        """Send `quit`, then SIGTERM, then SIGKILL to the process group with its children."""
        if not self._is_closed:
            with suppress(OSError):
                os.write(self._stdin.fileno(), b"\nquit\n")
        with suppress(OSError):
            self._stdin.close()
        if not self._wait_for_exit(SECONDS_TO_QUIT):
            signal_program(self._process, signal.SIGTERM)
            self._wait_for_exit(SECONDS_TO_TERMINATE)
        signal_program(self._process, signal.SIGKILL)
        self._process.wait()

    def _wait_for_exit(self, seconds: float) -> bool:
        """Return whether the program exits within this time.

        It is not reaped, so that its pid, which is also the group's, cannot be reused.
        """
        until = time.monotonic() + seconds
        while True:
            flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
            if os.waitid(os.P_PID, self._process.pid, flags) is not None:
                return True
            if time.monotonic() >= until:
                return False
            self._drain()
            time.sleep(0.005)

    def _drain(self) -> None:
        """Discard pending output, since a full pipe could keep the program from exiting."""
        with suppress(OSError):
            os.read(self._stdout.fileno(), READ_SIZE)
        with suppress(OSError):
            self._read_stderr()

    def _release(self) -> None:
        """Close all files and dismiss the watchdog."""
        self._is_closed = True
        self._lines.clear()
        self._selector.close()
        for file in (self._stdin, self._stdout, self._stderr):
            with suppress(OSError):
                file.close()
        if self._watchdog.returncode is None:
            self._watchdog.communicate(b"done\n")

    def _write(self) -> None:
        try:
            sent = os.write(self._stdin.fileno(), self._outgoing[:READ_SIZE])
            del self._outgoing[:sent]
        except BlockingIOError:
            return
        except OSError:
            self._outgoing.clear()  # stdin is closed; the output or exit status explains why
        if not self._outgoing:
            self._selector.unregister(self._stdin)

    def _read(self) -> None:
        chunk = os.read(self._stdout.fileno(), READ_SIZE)
        if not chunk:
            self._is_closed = True
            self._selector.unregister(self._stdout)
        for line in self._splitter.feed(chunk) if chunk else self._splitter.end():
            if line.is_cut:
                raise ProgramFailed(f"wrote a line of more than {MAX_LINE_BYTES} bytes")
            self._lines.append(line.text)

    def _read_stderr(self) -> None:
        chunk = os.read(self._stderr.fileno(), READ_SIZE)
        if not chunk:
            with suppress(KeyError):
                self._selector.unregister(self._stderr)
        self._stderr_tail += chunk
        del self._stderr_tail[:-MAX_KEPT_STDERR]

    def _format_stderr(self) -> str:
        text = to_one_line(self._stderr_tail.decode(errors="backslashreplace"))
        return (
            f"; its last words: {quote(text[-MAX_SHOWN_STDERR:], MAX_SHOWN_STDERR)}" if text else ""
        )
