"""Positions as other programs write them: GNU Backgammon's IDs, and XGIDs."""

import binascii
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final, NamedTuple

from ludus.core.errors import BadPosition, check_length, quote
from ludus.games.backgammon.board import BAR, OFF, make_view
from ludus.games.backgammon.position import Position, enter_phase, make_position
from ludus.games.backgammon.rules import Rules
from ludus.games.backgammon.stakes import OFFERS, Phase, Stakes

POSITION_BITS: Final = 80
MATCH_BITS: Final = 72
GNUBG_PATTERN: Final = re.compile(
    r"([A-Za-z0-9+/]{14})(?::(?:([A-Za-z0-9+/]{12})|([01])(?::([1-6])([1-6]))?))?", re.ASCII
)

CUBE_OWNER, DICE_OWNER, CRAWFORD, STATE, TURN_OWNER, DOUBLED, RESIGNED = 4, 6, 7, 8, 11, 12, 13
FIRST_DIE, SECOND_DIE, LENGTH, SCORES = 15, 18, 21, (36, 51)
"""First bits of the fields of a Match ID."""

CENTRED, PLAYING = 3, 1
SCORE_MASK: Final = (1 << 15) - 1


def is_expressible(position: Position) -> bool:
    """Return whether the IDs tell the phase: not after a decision to roll, nor of a resignation."""
    stakes = position.stakes
    if stakes is None or position.dice is not None or position.is_over or position.opening:
        return True
    if stakes.phase == "play":
        return stakes.begin_turn(position.turn).phase == "play"
    return stakes.phase in ("cube", "doubled")


def to_position_id(position: Position) -> str:
    """Return GNU Backgammon's Position ID: 14 characters for the men, without turn and roll.

    For the side that is *not* on roll and then for the one that is, it encodes the men on points 1
    to 24 and on the bar as that side counts: a 1 for every man, a 0 after every place, packed from
    the lowest bit up and written in base 64. (GNU Backgammon's manual names the sides the other way
    round; this is what version 1.07 does.)
    """
    bits: list[int] = []
    for side in (1 - position.turn, position.turn):
        for men in make_view(position.board, side).own[1:]:
            bits += [1] * men + [0]
    return _pack_bits(sum(bit << i for i, bit in enumerate(bits)), POSITION_BITS)


def to_gnubg_id(position: Position) -> str:
    """Return Position ID and Match ID; without stakes that of a money game, the cube in the middle.

    The Match ID is 12 more characters, with the turn, the roll, the cube and the score. Side 0 is
    GNU Backgammon's player 1.
    """
    player = 1 - position.turn
    high, low = position.dice or (0, 0)
    mover = position.mover if position.mover in (0, 1) else position.turn
    key = PLAYING << STATE | player << DICE_OWNER | (1 - mover) << TURN_OWNER
    key |= high << FIRST_DIE | low << SECOND_DIE
    stakes = position.stakes
    if stakes is None:
        key |= CENTRED << CUBE_OWNER
    else:
        owner = CENTRED if stakes.owner is None else 1 - stakes.owner
        key |= stakes.value.bit_length() - 1 | owner << CUBE_OWNER | stakes.crawford << CRAWFORD
        key |= (stakes.phase == "doubled") << DOUBLED | stakes.rules.match << LENGTH
        if stakes.phase in OFFERS:
            key |= (OFFERS.index(stakes.phase) + 1) << RESIGNED
        key |= stakes.score[1] << SCORES[0] | stakes.score[0] << SCORES[1]
    return f"{to_position_id(position)}:{_pack_bits(key, MATCH_BITS)}"


def is_gnubg_id(text: str) -> bool:
    return GNUBG_PATTERN.fullmatch(text) is not None


def parse_gnubg_id(text: str, rules: Rules, engine: str) -> Position:
    """Parse an ID that matches the pattern.

    Accepted are `4HPwATDgc/ABMA` (side 0 to roll), the same with turn and roll as in
    `4HPwATDgc/ABMA:1` and `4HPwATDgc/ABMA:0:31`, and with a Match ID as in
    `4HPwATDgc/ABMA:cAkAAAAAAAAA`, whose cube and score are ignored under rules without stakes.
    Side 0 is GNU Backgammon's player 1, drawn as X.
    """
    match = GNUBG_PATTERN.fullmatch(text)
    assert match is not None
    key, match_id, turn_digit, high, low = match.groups()
    turn = int(turn_digit or 0)
    dice = (int(high), int(low)) if high else None
    setting = None
    if match_id:
        turn, dice = _parse_match_id(match_id, text)
        setting = _read_match_id(_unpack_bits(match_id, text))
    waiting, on_roll = _parse_sides(key, text)
    men = (on_roll, waiting) if turn == 0 else (waiting, on_roll)
    return _make_staked_position(men, turn, dice, rules, engine, setting)


