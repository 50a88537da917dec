"""GNU Backgammon's IDs: 14 characters for the men, 12 more for whose turn it is and the roll.

A Position ID lists, for the side that is *not* on roll and then for the one that is, its men on
points 1 to 24 and on the bar as that side counts: a 1 for every man, a 0 after every place, packed
from the lowest bit up and written in base 64. (The manual of GNU Backgammon names the sides the
other way round; this is what version 1.07 does.)

Read are `4HPwATDgc/ABMA` (side 0 is about to roll), the same followed by turn and roll as in
`4HPwATDgc/ABMA:1` and `4HPwATDgc/ABMA:0:31`, and by a Match ID as in `4HPwATDgc/ABMA:cAkAAAAAAAAA`,
of which the cube and the score are left aside. Side 0 is GNU Backgammon's player 1, drawn as X.
"""

import binascii
import re
from collections.abc import Iterable
from typing import Final

from ludus.core.errors import BadPosition, quoted
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.rules import Rules
from ludus.games.backgammon.setup import position_of
from ludus.games.backgammon.view import BAR, view_of

POSITION_BITS: Final = 80
MATCH_BITS: Final = 72
FORM: Final = re.compile(
    r"([A-Za-z0-9+/]{14})(?::(?:([A-Za-z0-9+/]{12})|([01])(?::([1-6])([1-6]))?))?", re.ASCII
)

CENTRED_CUBE, PLAYING = 3 << 4, 1 << 8
DICE_OWNER, TURN_OWNER, FIRST_DIE, SECOND_DIE = 6, 11, 15, 18


def position_id(position: Position) -> str:
    """The men, as the side whose turn it is has them; turn and roll are not in it."""
    bits: list[int] = []
    for side in (1 - position.turn, position.turn):
        for men in view_of(position.board, side).own[1:]:
            bits += [1] * men + [0]
    return _packed(sum(bit << i for i, bit in enumerate(bits)), POSITION_BITS)


def gnubg_id(position: Position) -> str:
    """Position ID and Match ID of an unlimited game with the cube in the middle."""
    player = 1 - position.turn
    high, low = position.dice or (0, 0)
    key = CENTRED_CUBE | PLAYING | player << DICE_OWNER | player << TURN_OWNER
    key |= high << FIRST_DIE | low << SECOND_DIE
    return f"{position_id(position)}:{_packed(key, MATCH_BITS)}"


def looks_like(text: str) -> bool:
    return FORM.fullmatch(text) is not None


def read(text: str, rules: Rules, engine: str) -> Position:
    """The position of an ID that looks like one."""
    match = FORM.fullmatch(text)
    assert match is not None
    key, match_id, turn_digit, high, low = match.groups()
    turn = int(turn_digit or 0)
    dice = (int(high), int(low)) if high else None
    if match_id:
        turn, dice = _read_match(match_id, text)
    waiting, on_roll = _read_sides(key, text)
    men = (on_roll, waiting) if turn == 0 else (waiting, on_roll)
    return position_of(men, turn, dice, rules, engine)


def _read_sides(key: str, text: str) -> tuple[dict[int, int], dict[int, int]]:
    """The men of the side that waits and of the one on roll."""
    counts = [0]
    for bit in _bits(_unpacked(key, text), POSITION_BITS):
        if bit:
            counts[-1] += 1
        else:
            counts.append(0)
    if any(counts[2 * BAR :]):
        raise BadPosition(f"{quoted(text)} has too many men for a Position ID")
    if len(counts) < 2 * BAR + 1:
        raise BadPosition(f"{quoted(text)} ends in the middle of a Position ID")
    sides = (counts[:BAR], counts[BAR : 2 * BAR])
    waiting, on_roll = ({place: n for place, n in enumerate(side, 1) if n} for side in sides)
    return waiting, on_roll


def _read_match(match_id: str, text: str) -> tuple[int, tuple[int, int] | None]:
    """Whose turn it is and the roll, from a Match ID."""
    key = _unpacked(match_id, text)
    first, second = key >> FIRST_DIE & 7, key >> SECOND_DIE & 7
    turn = 1 - (key >> DICE_OWNER & 1)
    if not first and not second:
        return turn, None
    if not (1 <= first <= 6 and 1 <= second <= 6):
        raise BadPosition(f"{quoted(text)} has dice {first} and {second}")
    return turn, (first, second)


def _packed(key: int, bits: int) -> str:
    raw = key.to_bytes(bits // 8, "little")
    return binascii.b2a_base64(raw, newline=False).decode().rstrip("=")


def _unpacked(text: str, whole: str) -> int:
    try:
        raw = binascii.a2b_base64(text + "=" * (-len(text) % 4), strict_mode=True)
    except binascii.Error:
        raise BadPosition(f"{quoted(whole)} is not base 64") from None
    key = int.from_bytes(raw, "little")
    if _packed(key, len(raw) * 8) != text:
        raise BadPosition(f"{quoted(whole)} has bits after its last byte")
    return key


def _bits(key: int, count: int) -> Iterable[int]:
    return (key >> i & 1 for i in range(count))
