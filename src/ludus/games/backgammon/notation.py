"""Parse and write rolls, moves and positions: own notation, GNU Backgammon's IDs, and XGIDs."""

import binascii
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from ludus.core.errors import BadMove, BadPosition, check_length, quote
from ludus.games.backgammon.board import BAR, OFF, Move, OpeningRoll, Roll, View, make_view
from ludus.games.backgammon.position import Position, make_position
from ludus.games.backgammon.reference import generate_plays, move_man
from ludus.games.backgammon.rules import Rules

PLACE_PATTERN: Final = r"(?:bar|off|[0-9]{1,2})"
PART_PATTERN: Final = re.compile(
    rf"({PLACE_PATTERN}(?:/{PLACE_PATTERN}\*?)+)(?:\(([1-4])\))?(\*?)", re.ASCII | re.I
)
ROLL_PATTERN: Final = re.compile(r"([1-6])([1-6])", re.ASCII)

Leg = tuple[int, int]


def parse_roll(text: str, position: Position) -> Roll:
    """Parse a roll: two digits, in any order; at the opening side 0's die comes first."""
    match = ROLL_PATTERN.fullmatch(check_length(text, BadMove).strip())
    if match is not None:
        first, second = int(match[1]), int(match[2])
        roll = (
            OpeningRoll(first, second)
            if position.opening == "roll_off"
            else Roll(max(first, second), min(first, second))
        )
        if roll in position.legal_moves():
            return roll
    raise BadMove(f"{quote(text)} is not a roll that can fall here")


def parse_move(text: str, position: Position) -> Move:
    """Parse a legal move; BadMove if there is none, or several.

    Steps may be in any order and by any legal path that ends on the same board: `8/5 6/5`,
    `6/5,8/5`, `bar/22/18`, `24/15`, `6/off(2)`, `13/7*(2)`; 25 may stand for the bar and 0 for off.
    Stars may be omitted where the board is unambiguous; where one path hits and another does not,
    the text without a star means the path that does not hit.
    """
    wanted = check_length(text, BadMove).strip().lower()
    legal = generate_plays(position)
    view = make_view(position.board, position.turn)
    if wanted == "pass":
        meant = [move for move in legal.values() if not move.steps]
    else:
        legs, stars = _parse_legs(text, wanted)
        ends = _find_end_views(view, legs, position.dice or ())
        meant = _filter_hits([legal[end] for end in ends if end in legal], stars)
    if len(meant) == 1:
        return meant[0]
    if meant:
        ways = ", ".join(str(move) for move in meant)
        raise BadMove(f"{quote(text)} can mean {ways}: say which")
    examples = ", ".join(str(move) for move in list(legal.values())[:3])
    more = ", …" if len(legal) > 3 else ""
    raise BadMove(f"{quote(text)} is not a legal move here; legal are {examples}{more}")


def _parse_legs(text: str, wanted: str) -> tuple[list[Leg], frozenset[int]]:
    """Parse each man's path, and the points that have a star."""
    legs: list[Leg] = []
    stars: set[int] = set()
    for part in re.split(r"[\s,]+", wanted):
        match = PART_PATTERN.fullmatch(part)
        if match is None:
            raise BadMove(f"{quote(part)} in {quote(text)} is not of the form 8/5, bar/22 or 6/off")
        stops = [_parse_place(name.rstrip("*"), text) for name in match[1].split("/")]
        legs += list(pairwise(stops)) * int(match[2] or 1)
        starred = [
            stop for name, stop in zip(match[1].split("/"), stops, strict=True) if "*" in name
        ]
        stars.update(starred + [stops[-1]] * len(match[3]))
    return legs, frozenset(stars)


def _parse_place(name: str, text: str) -> int:
    place = {"bar": BAR, "off": OFF}.get(name)
    if place is None:
        place = int(name)
    if place > BAR:
        raise BadMove(f"there is no point {place} in {quote(text)}")
    return place


def _filter_hits(moves: list[Move], stars: frozenset[int]) -> list[Move]:
    """Return the moves that hit exactly at the stars, or else those that hit at least there."""
    hits = {move: frozenset(step.end for step in move.steps if step.hit) for move in moves}
    exact = [move for move in moves if hits[move] == stars]
    return exact or [move for move in moves if hits[move] >= stars]


