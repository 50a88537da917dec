"""Reading positions: the text `str` writes, and the IDs other programs write."""

import re
from dataclasses import replace
from typing import Final

from ludus.core.errors import BadPosition, check_length, quoted
from ludus.games.backgammon import gnubg, xgid
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.rules import Rules
from ludus.games.backgammon.setup import position_of, start
from ludus.games.backgammon.view import BAR, OFF

ITEM: Final = re.compile(r"(bar|off|[1-9][0-9]?):([1-9][0-9]?)", re.ASCII)
DICE: Final = re.compile(r"[1-6][1-6]", re.ASCII)


def read(text: str, rules: Rules, engine: str) -> Position:
    """A position from its own text, a GNU Backgammon ID or an XGID."""
    wanted = check_length(text, BadPosition).strip()
    if xgid.looks_like(wanted):
        return xgid.read(wanted, rules, engine)
    if gnubg.looks_like(wanted):
        return gnubg.read(wanted, rules, engine)
    return _read_own(wanted, rules, engine)


def _read_own(text: str, rules: Rules, engine: str) -> Position:
    """Two sides' men, the turn and the roll: the inverse of `Position.__str__`."""
    fields = text.split()
    if len(fields) != 4:
        raise BadPosition(
            f"{quoted(text)} is no position: write side 0's men, side 1's men, turn and roll, "
            "or a GNU Backgammon ID or XGID"
        )
    men = (_read_side(0, fields[0], rules), _read_side(1, fields[1], rules))
    turn = {"0": 0, "1": 1}.get(fields[2])
    if turn is None:
        raise BadPosition(f"turn {quoted(fields[2])} must be 0 or 1")
    roll = fields[3]
    if not DICE.fullmatch(roll) and roll not in ("roll", "opening", "over"):
        raise BadPosition(f"roll {quoted(roll)} must be two dice, roll, opening or over")
    dice = (int(roll[0]), int(roll[1])) if DICE.fullmatch(roll) else None
    position = position_of(men, turn, dice, rules, engine)
    if position.is_over != (roll == "over"):
        raise BadPosition(f"{quoted(text)}: a game is over when one side's men are all off")
    if roll == "opening" and position != start(rules, engine):
        raise BadPosition(f"{quoted(text)}: only the start position awaits an opening roll")
    return replace(position, opening=roll == "opening")


def _read_side(side: int, text: str, rules: Rules) -> dict[int, int]:
    men: dict[int, int] = {}
    for item in text.split(","):
        match = ITEM.fullmatch(item)
        if match is None:
            raise BadPosition(f"{quoted(item)} in side {side}'s men is not place:count")
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
