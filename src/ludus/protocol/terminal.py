"""A program on a terminal of its own, for those that talk to nothing else."""

import os
import pty
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

from ludus.protocol.programs import ProgramFailed, end_program

CHUNK = 65_536
MOST = 1_000_000
"""Bytes after which a program is taken to babble."""


class TerminalProgram:
    """A running program; leaving the `with` block ends it and gives the terminal back."""

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._name = name
        self._said = b""
        try:
            self._terminal, inner = pty.openpty()
        except OSError as error:
            raise ProgramFailed(f"{name} needs a terminal, and there is none: {error}") from error
        try:
            self._process = subprocess.Popen(
                command,
                stdin=inner,
                stdout=inner,
                stderr=inner,
                env=dict(environment),
                start_new_session=True,
            )
        except OSError as error:
            os.close(self._terminal)
            raise ProgramFailed(f"{name} cannot be started: {error.strerror}") from error
        finally:
            os.close(inner)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        end_program(self._process)
        os.close(self._terminal)

    def write(self, text: bytes) -> None:
        # A program that is gone is noticed when it is listened to.
        with suppress(OSError):
            os.write(self._terminal, text)

    def read_until(self, wanted: Sequence[bytes], deadline: float) -> bytes:
        """Everything said up to and with the first of these words that is found."""
        while True:
            ends = [self._said.index(word) + len(word) for word in wanted if word in self._said]
            if ends:
                said, self._said = self._said[: min(ends)], self._said[min(ends) :]
                return said
            self._listen(deadline)

    def _listen(self, deadline: float) -> None:
        if len(self._said) > MOST:
            raise ProgramFailed(f"{self._name} talks without end")
        left = max(deadline - time.monotonic(), 0)
        if not select.select([self._terminal], [], [], left)[0]:
            raise ProgramFailed(f"{self._name} does not answer")
        try:
            more = os.read(self._terminal, CHUNK)
        except OSError:  # Linux says so when the other end of a terminal is closed
            more = b""
        if not more:
            raise ProgramFailed(f"{self._name} has ended")
        self._said += more
