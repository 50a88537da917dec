"""Child processes of other programs: find, start, exchange lines by pipe or terminal, and end."""

import os
import select
import selectors
import shutil
import signal
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from subprocess import PIPE
from typing import IO

from ludus.core.errors import LudusError, quote, to_one_line
from ludus.core.files import describe_os_error
from ludus.core.processes import (
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


READ_SIZE = 65_536
MAX_LINE_BYTES = 200_000
"""Maximum length of an output line; no engine needs more."""

MAX_KEPT_STDERR = 2_000
"""Number of bytes kept from the end of standard error."""

MAX_SHOWN_STDERR = 200


class ResponseTimeout(ProgramFailed):
    """No line arrived before the deadline."""


class LinePipes:
    """Lines to and from a program that may hang, flood or die; every wait has a deadline.

    There is no reader thread: output stays in the pipe until `receive`, so a full pipe blocks a
    program that floods.
    """

    def __init__(
        self,
        writing: IO[bytes],
        reading: IO[bytes],
        errors: IO[bytes] | None = None,
        longest: int = MAX_LINE_BYTES,
    ) -> None:
        self._writing, self._reading, self._errors = writing, reading, errors
        self._longest = longest
        self._is_over = False
        self._lines: deque[str] = deque()
        self._splitter = LineSplitter(longest)
        self._outgoing = bytearray()
        self._error_tail = bytearray()
        self._selector = selectors.DefaultSelector()
        self._selector.register(reading, selectors.EVENT_READ, self._read)
        if errors is not None:
            self._selector.register(errors, selectors.EVENT_READ, self._read_errors)
        for file in self._files:
            os.set_blocking(file.fileno(), False)

    @property
    def _files(self) -> list[IO[bytes]]:
        return [each for each in (self._writing, self._reading, self._errors) if each is not None]

    @property
    def has_line(self) -> bool:
        """Whether a line has been received that `receive` has not returned."""
        return bool(self._lines)

    @property
    def last_words(self) -> str:
        """The end of what the program wrote to standard error, for a message."""
        text = to_one_line(self._error_tail.decode(errors="backslashreplace"))
        return (
            f"; its last words: {quote(text[-MAX_SHOWN_STDERR:], MAX_SHOWN_STDERR)}" if text else ""
        )

    def send(self, line: str) -> None:
        """Queue a line; it is written during `receive`."""
        if not self._outgoing:
            self._selector.register(self._writing, selectors.EVENT_WRITE, self._write)
        self._outgoing += f"{line}\n".encode()

    def receive(self, until: float) -> str | None:
        """Return the next line; None if the program has closed its output.

        Raise ResponseTimeout at this time of the monotonic clock.
        """
        while time.monotonic() < until:
            if self._lines:
                return self._lines.popleft()
            if self._is_over:
                return None
            for key, _ in self._selector.select(max(until - time.monotonic(), 0)):
                key.data()
        raise ResponseTimeout(f"gave no answer{self.last_words}")

    def end_input(self, line: str) -> None:
        """Write a last line, if there is room for it, and close the program's input."""
        if not self._is_over:
            with suppress(OSError):
                os.write(self._writing.fileno(), f"\n{line}\n".encode())
        with suppress(OSError):
            self._writing.close()

    def drain(self) -> None:
        """Discard pending output, since a full pipe could keep the program from exiting."""
        with suppress(OSError, ValueError):
            os.read(self._reading.fileno(), READ_SIZE)
        if self._errors is not None:
            with suppress(OSError, ValueError):
                self._read_errors()

    def close(self) -> None:
        """Close all files."""
        self._is_over = True
        self._lines.clear()
        self._selector.close()
        for file in self._files:
            with suppress(OSError):
                file.close()

    def _write(self) -> None:
        try:
            sent = os.write(self._writing.fileno(), self._outgoing[:READ_SIZE])
            del self._outgoing[:sent]
        except BlockingIOError:
            return
        except OSError:
            self._outgoing.clear()  # the input is closed; the output or exit status explains why
        if not self._outgoing:
            self._selector.unregister(self._writing)

    def _read(self) -> None:
        chunk = os.read(self._reading.fileno(), READ_SIZE)
        if not chunk:
            self._is_over = True
            self._selector.unregister(self._reading)
        lines = [*(self._splitter.feed(chunk) if chunk else self._splitter.end())]
        if self._splitter.is_cut or any(line.is_cut for line in lines):
            raise ProgramFailed(f"wrote a line of more than {self._longest} bytes")
        self._lines += [line.text for line in lines]

    def _read_errors(self) -> None:
        assert self._errors is not None
        chunk = os.read(self._errors.fileno(), READ_SIZE)
        if not chunk:
            with suppress(KeyError):
                self._selector.unregister(self._errors)
        self._error_tail += chunk
        del self._error_tail[:-MAX_KEPT_STDERR]


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
            import pty

            self._terminal, inner = pty.openpty()
        except (OSError, ModuleNotFoundError) as error:  # Windows has no such terminals
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


SECONDS_TO_QUIT = 0.5
SECONDS_TO_TERMINATE = 0.5


class EngineProcess:
    """A line-based child process in its own process group, which ends with this process.

    A watchdog process kills the group if this process dies; nothing keeps running after `end`.
    """

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self._process = start_program(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, bufsize=0)
        except (OSError, ValueError) as error:
            why = describe_os_error(error)
            raise ProgramFailed(f"cannot be started: {to_one_line(why)}") from None
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin is not None and stdout is not None and stderr is not None  # noqa: PT018
        self._pipes = LinePipes(stdin, stdout, stderr)
        self._owner = os.getpid()
        try:
            self._watchdog = start_watchdog(self._process)
        except OSError as error:
            kill_program(self._process)
            self._pipes.close()
            raise ProgramFailed(
                f"its watchdog cannot be started: {describe_os_error(error)}"
            ) from None

    def send(self, line: str) -> None:
        """Queue a line; it is written during `receive`."""
        self._pipes.send(line)

    def receive(self, until: float) -> str:
        """Return the next line; raise ResponseTimeout at this time of the monotonic clock."""
        line = self._pipes.receive(until)
        if line is None:
            raise ProgramFailed(f"ended: {self.end()}")
        return line

    def end(self) -> str:
        """End the program, by force if it does not quit; return a description of how it ended."""
        if os.getpid() != self._owner:  # a forked copy of this process does not own the program
            return "owned by another process"
        if self._process.returncode is None:
            self._quit()
        self._pipes.drain()
        self._pipes.close()
        if self._watchdog.returncode is None:
            self._watchdog.communicate(b"done\n")  # dismisses it
        return describe_exit(self._process.returncode) + self._pipes.last_words

    def _quit(self) -> None:
        """Send `quit`, then SIGTERM, then SIGKILL to the process group with its children."""
        self._pipes.end_input("quit")
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
            self._pipes.drain()
            time.sleep(0.005)