def _find_end_views(view: View, legs: Sequence[Leg], dice: tuple[int, ...]) -> list[View]:
    """Return every board to which these paths lead, each once."""
    if len(set(dice)) == 1:
        dice *= 2
    ends: dict[View, None] = {}
    if len(legs) <= len(dice):
        for steps in _split_legs(tuple(legs), dice):
            end = _walk_steps(view, steps)
            if end is not None:
                ends[end] = None
    return list(ends)


def _split_legs(legs: tuple[Leg, ...], dice: tuple[int, ...]) -> Iterator[tuple[Leg, ...]]:
    """Generate every way to walk the paths die by die, as pairs of start and die."""
    if not legs:
        yield ()
        return
    (start, goal), rest = legs[0], legs[1:]
    for die in sorted(set(dice)):
        end = max(start - die, OFF)
        if end < goal:
            continue
        remaining = list(dice)
        remaining.remove(die)
        onward = rest if end == goal else ((end, goal), *rest)
        for steps in _split_legs(onward, tuple(remaining)):
            yield ((start, die), *steps)


def _walk_steps(view: View, steps: Sequence[Leg]) -> View | None:
    """Return the board after the steps, the rearmost man first; None if one is illegal."""
    for start, die in sorted(steps, reverse=True):
        moved = move_man(view, start, die)
        if moved is None:
            return None
        view = moved[0]
    return view


POSITION_BITS: Final = 80
MATCH_BITS: Final = 72
GNUBG_PATTERN: Final = re.compile(
    r"([A-Za-z0-9+/]{14})(?::(?:([A-Za-z0-9+/]{12})|([01])(?::([1-6])([1-6]))?))?", re.ASCII
)

CENTRED_CUBE, PLAYING = 3 << 4, 1 << 8
DICE_OWNER, TURN_OWNER, FIRST_DIE, SECOND_DIE = 6, 11, 15, 18


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
    """Return Position ID and Match ID of an unlimited game with the cube in the middle.

    The Match ID is 12 more characters, with the turn and the roll.
    """
    player = 1 - position.turn
    high, low = position.dice or (0, 0)
    key = CENTRED_CUBE | PLAYING | player << DICE_OWNER | player << TURN_OWNER
    key |= high << FIRST_DIE | low << SECOND_DIE
    return f"{to_position_id(position)}:{_pack_bits(key, MATCH_BITS)}"


def is_gnubg_id(text: str) -> bool:
    return GNUBG_PATTERN.fullmatch(text) is not None


