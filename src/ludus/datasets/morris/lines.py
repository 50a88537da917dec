"""The line format, read and written for many lines at once.

    EMOOMMOOEEOOMOOOOEEOMEOO1156-d5b2

24 letters in reading order, M for the mover's men, E for the enemy's and O for nobody; the men of
both in hand and on the board; a hyphen; the points of the move. A mover with men in hand places
one: TO, or TO and REMOVE. Otherwise it moves one: FROM and TO, or FROM, TO and REMOVE. A state
without a move ends before the hyphen. Lines end with LF or CRLF.
"""

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import quoted
from ludus.datasets.morris.entries import NONE, Entries
from ludus.games.nine_mens_morris.board import NUMBER, POINTS, READING_ORDER

STATE = 28
"""The length of a state."""

LENGTHS = (STATE, 31, 33, 35)
"""Of a line with a move of 0, 1, 2 and 3 points."""

LF, CR, HYPHEN, ZERO = (ord(letter) for letter in "\n\r-0")
MINE, ENEMY, EMPTY = (ord(letter) for letter in "MEO")

Bytes = NDArray[np.uint8]
Mask = NDArray[np.bool_]


class BadLine(NamedTuple):
    """A line that is no entry."""

    number: int
    """Counted from 1."""

    reason: str


class Part(NamedTuple):
    """What some lines in a row hold."""

    entries: Entries
    numbers: NDArray[np.int64]
    """The line of each entry."""

    bad: list[BadLine]


def read_lines(data: bytes, first: int = 1) -> Part:
    """The entries of whole lines, of which the first has this number."""
    if data and not data.endswith(b"\n"):
        data += b"\n"
    letters = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(letters == LF)
    starts = np.concatenate([np.zeros(min(1, len(ends)), dtype=ends.dtype), ends[:-1] + 1])
    # An empty first line has no byte before its end; the comparison of the ends leaves it alone.
    ends = ends - ((letters[ends - 1] == CR) & (ends > starts))
    lengths = ends - starts
    fits = np.flatnonzero(np.isin(lengths, LENGTHS))
    entries, is_good = _entries(letters, starts[fits], lengths[fits])
    good = fits[is_good]
    is_bad = np.ones(len(starts), dtype=bool)
    is_bad[good] = False
    bad = [
        BadLine(first + number, why_bad(data[starts[number] : ends[number]]))
        for number in np.flatnonzero(is_bad).tolist()
    ]
    return Part(entries[is_good], good + first, bad)


def write_lines(entries: Entries, line_end: bytes = b"\n") -> bytes:
    """The lines of entries."""
    table = np.zeros((len(entries), LENGTHS[-1] + len(line_end)), dtype=np.uint8)
    table[:, :24] = EMPTY
    bits = np.array(READING_ORDER, dtype=np.uint32)
    for board, letter in ((entries.own, MINE), (entries.other, ENEMY)):
        table[:, :24][(board[:, None] >> bits & 1).astype(bool)] = letter
    counts = (entries.own_hand, entries.other_hand, entries.own_men, entries.other_men)
    table[:, 24:STATE] = ZERO + np.stack(counts, axis=1)
    table[:, STATE] = np.where(entries.has_move, HYPHEN, 0)
    for place, points in enumerate((entries.frm, entries.to, entries.take)):
        table[:, 29 + 2 * place : 31 + 2 * place] = _NAMES[points]
    table[:, LENGTHS[-1] :] = np.frombuffer(line_end, dtype=np.uint8)
    # No part of a line is a zero byte, so what is not there falls out.
    return bytes(table[table != 0].tobytes())


def why_bad(line: bytes) -> str:
    """What is wrong with a line that is no entry."""
    text = line.decode("ascii", "backslashreplace")
    shown = quoted(text)
    if not line:
        return "is empty"
    if not re.fullmatch("[OME]{24}", text[:24]):
        return f"{shown} does not begin with 24 letters O, M or E"
    if not re.fullmatch("[0-9]{4}", text[24:STATE]):
        return f"{shown} does not have four digits behind its letters"
    for letter, digit in (("M", text[26]), ("E", text[27])):
        if text[:24].count(letter) != int(digit):
            return f"{shown} shows {text[:24].count(letter)} {letter} but counts {digit}"
    if not re.fullmatch(f"-({'|'.join(POINTS)}){{1,3}}", text[STATE:]):
        return f"{quoted(text[STATE:])} behind the state is not a hyphen and one to three points"
    if text[24] != "0":
        return f"{quoted(text[29:])} has three points, but a man is placed from the hand"
    return f"{quoted(text[29:])} has one point, but a man must move from one to another"


def _entries(
    letters: Bytes, starts: NDArray[np.intp], lengths: NDArray[np.intp]
) -> tuple[Entries, Mask]:
    """Lines that have a right length, and which of them are entries."""
    heads = letters[starts[:, None] + np.arange(STATE)]
    mine, enemy, nobody = (heads[:, :24] == letter for letter in (MINE, ENEMY, EMPTY))
    digits = heads[:, 24:] - np.uint8(ZERO)
    is_good = (mine | enemy | nobody).all(axis=1) & (digits <= 9).all(axis=1)
    is_good &= (mine.sum(axis=1) == digits[:, 2]) & (enemy.sum(axis=1) == digits[:, 3])
    points, has_good_points = _points(letters, starts, lengths)
    num_points = (lengths - STATE) // 2
    is_placing = digits[:, 0] > 0
    is_good &= has_good_points & ~(is_placing & (num_points == 3))
    is_good &= is_placing | (num_points != 1)
    # The hand is like a point before the others: where a man is placed, the points shift by one.
    moving, placing = points[:, :3], np.stack([np.full_like(points[:, 0], NONE), *points.T[:2]], 1)
    frm, to, take = np.where(is_placing[:, None], placing, moving).T
    hands = digits[:, 0], digits[:, 1]
    return Entries(_board(mine), _board(enemy), *hands, to, frm, take), is_good


def _points(
    letters: Bytes, starts: NDArray[np.intp], lengths: NDArray[np.intp]
) -> tuple[NDArray[np.int8], Mask]:
    """The three points behind the hyphen, NONE for those that are not there; and if all is well."""
    places = STATE + np.arange(LENGTHS[-1] - STATE)
    is_there = places < lengths[:, None]
    where = np.minimum(starts[:, None] + places, len(letters) - 1)
    tails = np.where(is_there, letters[where], 0)
    codes = _CODES[tails[:, 1::2], tails[:, 2::2]]
    is_good = (tails[:, 0] == HYPHEN) | (lengths == STATE)
    is_good &= ((codes != NONE) | ~is_there[:, 1::2]).all(axis=1)
    return codes, is_good


def _board(men: Mask) -> NDArray[np.uint32]:
    """The columns of reading order as bitboards. Below 2**53 floating point is exact."""
    return (men.astype(np.float64) @ _WEIGHTS).astype(np.uint32)


_WEIGHTS = np.exp2(np.array(READING_ORDER, dtype=np.float64))

_NAMES = np.zeros((len(POINTS) + 1, 2), dtype=np.uint8)
"""Point to its two letters; the last row, of zeros, answers for NONE."""
_NAMES[:-1] = np.frombuffer("".join(POINTS).encode(), dtype=np.uint8).reshape(-1, 2)

_CODES = np.full((256, 256), NONE, dtype=np.int8)
"""Two letters to the point they name."""
for _name, _number in NUMBER.items():
    _CODES[ord(_name[0]), ord(_name[1])] = _number