class Setting(NamedTuple):
    """Cube and score as other programs write them."""

    value: int
    owner: int | None
    score: tuple[int, int]
    crawford: bool
    length: int
    jacoby: bool
    beavers: bool
    phase: Phase | None
    """None where the side on turn decides, if it has a choice."""


def make_rules(setting: Setting) -> Rules:
    """Return the rules of a money game or match with this setting."""
    if setting.length:
        return Rules(cube=True, match=setting.length)
    return Rules(cube=True, jacoby=setting.jacoby, beavers=setting.beavers)


def detect_rules(text: str) -> Rules:
    """Return the rules that an XGID or an ID with a Match ID implies; otherwise those by default.

    >>> detect_rules("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:3:2:0:7:10").match
    7
    """
    wanted = check_length(text, BadPosition).strip()
    if is_xgid(wanted):
        return make_rules(_read_xgid(_match_xgid(wanted)))
    match = GNUBG_PATTERN.fullmatch(wanted)
    if match is not None and match[2]:
        return make_rules(_read_match_id(_unpack_bits(match[2], wanted)))
    return Rules()


def _read_match_id(key: int) -> Setting:
    owner = key >> CUBE_OWNER & 3
    resigned = key >> RESIGNED & 3
    scores = [key >> at & SCORE_MASK for at in SCORES]
    phase = OFFERS[resigned - 1] if resigned else "doubled" if key >> DOUBLED & 1 else None
    return Setting(
        1 << (key & 15),
        None if owner == CENTRED else 1 - (owner & 1),
        (scores[1], scores[0]),
        bool(key >> CRAWFORD & 1),
        key >> LENGTH & SCORE_MASK,
        False,
        False,
        phase,
    )


def _make_staked_position(
    men: tuple[dict[int, int], dict[int, int]],
    turn: int,
    dice: tuple[int, int] | None,
    rules: Rules,
    engine: str,
    setting: Setting | None,
) -> Position:
    """Make a position with cube and score, in the phase in which a side decides about them."""
    stakes = None
    if rules.has_stakes and setting is not None:
        if setting.length != rules.match:
            raise BadPosition(f"this is a match to {setting.length}, not to {rules.match}")
        stakes = Stakes(rules, setting.value, setting.owner, setting.score, setting.crawford)
    position = make_position(men, turn, dice, rules, engine, stakes)
    if position.stakes is None or dice is not None or position.is_over:
        return position
    if setting is not None and setting.phase is not None:
        return enter_phase(position, setting.phase, str(position))
    if position.opening:
        return position
    return replace(position, stakes=position.stakes.begin_turn(turn))


def _parse_sides(key: str, text: str) -> tuple[dict[int, int], dict[int, int]]:
    """Return the men of the waiting side and of the side on roll."""
    counts = [0]
    for bit in _bits(_unpack_bits(key, text), POSITION_BITS):
        if bit:
            counts[-1] += 1
        else:
            counts.append(0)
    if any(counts[2 * BAR :]):
        raise BadPosition(f"{quote(text)} has too many men for a Position ID")
    if len(counts) < 2 * BAR + 1:
        raise BadPosition(f"{quote(text)} ends in the middle of a Position ID")
    sides = (counts[:BAR], counts[BAR : 2 * BAR])
    waiting, on_roll = ({place: n for place, n in enumerate(side, 1) if n} for side in sides)
    return waiting, on_roll


def _parse_match_id(match_id: str, text: str) -> tuple[int, tuple[int, int] | None]:
    """Return the turn and the roll from a Match ID."""
    key = _unpack_bits(match_id, text)
    first, second = key >> FIRST_DIE & 7, key >> SECOND_DIE & 7
    turn = 1 - (key >> DICE_OWNER & 1)
    if not first and not second:
        return turn, None
    if not (1 <= first <= 6 and 1 <= second <= 6):
        raise BadPosition(f"{quote(text)} has dice {first} and {second}")
    return turn, (first, second)