def parse_gnubg_id(text: str, rules: Rules, engine: str) -> Position:
    """Parse an ID that matches the pattern.

    Accepted are `4HPwATDgc/ABMA` (side 0 to roll), the same with turn and roll as in
    `4HPwATDgc/ABMA:1` and `4HPwATDgc/ABMA:0:31`, and with a Match ID as in
    `4HPwATDgc/ABMA:cAkAAAAAAAAA`, whose cube and score are ignored. Side 0 is GNU Backgammon's
    player 1, drawn as X.
    """
    match = GNUBG_PATTERN.fullmatch(text)
    assert match is not None
    key, match_id, turn_digit, high, low = match.groups()
    turn = int(turn_digit or 0)
    dice = (int(high), int(low)) if high else None
    if match_id:
        turn, dice = _parse_match_id(match_id, text)
    waiting, on_roll = _parse_sides(key, text)
    men = (on_roll, waiting) if turn == 0 else (waiting, on_roll)
    return make_position(men, turn, dice, rules, engine)


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
    """Return eXtreme Gammon's XGID of an unlimited game with the cube in the middle.

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
    return f"XGID={letters}:0:0:{-1 if position.turn else 1}:{high}{low}:0:0:0:0:10"


def is_xgid(text: str) -> bool:
    return text.startswith("XGID=") or (
        ":" in text[26:27] and XGID_PATTERN.fullmatch(text) is not None
    )


def parse_xgid(text: str, rules: Rules, engine: str) -> Position:
    """Parse a text that matches the pattern of an XGID; cube and score are ignored."""
    match = XGID_PATTERN.fullmatch(text)
    if match is None:
        raise BadPosition(f"{quote(text)} is not an XGID: 26 letters, then :cube:owner:turn:dice:…")
    letters, turn, dice = match[1], int(match[4]), match[5]
    if not re.fullmatch(r"00|[1-6][1-6]", dice):
        raise BadPosition(f"{quote(text)} has dice {dice}; it must be 00 or two dice, not the cube")
    men: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for place, letter in enumerate(letters):
        if letter == "-":
            continue
        side = 1 if letter.islower() else 0
        if (side, place) in ((0, OFF), (1, BAR)):
            raise BadPosition(f"{quote(text)} has side {side}'s men on the other side's bar")
        men[side][BAR - place if side else place] = ord(letter.lower()) - ord("a") + 1
    roll = None if dice == "00" else (int(dice[0]), int(dice[1]))
    return make_position(men, 0 if turn == 1 else 1, roll, rules, engine)


def _format_count(own: int, other: int) -> str:
    if own:
        return chr(ord("A") + own - 1)
    return chr(ord("a") + other - 1) if other else "-"


ITEM_PATTERN: Final = re.compile(r"(bar|off|[1-9][0-9]?):([1-9][0-9]?)", re.ASCII)
DICE_PATTERN: Final = re.compile(r"[1-6][1-6]", re.ASCII)


def parse_position(text: str, rules: Rules, engine: str) -> Position:
    """Parse a position from its own text, a GNU Backgammon ID or an XGID."""
    wanted = check_length(text, BadPosition).strip()
    if is_xgid(wanted):
        return parse_xgid(wanted, rules, engine)
    if is_gnubg_id(wanted):
        return parse_gnubg_id(wanted, rules, engine)
    return _parse_own_text(wanted, rules, engine)


def _parse_own_text(text: str, rules: Rules, engine: str) -> Position:
    """Parse two sides' men, the turn and the roll: the inverse of `Position.__str__`."""
    fields = text.split()
    if len(fields) != 4:
        raise BadPosition(
            f"{quote(text)} is no position: write side 0's men, side 1's men, turn and roll, "
            "or a GNU Backgammon ID or XGID"
        )
    men = (_parse_side(0, fields[0], rules), _parse_side(1, fields[1], rules))
    turn = {"0": 0, "1": 1}.get(fields[2])
    if turn is None:
        raise BadPosition(f"turn {quote(fields[2])} must be 0 or 1")
    roll = fields[3]
    if not DICE_PATTERN.fullmatch(roll) and roll not in ("roll", "opening", "over"):
        raise BadPosition(f"roll {quote(roll)} must be two dice, roll, opening or over")
    dice = (int(roll[0]), int(roll[1])) if DICE_PATTERN.fullmatch(roll) else None
    position = make_position(men, turn, dice, rules, engine)
    if position.is_over != (roll == "over"):
        raise BadPosition(f"{quote(text)}: a game is over when one side's men are all off")
    if roll == "opening" and not position.opening:
        raise BadPosition(f"{quote(text)}: only the start position awaits an opening roll")
    return position if roll == "opening" else replace(position, opening="")


def _parse_side(side: int, text: str, rules: Rules) -> dict[int, int]:
    men: dict[int, int] = {}
    for item in text.split(","):
        match = ITEM_PATTERN.fullmatch(item)
        if match is None:
            raise BadPosition(f"{quote(item)} in side {side}'s men is not place:count")
        name, count = match.groups()
        place = {"bar": BAR, "off": OFF}.get(name) if name in ("bar", "off") else int(name)
        if place is None or (place >= BAR and name != "bar"):
            raise BadPosition(f"side {side} has men on {name}; points are 1 to 24, bar and off")
        if place in men:
            raise BadPosition(f"side {side} has {name} twice")
        men[place] = int(count)
    if sum(men.values()) != rules.men:
        raise BadPosition(f"side {side} has {sum(men.values())} men, not {rules.men}")
    return men
