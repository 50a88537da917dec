"""Datasets on disk, read in parts so that their size does not matter."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from ludus.core.errors import quoted
from ludus.datasets.errors import BadDataset
from ludus.datasets.morris.entries import Entries
from ludus.datasets.morris.lines import BadLine, Part, read_lines

BLOCK = 1 << 20
LONGEST_LINE = 1000
"""Of a longer line the rest is not kept; it is bad anyway."""

MAX_NAMED = 5
"""Further bad lines that an error names by their number."""


def read_parts(path: Path, block: int = BLOCK) -> Iterator[Part]:
    """A file in parts of about a megabyte. Bad lines are among what is found, with a reason."""
    try:
        with path.open("rb") as file:
            first = 1
            for data in _whole_lines(file, block):
                part = read_lines(data, first)
                first += len(part.numbers) + len(part.bad)
                yield part
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise BadDataset(f"cannot read {quoted(str(path), 200)}: {reason}") from error


def read(path: Path) -> Entries:
    """All entries of a file; BadDataset if any line is none."""
    parts = list(read_parts(path))
    refuse(path, [line for part in parts for line in part.bad])
    return Entries.joined(part.entries for part in parts)


def refuse(path: Path, bad: Sequence[BadLine]) -> None:
    """An error if there are bad lines: the first in full, the others by their numbers."""
    if not bad:
        return
    number, reason = bad[0]
    others = bad[1:]
    also = ", ".join(str(line.number) for line in others[:MAX_NAMED])
    more = "" if len(others) <= MAX_NAMED else f" and {len(others) - MAX_NAMED} more"
    tail = f"; bad lines too: {also}{more}" if others else ""
    raise BadDataset(f"{quoted(str(path), 200)}, line {number}: {reason}{tail}")


def _whole_lines(file: BinaryIO, block: int) -> Iterator[bytes]:
    """The bytes of a file, cut behind line ends."""
    rest = b""
    while data := file.read(block):
        rest += data
        whole, end, rest = rest.rpartition(b"\n")
        if end:
            yield whole + end
        elif len(rest) > LONGEST_LINE:
            rest = rest[:LONGEST_LINE]
    if rest:
        yield rest
