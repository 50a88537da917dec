"""Parser and writer of the dataset line format of Galassi 2018, vectorized over lines.

    EMOOMMOOEEOOMOOOOEEOMEOO1156-d5b2

24 letters in reading order, M for the mover's men, E for the enemy's and O for empty points; four
digits for the men in hand and on the board (own hand, other hand, own men, other men); a hyphen;
the points of the move. A mover with men in hand places one: TO, or TO and REMOVE. Otherwise it
moves one: FROM and TO, or FROM, TO and REMOVE. A state without a move ends before the hyphen. Lines
end with LF or CRLF.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadDataset, quote
from ludus.core.files import check_end, describe_os_error, quote_path
from ludus.core.parquet import is_parquet
from ludus.games.nine_mens_morris.batch import NO_POINT
from ludus.games.nine_mens_morris.batch import MoveBatch as MoveBatch
from ludus.games.nine_mens_morris.bitboards import Boards, Mask
from ludus.games.nine_mens_morris.board import POINT_NUMBERS, POINTS, READING_ORDER

STATE_LENGTH = 28
"""Number of characters of a state."""

LINE_LENGTHS = (STATE_LENGTH, 31, 33, 35)
"""Length of a line whose move has 0, 1, 2 and 3 points."""

LF, CR, HYPHEN, ZERO = (ord(letter) for letter in "\n\r-0")
OWN_LETTER, OTHER_LETTER, EMPTY_LETTER = (ord(letter) for letter in "MEO")

Bytes = NDArray[np.uint8]


class BadLine(NamedTuple):
    """An invalid line."""

    number: int
    """Line number, counted from 1."""

    reason: str


class Chunk(NamedTuple):
    """The contents of some consecutive lines."""

    moves: MoveBatch
    numbers: NDArray[np.int64]
    """Line number of each entry."""

    bad_lines: list[BadLine]


def parse_lines(data: bytes, first: int = 1) -> Chunk:
    """Parse complete lines; `first` is the number of the first line."""
    if data and not data.endswith(b"\n"):
        data += b"\n"
    letters = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(letters == LF)
    starts = np.concatenate([np.zeros(min(1, len(ends)), dtype=ends.dtype), ends[:-1] + 1])
    # An empty first line has no byte before its end; `ends > starts` excludes it.
    ends = ends - ((letters[ends - 1] == CR) & (ends > starts))
    lengths = ends - starts
    fits = np.flatnonzero(np.isin(lengths, LINE_LENGTHS))
    entries, is_good = _parse_moves(letters, starts[fits], lengths[fits])
    good = fits[is_good]
    is_bad = np.ones(len(starts), dtype=bool)
    is_bad[good] = False
    bad = [
        BadLine(first + number, explain_bad_line(data[starts[number] : ends[number]]))
        for number in np.flatnonzero(is_bad).tolist()
    ]
    return Chunk(entries[is_good], good + first, bad)


def format_lines(entries: MoveBatch, line_end: bytes = b"\n") -> bytes:
    """Return the lines of entries."""
    table = np.zeros((len(entries), LINE_LENGTHS[-1] + len(line_end)), dtype=np.uint8)
    table[:, :24] = EMPTY_LETTER
    bits = np.array(READING_ORDER, dtype=np.int32)
    for board, letter in ((entries.own, OWN_LETTER), (entries.other, OTHER_LETTER)):
        table[:, :24][(board[:, None] >> bits & 1).astype(bool)] = letter
    own_men, other_men, own_hand, other_hand = entries.counts
    table[:, 24:STATE_LENGTH] = ZERO + np.stack([own_hand, other_hand, own_men, other_men], axis=1)
    table[:, STATE_LENGTH] = np.where(entries.has_move, HYPHEN, 0)
    for place, points in enumerate((entries.frm, entries.to, entries.take)):
        table[:, 29 + 2 * place : 31 + 2 * place] = _POINT_LETTERS[points]
    table[:, LINE_LENGTHS[-1] :] = np.frombuffer(line_end, dtype=np.uint8)
    # No part of a line is a zero byte, so missing parts are dropped.
    return bytes(table[table != 0].tobytes())


def explain_bad_line(line: bytes) -> str:
    """Return what is wrong with an invalid line."""
    text = line.decode("ascii", "backslashreplace")
    shown = quote(text)
    if not line:
        return "is empty"
    if not re.fullmatch("[OME]{24}", text[:24]):
        return f"{shown} does not begin with 24 letters O, M or E"
    if not re.fullmatch("[0-9]{4}", text[24:STATE_LENGTH]):
        return f"{shown} does not have four digits behind its letters"
    for letter, digit in (("M", text[26]), ("E", text[27])):
        if text[:24].count(letter) != int(digit):
            return f"{shown} shows {text[:24].count(letter)} {letter} but counts {digit}"
    if not re.fullmatch(f"-({'|'.join(POINTS)}){{1,3}}", text[STATE_LENGTH:]):
        return (
            f"{quote(text[STATE_LENGTH:])} behind the state is not a hyphen and one to three points"
        )
    if text[24] != "0":
        return f"{quote(text[29:])} has three points, but a man is placed from the hand"
    return f"{quote(text[29:])} has one point, but a man must move from one to another"


def _parse_moves(
    letters: Bytes, starts: NDArray[np.intp], lengths: NDArray[np.intp]
) -> tuple[MoveBatch, Mask]:
    """Parse lines of valid length and return a mask of those that are valid entries."""
    heads = letters[starts[:, None] + np.arange(STATE_LENGTH)]
    own, other, empty = (
        heads[:, :24] == letter for letter in (OWN_LETTER, OTHER_LETTER, EMPTY_LETTER)
    )
    digits = heads[:, 24:] - np.uint8(ZERO)
    is_good = (own | other | empty).all(axis=1) & (digits <= 9).all(axis=1)
    is_good &= (own.sum(axis=1) == digits[:, 2]) & (other.sum(axis=1) == digits[:, 3])
    points, has_good_points = _parse_points(letters, starts, lengths)
    num_points = (lengths - STATE_LENGTH) // 2
    is_placing = digits[:, 0] > 0
    is_good &= has_good_points & ~(is_placing & (num_points == 3))
    is_good &= is_placing | (num_points != 1)
    # When a man is placed there is no FROM, so the points shift by one.
    moving, placing = (
        points[:, :3],
        np.stack([np.full_like(points[:, 0], NO_POINT), *points.T[:2]], 1),
    )
    frm, to, take = np.where(is_placing[:, None], placing, moving).T
    hands = digits[:, 0], digits[:, 1]
    return MoveBatch(_make_boards(own), _make_boards(other), *hands, to, frm, take), is_good


def _parse_points(
    letters: Bytes, starts: NDArray[np.intp], lengths: NDArray[np.intp]
) -> tuple[NDArray[np.int8], Mask]:
    """Parse the three points after the hyphen, NO_POINT for missing ones, and a validity mask."""
    places = STATE_LENGTH + np.arange(LINE_LENGTHS[-1] - STATE_LENGTH)
    is_there = places < lengths[:, None]
    where = np.minimum(starts[:, None] + places, len(letters) - 1)
    tails = np.where(is_there, letters[where], 0)
    codes = _POINT_OF_LETTERS[tails[:, 1::2], tails[:, 2::2]]
    is_good = (tails[:, 0] == HYPHEN) | (lengths == STATE_LENGTH)
    is_good &= ((codes != NO_POINT) | ~is_there[:, 1::2]).all(axis=1)
    return codes, is_good


def _make_boards(men: Mask) -> Boards:
    """Convert columns in reading order to bitboards. Floating point is exact below 2**53."""
    return (men.astype(np.float64) @ _WEIGHTS).astype(np.int32)


_WEIGHTS = np.exp2(np.array(READING_ORDER, dtype=np.float64))

_POINT_LETTERS = np.zeros((len(POINTS) + 1, 2), dtype=np.uint8)
"""Point to its two letters; the last row, of zeros, is for NO_POINT."""
_POINT_LETTERS[:-1] = np.frombuffer("".join(POINTS).encode(), dtype=np.uint8).reshape(-1, 2)

_POINT_OF_LETTERS = np.full((256, 256), NO_POINT, dtype=np.int8)
"""Two letters to the point they name."""
for _name, _number in POINT_NUMBERS.items():
    _POINT_OF_LETTERS[ord(_name[0]), ord(_name[1])] = _number


CHUNK_BYTES = 1 << 20
MAX_LINE = 1000
"""Longer lines are truncated; they are invalid anyway."""

MAX_LISTED = 5
"""Number of further invalid lines that an error lists."""


def read_chunks(path: Path | str, block: int = CHUNK_BYTES) -> Iterator[Chunk]:
    """Read a file in chunks of about a megabyte; invalid lines are reported in the chunks.

    A file whose name ends in `.parquet` is read in chunks of rows.
    """
    path = Path(path)
    if is_parquet(path):
        from ludus.datasets.morris.parquet import read_parquet_chunks

        yield from read_parquet_chunks(path)
        return
    try:
        with path.open("rb") as file:
            check_end(file)
            first = 1
            for data in split_at_lines(file, block):
                part = parse_lines(data, first)
                first += len(part.numbers) + len(part.bad_lines)
                yield part
    except (OSError, ValueError) as error:
        raise BadDataset(f"cannot read {quote_path(path)}: {describe_os_error(error)}") from error


def read_dataset(path: Path | str) -> MoveBatch:
    """Read all entries of a file; raise BadDataset if any line is invalid."""
    parts = list(read_chunks(path))
    raise_bad_lines(Path(path), [line for part in parts for line in part.bad_lines])
    return MoveBatch.concatenate(part.moves for part in parts)


def raise_bad_lines(path: Path, bad: Sequence[BadLine]) -> None:
    """Raise BadDataset for invalid lines: the first with its reason, the others by number."""
    if not bad:
        return
    number, reason = bad[0]
    others = bad[1:]
    also = ", ".join(str(line.number) for line in others[:MAX_LISTED])
    more = "" if len(others) <= MAX_LISTED else f" and {len(others) - MAX_LISTED} more"
    tail = f"; bad lines too: {also}{more}" if others else ""
    raise BadDataset(f"{quote_path(path)}, line {number}: {reason}{tail}")


def read_entries(path: Path) -> Iterator[MoveBatch]:
    """Yield the entries of a file in parts; raise BadDataset at the first invalid line.

    A file without entries is no dataset.
    """
    num_entries = 0
    for part in read_chunks(path):
        raise_bad_lines(path, part.bad_lines)
        num_entries += len(part.moves)
        yield part.moves
    check_entries(path, num_entries)


def check_entries(path: Path, num_entries: int) -> None:
    """Raise BadDataset for a file without entries."""
    if not num_entries:
        raise BadDataset(f"{quote_path(path)} has no entries")


def split_at_lines(file: BinaryIO, block: int = CHUNK_BYTES) -> Iterator[bytes]:
    """Yield the bytes of a file, cut after line ends."""
    rest = b""
    while data := file.read(block):
        rest += data
        whole, end, rest = rest.rpartition(b"\n")
        if end:
            yield whole + end
        elif len(rest) > MAX_LINE:
            rest = rest[:MAX_LINE]
    if rest:
        yield rest
