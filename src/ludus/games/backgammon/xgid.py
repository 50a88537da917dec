"""eXtreme Gammon's XGID: 26 letters for the men, then cube, turn, dice and match after colons.

The first letter is the bar of the upper player (side 1, small letters), then come points 1 to 24
as the lower player counts (side 0, capitals), then the lower player's bar: `a` or `A` is one man,
`b` or `B` two, `-` none. Turn is 1 for side 0 and -1 for side 1, dice `00` before the roll. Cube
and score are left aside: without the cube they change nothing.
"""

import re
from typing import Final

from ludus.core.errors import BadPosition, quoted
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.rules import Rules
from ludus.games.backgammon.setup import position_of
from ludus.games.backgammon.view import BAR, OFF, view_of

FORM: Final = re.compile(
    r"(?:XGID=)?([-A-Oa-o]{26}):(-?[0-9]+):(-?[0-9]+):(-?1):([0-9]{2}|[DBR])((?::[0-9]+){0,5})",
    re.ASCII,
)


def xgid(position: Position) -> str:
    """The position as an unlimited game with the cube in the middle."""
    own, their = view_of(position.board, 0)
    letters = "".join(
        _letter(own[place] if place != OFF else 0, their[place] if place != BAR else 0)
        for place in range(BAR + 1)
    )
    high, low = position.dice or (0, 0)
    return f"XGID={letters}:0:0:{-1 if position.turn else 1}:{high}{low}:0:0:0:0:10"


def looks_like(text: str) -> bool:
    return text.startswith("XGID=") or (":" in text[26:27] and FORM.fullmatch(text) is not None)


def read(text: str, rules: Rules, engine: str) -> Position:
    """The position of a text that looks like an XGID."""
    match = FORM.fullmatch(text)
    if match is None:
        raise BadPosition(
            f"{quoted(text)} is not an XGID: 26 letters, then :cube:owner:turn:dice:…"
        )
    letters, turn, dice = match[1], int(match[4]), match[5]
    if not re.fullmatch(r"00|[1-6][1-6]", dice):
        raise BadPosition(
            f"{quoted(text)} has dice {dice}; it must be 00 or two dice, not the cube"
        )
    men: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for place, letter in enumerate(letters):
        if letter == "-":
            continue
        side = 1 if letter.islower() else 0
        if (side, place) in ((0, OFF), (1, BAR)):
            raise BadPosition(f"{quoted(text)} has side {side}'s men on the other side's bar")
        men[side][BAR - place if side else place] = ord(letter.lower()) - ord("a") + 1
    roll = None if dice == "00" else (int(dice[0]), int(dice[1]))
    return position_of(men, 0 if turn == 1 else 1, roll, rules, engine)


def _letter(own: int, their: int) -> str:
    if own:
        return chr(ord("A") + own - 1)
    return chr(ord("a") + their - 1) if their else "-"
