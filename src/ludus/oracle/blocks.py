"""Values in blocks: packed, compressed, and with a checksum each."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import zstandard
from numpy.typing import NDArray

Values = NDArray[np.uint8]

BLOCK_SLOTS = 1 << 16
"""Small enough to be read and unpacked in a fraction of a millisecond."""

LEVEL = 3
"""Higher levels of compression take much longer and save a few percent."""

DIGEST_SIZE = 8

LOSS, WIN, DRAW = 0, 1, 255
"""Values where no depth is stored. With depth a win is any odd number, a loss any even one."""

_CODES = np.array([value % 2 for value in range(DRAW)] + [2], dtype=np.uint8)
_VALUES = np.array([LOSS, WIN, DRAW, DRAW], dtype=np.uint8)
_FOUR_A_BYTE = np.array([0, 2, 4, 6], dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class Block:
    """A compressed block as it stands in a file."""

    data: bytes
    digest: bytes


def digest(data: bytes) -> bytes:
    """A checksum that no accident gets past."""
    return hashlib.blake2b(data, digest_size=DIGEST_SIZE).digest()


def num_blocks(slots: int) -> int:
    """How many blocks hold so many slots."""
    return -(-slots // BLOCK_SLOTS)


def compressed(values: Values, has_depth: bool) -> list[Block]:
    """Values cut into blocks. The same values make the same bytes."""
    compressor = zstandard.ZstdCompressor(level=LEVEL)
    blocks = []
    for first in range(0, len(values), BLOCK_SLOTS):
        data = compressor.compress(pack(values[first : first + BLOCK_SLOTS], has_depth))
        blocks.append(Block(data, digest(data)))
    return blocks


def decompressed(datas: Sequence[bytes], into: Values, has_depth: bool) -> None:
    """The values of successive blocks; zstandard.ZstdError or ValueError if they are no blocks."""
    decompressor = zstandard.ZstdDecompressor()
    for number, data in enumerate(datas):
        part = into[number * BLOCK_SLOTS : (number + 1) * BLOCK_SLOTS]
        if zstandard.frame_content_size(data) != packed_size(len(part), has_depth):
            raise ValueError("a block has the wrong size")
        part[:] = unpack(decompressor.decompress(data), len(part), has_depth)


def without_depth(values: Values) -> Values:
    """Wins, losses and draws, as a database without depth has them."""
    plain: Values = _VALUES[_CODES[values]]
    return plain


def outcome(value: int) -> str:
    """A value in a word, for the side to move."""
    return "draw" if value == DRAW else "win" if value % 2 else "loss"


def pack(values: Values, has_depth: bool) -> bytes:
    """The bytes to be compressed: the values themselves, or four in a byte without their depth."""
    if has_depth:
        return values.tobytes()
    codes = np.zeros((packed_size(len(values), has_depth), 4), dtype=np.uint8)
    codes.reshape(-1)[: len(values)] = _CODES[values]
    packed: Values = np.bitwise_or.reduce(codes << _FOUR_A_BYTE, axis=1)
    return packed.tobytes()


def packed_size(count: int, has_depth: bool) -> int:
    """Bytes that so many values are packed into."""
    return count if has_depth else -(-count // 4)


def unpack(data: bytes, count: int, has_depth: bool) -> Values:
    """The inverse of `pack`, for so many values."""
    packed = np.frombuffer(data, dtype=np.uint8)
    if has_depth:
        return packed
    codes = (packed[:, np.newaxis] >> _FOUR_A_BYTE) & 3
    values: Values = _VALUES[codes].reshape(-1)[:count]
    return values
