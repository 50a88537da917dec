"""Parse rolls, moves, actions and positions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from ludus.core.errors import BadMove, BadPosition, check_length, quote
from ludus.games.backgammon.board import BAR, OFF, Move, OpeningRoll, Roll, View, make_view
from ludus.games.backgammon.position import Position, enter_phase, make_position
from ludus.games.backgammon.position_ids import (
    is_gnubg_id,
    is_xgid,
    parse_gnubg_id,
    parse_xgid,
)
from ludus.games.backgammon.reference import generate_plays, move_man
from ludus.games.backgammon.rules import Rules
from ludus.games.backgammon.stakes import (
    ACTIONS,
    PHASES,
    CubeAction,
    parse_stakes,
)

PLACE_PATTERN: Final = r"(?:bar|off|[0-9]{1,2})"
PART_PATTERN: Final = re.compile(
    rf"({PLACE_PATTERN}(?:/{PLACE_PATTERN}\*?)+)(?:\(([1-4])\))?(\*?)", re.ASCII | re.I
)
ROLL_PATTERN: Final = re.compile(r"([1-6])([1-6])", re.ASCII)

Leg = tuple[int, int]


def parse_roll(text: str, position: Position) -> Roll:
    """Parse a roll: two digits, in any order; at the opening side 0's die comes first."""
    match = ROLL_PATTERN.fullmatch(check_length(text, BadMove).strip())
    if match is None:
        _refuse_action(text, position, "the dice are rolled now")
    else:
        first, second = int(match[1]), int(match[2])
        roll = (
            OpeningRoll(first, second)
            if position.opening == "roll_off"
            else Roll(max(first, second), min(first, second))
        )
        if roll in position.legal_moves():
            return roll
    raise BadMove(f"{quote(text)} is not a roll that can fall here")


def _to_action(text: str) -> CubeAction:
    """Return the action of this name, which may be written with spaces, known or not."""
    return CubeAction("_".join(check_length(text, BadMove).lower().split()))


def _refuse_action(text: str, position: Position, why: str) -> None:
    """Raise BadMove for a decision about the stakes where there is none to make."""
    if _to_action(text) in ACTIONS:
        reason = why if position.stakes is not None else "these rules have no cube and no match"
        raise BadMove(f"{quote(text)} is not possible here: {reason}")


def parse_action(text: str, position: Position) -> CubeAction:
    """Parse a decision about the stakes; `resign gammon` may be written with a space."""
    word = str(_to_action(text))
    legal = [str(action) for action in position.legal_moves()]
    if word not in legal:
        known = f"possible are {', '.join(legal)}" if legal else "the game is over"
        raise BadMove(f"{quote(text)} is not possible here; {known}")
    return CubeAction(word)


def parse_move(text: str, position: Position) -> Move:
    """Parse a legal move; BadMove if there is none, or several.

    Steps may be in any order and by any legal path that ends on the same board: `8/5 6/5`,
    `6/5,8/5`, `bar/22/18`, `24/15`, `6/off(2)`, `13/7*(2)`; 25 may stand for the bar and 0 for off.
    Stars may be omitted where the board is unambiguous; where one path hits and another does not,
    the text without a star means the path that does not hit.
    """
    wanted = check_length(text, BadMove).strip().lower()
    _refuse_action(text, position, "men are moved now")
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
    """Parse two sides' men, the turn, the roll and the stakes: the inverse of `str`."""
    fields = text.split()
    if not 4 <= len(fields) <= 4 + rules.has_stakes + (rules.match > 0):
        raise BadPosition(
            f"{quote(text)} is no position: write side 0's men, side 1's men, turn and roll"
            f"{', then the cube' * rules.has_stakes}{' and the score' * (rules.match > 0)}, "
            "or a GNU Backgammon ID or XGID"
        )
    men = (_parse_side(0, fields[0], rules), _parse_side(1, fields[1], rules))
    turn = {"0": 0, "1": 1}.get(fields[2])
    if turn is None:
        raise BadPosition(f"turn {quote(fields[2])} must be 0 or 1")
    roll = fields[3]
    phases = PHASES[1:] if rules.has_stakes else ()
    if not DICE_PATTERN.fullmatch(roll) and roll not in ("roll", "opening", "over", *phases):
        more = f", {', '.join(phases)}" if phases else ""
        raise BadPosition(f"roll {quote(roll)} must be two dice, roll, opening, over{more}")
    dice = (int(roll[0]), int(roll[1])) if DICE_PATTERN.fullmatch(roll) else None
    stakes = parse_stakes(fields[4:], rules)
    position = make_position(men, turn, dice, rules, engine, stakes)
    if roll in phases:
        return enter_phase(position, roll, text)
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
