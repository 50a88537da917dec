"""Lines over pipes to a program that may hang or die: every wait has an end."""

import os
import select
import time

from ludus.protocol.programs import ProgramFailed

CHUNK = 65_536
LONGEST_LINE = 40_000_000
"""A program that says more in one line is not answering."""


class LinePipes:
    """A pipe to write lines into and one to read lines from, both without blocking."""

    def __init__(self, name: str, writing: int, reading: int) -> None:
        self._name = name
        self._writing = writing
        self._reading = reading
        os.set_blocking(writing, False)
        os.set_blocking(reading, False)

    def exchange(self, line: bytes, seconds: float) -> bytes:
        """Say a line and hear the answer, both within so many seconds."""
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
        heard = bytearray()
        while True:
            self._wait([self._reading], [], deadline)
            try:
                more = os.read(self._reading, CHUNK)
            except BlockingIOError:
                continue
            if not more:
                raise ProgramFailed(f"{self._name} has ended")
            heard += more
            if b"\n" in more:
                line, _, rest = bytes(heard).partition(b"\n")
                if rest:
                    raise ProgramFailed(f"{self._name} says more than it was asked")
                return line
            if len(heard) > LONGEST_LINE:
                raise ProgramFailed(f"{self._name} answers without end")

    def _wait(self, reading: list[int], writing: list[int], deadline: float) -> None:
        left = deadline - time.monotonic()
        ready = select.select(reading, writing, [], max(left, 0))
        if not any(ready):
            raise ProgramFailed(f"{self._name} does not answer")

    def close(self) -> None:
        os.close(self._writing)
        os.close(self._reading)