def _pack_bits(key: int, bits: int) -> str:
    raw = key.to_bytes(bits // 8, "little")
    return binascii.b2a_base64(raw, newline=False).decode().rstrip("=")


def _unpack_bits(text: str, whole: str) -> int:
    try:
        raw = binascii.a2b_base64(text + "=" * (-len(text) % 4), strict_mode=True)
    except binascii.Error:
        raise BadPosition(f"{quote(whole)} is not base 64") from None
    key = int.from_bytes(raw, "little")
    if _pack_bits(key, len(raw) * 8) != text:
        raise BadPosition(f"{quote(whole)} has bits after its last byte")
    return key


def _bits(key: int, count: int) -> Iterable[int]:
    return (key >> i & 1 for i in range(count))


XGID_PATTERN: Final = re.compile(
    r"(?:XGID=)?([-A-Oa-o]{26}):(-?[0-9]+):(-?[0-9]+):(-?1):([0-9]{2}|[DBR])((?::[0-9]+){0,5})",
    re.ASCII,
)


def to_xgid(position: Position) -> str:
    """Return eXtreme Gammon's XGID; without stakes that of a money game, the cube in the middle.

    26 letters for the men, then cube, turn, dice and match after colons. The first letter is the
    bar of the upper player (side 1, small letters), then come points 1 to 24 as the lower player
    counts (side 0, capitals), then the lower player's bar: `a` or `A` is one man, `b` or `B` two,
    `-` none. Turn is 1 for side 0 and -1 for side 1, dice `00` before the roll.
    """
    own, other = make_view(position.board, 0)
    letters = "".join(
        _format_count(own[place] if place != OFF else 0, other[place] if place != BAR else 0)
        for place in range(BAR + 1)
    )
    high, low = position.dice or (0, 0)
    turn = -1 if position.turn else 1
    stakes = position.stakes
    if stakes is None:
        return f"XGID={letters}:0:0:{turn}:{high}{low}:0:0:0:0:10"
    owner = 0 if stakes.owner is None else -1 if stakes.owner else 1
    dice = "D" if stakes.phase == "doubled" else f"{high}{low}"
    score = f"{stakes.score[0]}:{stakes.score[1]}"
    flag = int(stakes.rules.jacoby) + 2 * stakes.rules.beavers
    flag = int(stakes.crawford) if stakes.rules.match else flag
    cube = stakes.value.bit_length() - 1
    return f"XGID={letters}:{cube}:{owner}:{turn}:{dice}:{score}:{flag}:{stakes.rules.match}:12"


def is_xgid(text: str) -> bool:
    return text.startswith("XGID=") or (
        ":" in text[26:27] and XGID_PATTERN.fullmatch(text) is not None
    )


def parse_xgid(text: str, rules: Rules, engine: str) -> Position:
    """Parse a text that matches the pattern of an XGID.

    Cube and score are ignored under rules without stakes.
    """
    match = _match_xgid(text)
    letters, turn, dice = match[1], int(match[4]), match[5]
    is_doubled = dice == "D" and rules.cube
    if not (is_doubled or re.fullmatch(r"00|[1-6][1-6]", dice)):
        raise BadPosition(f"{quote(text)} has dice {dice}; it must be 00 or two dice, not the cube")
    men: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for place, letter in enumerate(letters):
        if letter == "-":
            continue
        side = 1 if letter.islower() else 0
        if (side, place) in ((0, OFF), (1, BAR)):
            raise BadPosition(f"{quote(text)} has side {side}'s men on the other side's bar")
        men[side][BAR - place if side else place] = ord(letter.lower()) - ord("a") + 1
    roll = None if dice in ("00", "D") else (int(dice[0]), int(dice[1]))
    return _make_staked_position(men, 0 if turn == 1 else 1, roll, rules, engine, _read_xgid(match))


def _match_xgid(text: str) -> re.Match[str]:
    match = XGID_PATTERN.fullmatch(text)
    if match is None:
        raise BadPosition(f"{quote(text)} is not an XGID: 26 letters, then :cube:owner:turn:dice:…")
    return match


def _read_xgid(match: re.Match[str]) -> Setting:
    numbers = [int(part[:5]) for part in match[6].split(":")[1:]]
    first, second, flag, length, *_ = [*numbers, 0, 0, 0, 0]
    return Setting(
        1 << min(abs(int(match[2][:5])), 20),
        {"1": 0, "-1": 1}.get(match[3]),
        (first, second),
        bool(length) and flag == 1,
        length,
        not length and flag in (1, 3),
        not length and flag in (2, 3),
        "doubled" if match[5] == "D" else None,
    )


def _format_count(own: int, other: int) -> str:
    if own:
        return chr(ord("A") + own - 1)
    return chr(ord("a") + other - 1) if other else "-"
