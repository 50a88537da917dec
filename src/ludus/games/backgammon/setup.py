"""Positions built from counts of men, refused where no game can have led there."""

from collections.abc import Mapping

from ludus.core.errors import BadPosition
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.rules import LAYOUTS, Rules
from ludus.games.backgammon.view import BAR, HOME, OFF, View, board_of


def start(rules: Rules, engine: str) -> Position:
    """The position before the first roll; side 0 is whoever begins."""
    men = dict(LAYOUTS[rules.layout])
    position = position_of((men, men), 0, None, rules, engine)
    assert position.opening == (rules.opening == "roll_off")
    return position


def position_of(
    men: tuple[Mapping[int, int], Mapping[int, int]],
    turn: int,
    dice: tuple[int, int] | None,
    rules: Rules,
    engine: str,
) -> Position:
    """A position from each side's men, by place as that side counts; the missing men are off.

    Men that stand as at the start, before a roll of side 0, await the opening roll.
    """
    own, other = (_filled(side, men[side], rules) for side in (0, 1))
    view = View(own, other[::-1])
    _check(view)
    if dice is not None:
        dice = (max(dice), min(dice))
    position = Position(*board_of(view, 0), turn, dice, False, engine)
    _check_end(position)
    layout = LAYOUTS[rules.layout]
    untouched = all({place: n for place, n in side.items() if n} == layout for side in men)
    if untouched and turn == 0 and dice is None and rules.opening == "roll_off":
        return Position(*board_of(view, 0), turn, dice, True, engine)
    return position


def _filled(side: int, men: Mapping[int, int], rules: Rules) -> tuple[int, ...]:
    """A side's men on all 26 places, those not mentioned borne off."""
    places = [men.get(place, 0) for place in range(BAR + 1)]
    missing = rules.men - sum(places)
    if missing < 0:
        raise BadPosition(f"side {side} has {sum(places)} men, not {rules.men}")
    places[OFF] += missing
    return tuple(places)


def _check(view: View) -> None:
    """Both sides may stand on a point of their own only, and somebody can move some day."""
    for place in range(1, BAR):
        if view.own[place] and view.their[place]:
            raise BadPosition(f"both sides have men on point {place} (as side 0 counts)")
    if not any(view.own[1:]) and not any(view.their[:BAR]):
        raise BadPosition("both sides have borne off all their men")
    if _is_shut_out(view) and _is_shut_out(view.turned()):
        raise BadPosition("both sides are on the bar against closed boards: nobody could ever move")


def _is_shut_out(view: View) -> bool:
    """Whether the viewer has a man on the bar and every point he could enter on is taken."""
    return view.own[BAR] > 0 and all(view.their[BAR - die] > 1 for die in HOME)


def _check_end(position: Position) -> None:
    """A game that is over has no dice, and the loser would be next."""
    winners = [side for side in (0, 1) if not _has_men_left(position, side)]
    if winners and winners[0] == position.turn:
        raise BadPosition(f"side {winners[0]} has borne off all its men, so it is not its turn")
    if winners and position.dice is not None:
        raise BadPosition(
            f"side {winners[0]} has borne off all its men, so there is nothing to roll"
        )


def _has_men_left(position: Position, side: int) -> bool:
    sign = -1 if side else 1
    return position.bar[side] > 0 or any(sign * men > 0 for men in position.points)
