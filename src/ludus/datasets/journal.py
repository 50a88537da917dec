"""What a generation has found so far, kept in a file that survives being killed.

The first line says what is generated. Then follows a block for every match that gave something
new: a line with the number of the match, the number of its lines and their checksum, and the lines
themselves. A block that is not whole is cut off when the file is opened again, and its match is
played once more.
"""

import fcntl
import json
import os
import re
import zlib
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ludus.core.errors import LudusError, quoted
from ludus.oracle.errors import CannotWrite

_BLOCK = re.compile(rb"#([0-9]{1,15}) ([0-9]{1,9}) ([0-9]{1,10})\n")


class Journal:
    """An open working file that no other process writes. `lines` is what it holds."""

    def __init__(self, path: Path, identity: dict[str, Any]) -> None:
        self.path = path
        self.lines: list[str] = []
        self.next_match = 0
        self._ends: list[tuple[int, int]] = []
        self._head = json.dumps(identity, sort_keys=True).encode() + b"\n"
        try:
            self._file = path.open("a+b")
            try:
                self._lock()
                self._read()
            except BaseException:
                self._file.close()
                raise
        except (OSError, ValueError) as error:
            raise cannot_write(path, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, match: int, lines: list[str]) -> None:
        """Keep what a match has given; when this returns, a kill does not lose it.

        A match that gave nothing is kept with the next one that gives something.
        """
        self.next_match = match + 1
        if not lines:
            return
        body = "".join(f"{line}\n" for line in lines).encode()
        head = b"#%d %d %d\n" % (match, len(lines), zlib.crc32(body))
        try:
            self._file.write(head + body)
            self._file.flush()
        except OSError as error:
            raise cannot_write(self.path, error) from error
        self._take_in(match, lines)

    def num_matches(self, num_lines: int) -> int:
        """How many matches it took to find so many lines."""
        return next(match + 1 for match, have in self._ends if have >= num_lines)

    def remove(self) -> None:
        """Everything is in its place; the working file is not needed any more."""
        self.path.unlink(missing_ok=True)

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            shown = quoted(str(self.path), 200)
            raise LudusError(f"another process is writing {shown}") from error

    def _read(self) -> None:
        """Take in what is there and cut off what is not whole."""
        self._file.seek(0)
        data = self._file.read()
        if not data.startswith(self._head):
            if not self._head.startswith(data):
                shown = quoted(str(self.path), 200)
                raise LudusError(f"{shown} belongs to another generation; finish or remove it")
            data = b""
        end = len(self._head) if data else 0
        while (block := _BLOCK.match(data, end)) is not None:
            match, count, checksum = map(int, block.groups())
            body = _lines(data, block.end(), count)
            if zlib.crc32(body) != checksum:
                break
            self._take_in(match, body.decode().splitlines())
            end = block.end() + len(body)
        os.truncate(self._file.fileno(), end)
        if end == 0:
            self._file.write(self._head)
            self._file.flush()

    def _take_in(self, match: int, lines: list[str]) -> None:
        self.lines += lines
        self._ends.append((match, len(self.lines)))
        self.next_match = match + 1


def _lines(data: bytes, start: int, count: int) -> bytes:
    """So many lines from here on, or fewer if the data ends."""
    end = start
    for _ in range(count):
        found = data.find(b"\n", end)
        if found < 0:
            return b""
        end = found + 1
    return data[start:end]


def cannot_write(path: Path, error: Exception) -> CannotWrite:
    """The error for a file that cannot be written."""
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return CannotWrite(f"cannot write {quoted(str(path), 200)}: {reason}")
