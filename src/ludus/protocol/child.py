"""A program that we start and talk to line by line, and that ends with us whatever happens.

No thread reads for us: what the program writes waits in the pipe until somebody asks. So a
program that floods us is held up by a full pipe, and nothing is left running when it ends.
"""

import os
import selectors
import signal
import subprocess
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from ludus.core.errors import quoted
from ludus.protocol.errors import ExternalError
from ludus.protocol.lines import LineSplitter
from ludus.protocol.telling import one_line

CHUNK = 65_536

LONGEST_LINE = 200_000
"""Bytes of one line; no engine has a reason to say more at once."""

KEPT_COMPLAINTS = 2_000
"""Bytes that are kept of what the program last wrote to standard error."""

SHOWN_COMPLAINTS = 200

SECONDS_TO_QUIT = 0.5
SECONDS_TO_TERMINATE = 0.5

GUARD = """trap '' INT HUP TERM
read -r word && exit
kill -s TERM -- "-$1"
sleep 1
kill -s KILL -- "-$1"
"""
"""Waits for a word. If we are gone before we could say it, it ends the program and its children."""


class Silence(ExternalError):
    """Nothing came in time."""


class Child:
    """A running program with its own process group."""

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise ExternalError(f"cannot be started: {one_line(why)}") from None
        self._owner = os.getpid()
        self._is_over = False
        self._lines: deque[str] = deque()
        self._splitter = LineSplitter(LONGEST_LINE)
        self._outgoing = bytearray()
        self._complaints = bytearray()
        try:
            self._guard = _guard(self._process.pid)
        except OSError as error:
            self._signal(signal.SIGKILL)
            self._process.communicate()
            raise ExternalError(f"nothing can guard it: {error.strerror}") from None
        self._selector = selectors.DefaultSelector()
        for file in (self._stdout, self._stderr):
            os.set_blocking(file.fileno(), False)
            self._selector.register(file, selectors.EVENT_READ)
        os.set_blocking(self._stdin.fileno(), False)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def _stdin(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _stdout(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout

    @property
    def _stderr(self) -> IO[bytes]:
        assert self._process.stderr is not None
        return self._process.stderr

    def send(self, line: str) -> None:
        """Say a line. It goes out while we wait for an answer."""
        if not self._outgoing:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        self._outgoing += f"{line}\n".encode()

    def receive(self, until: float) -> str:
        """The next line; Silence if none has come by this time of the monotonic clock."""
        while time.monotonic() < until:
            if self._lines:
                return self._lines.popleft()
            if self._is_over:
                raise ExternalError(f"ended: {self.end()}")
            for key, _ in self._selector.select(max(until - time.monotonic(), 0)):
                if key.fileobj is self._stdin:
                    self._write()
                elif key.fileobj is self._stdout:
                    self._read()
                else:
                    self._read_complaints()
        raise Silence(f"gave no answer{self._last_words()}")

    def end(self) -> str:
        """Ask it to quit, and end it if it does not. Says how it ended."""
        if os.getpid() != self._owner:  # a copy of us in a forked process owns nothing
            return "somewhere else"
        if self._process.returncode is None:
            self._quit()
        with suppress(BlockingIOError, OSError, ValueError):
            self._read_complaints()
        words = self._last_words()
        self._release()
        code = self._process.returncode
        return (f"signal {-code}" if code < 0 else f"exit status {code}") + words

    def _quit(self) -> None:
        """Politely, then firmly. Its children go with it: nobody else would end them."""
        if not self._is_over:
            with suppress(OSError):
                os.write(self._stdin.fileno(), b"\nquit\n")
        with suppress(OSError):
            self._stdin.close()
        if not self._has_ended(SECONDS_TO_QUIT):
            self._signal(signal.SIGTERM)
            self._has_ended(SECONDS_TO_TERMINATE)
        self._signal(signal.SIGKILL)
        self._process.wait()

    def _has_ended(self, seconds: float) -> bool:
        """Whether it ends within this time. It stays in the process table, so that its number,
        which is that of its group, cannot become that of another."""
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
        """Throw away what it still says, which could keep it from ending."""
        with suppress(OSError):
            os.read(self._stdout.fileno(), CHUNK)
        with suppress(OSError):
            self._read_complaints()

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _release(self) -> None:
        """Close what is open, and tell the guard that it is not needed."""
        self._is_over = True
        self._lines.clear()
        self._selector.close()
        for file in (self._stdin, self._stdout, self._stderr):
            with suppress(OSError):
                file.close()
        if self._guard.returncode is None:
            self._guard.communicate(b"done\n")

    def _write(self) -> None:
        try:
            sent = os.write(self._stdin.fileno(), self._outgoing[:CHUNK])
            del self._outgoing[:sent]
        except BlockingIOError:
            return
        except OSError:
            self._outgoing.clear()  # it does not listen any more; what it says tells why
        if not self._outgoing:
            self._selector.unregister(self._stdin)

    def _read(self) -> None:
        chunk = os.read(self._stdout.fileno(), CHUNK)
        if not chunk:
            self._is_over = True
            self._selector.unregister(self._stdout)
        for line in self._splitter.feed(chunk) if chunk else self._splitter.end():
            if line.is_cut:
                raise ExternalError(f"wrote a line of more than {LONGEST_LINE} bytes")
            self._lines.append(line.text)

    def _read_complaints(self) -> None:
        chunk = os.read(self._stderr.fileno(), CHUNK)
        if not chunk:
            with suppress(KeyError):
                self._selector.unregister(self._stderr)
        self._complaints += chunk
        del self._complaints[:-KEPT_COMPLAINTS]

    def _last_words(self) -> str:
        text = one_line(self._complaints.decode(errors="backslashreplace"))
        return (
            f"; its last words: {quoted(text[-SHOWN_COMPLAINTS:], SHOWN_COMPLAINTS)}"
            if text
            else ""
        )


def _guard(group: int) -> subprocess.Popen[bytes]:
    """A shell that outlives us if need be."""
    return subprocess.Popen(
        ["/bin/sh", "-c", GUARD, "guard", str(group)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
