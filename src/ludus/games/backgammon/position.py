"""Positions of backgammon: men, turn, dice and stakes; and positions made from counts of men."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from typing import Final, Literal, Protocol, TypeGuard, cast

from ludus.core.errors import BadPosition, quote
from ludus.core.game import CHANCE, Outcome, illegal_move
from ludus.core.marks import NO_MARKS, Marks
from ludus.games.backgammon.board import (
    BAR,
    FIRST_ROLLS,
    HOME,
    OFF,
    OPENING_ROLLS,
    ROLLS,
    Board,
    BoardTuple,
    Move,
    OpeningRoll,
    Roll,
    View,
    format_place,
    make_board,
    make_view,
)
from ludus.games.backgammon.rules import LAYOUTS, Rules
from ludus.games.backgammon.stakes import (
    ACCEPT,
    BEAVER,
    DOUBLE,
    DROP,
    ENDS,
    OFFERED_TURNS,
    OFFERS,
    RACCOON,
    RESIGN,
    TAKE,
    CubeAction,
    Phase,
    Stakes,
    parse_stakes,
)
from ludus.render.canvas import Drawable, Drawing

Opening = Literal["", "roll_off", "first"]

Action = Move | Roll | CubeAction
"""What `Position.play` takes."""

REASONS: Final = {1: "single", 2: "gammon", 3: "backgammon"}


class Engine(Protocol):
    """Move generation: `reference` in Python, or the equivalent `native`."""

    def legal_moves(self, position: "Position") -> list[Move]: ...
    def apply_move(self, position: "Position", move: Move) -> BoardTuple | None: ...


@cache
def load_engine(name: str) -> Engine:
    """Import the module of the engine `native` or `python`."""
    module = "native" if name == "native" else "reference"
    return cast("Engine", import_module(f"ludus.games.backgammon.{module}"))


@dataclass(frozen=True, slots=True, repr=False)
class Position(Drawable):
    """A state of a game. Side 0 moves from point 24 down to 1 and off, side 1 the other way."""

    points: tuple[int, ...]
    """Points 1 to 24 as side 0 counts: the number of side 0's men, or minus that of side 1's."""

    bar: tuple[int, int]
    """Men on the bar of each side."""

    off: tuple[int, int]
    """Men borne off by each side."""

    turn: int
    """The side whose turn it is, also while its dice are being rolled."""

    dice: tuple[int, int] | None = None
    """The roll, the larger die first; None before the roll."""

    opening: Opening = ""
    """What the next roll is at the start, as in `Rules.opening`; empty for a roll like others."""

    engine: str = field(default="python", compare=False, repr=False)
    """`native` or `python`: the module that generates moves. Not part of the position's value."""

    stakes: Stakes | None = None
    """The cube and the score; None under rules that have neither."""

    @property
    def board(self) -> Board:
        """The men without turn and dice."""
        return Board(self.points, self.bar, self.off)

    @property
    def mover(self) -> int:
        """The side to move, or CHANCE while the dice are to be rolled."""
        if self.dice is not None or self.is_over:
            return self.turn
        phase = self.phase
        if phase == "play":
            return CHANCE
        return self.turn if phase in ("cube", "beavered") else 1 - self.turn

    @property
    def phase(self) -> str:
        """The phase of the stakes; always `play` under rules without them."""
        return "play" if self.stakes is None else self.stakes.phase

    @property
    def is_over(self) -> bool:
        """Whether the game, or the match, has ended; the side whose turn it would be has lost."""
        if self.stakes is not None and (self.stakes.is_over or self.stakes.rules.match):
            return self.stakes.is_over
        return self._is_borne_off()

    def _is_borne_off(self) -> bool:
        """Return whether the side that moved last has borne off all its men."""
        last = 1 - self.turn
        if not self.off[last] or self.bar[last]:
            return False
        return min(self.points) >= 0 if last else max(self.points) <= 0

    def legal_moves(self) -> list[Move] | list[Roll] | list[CubeAction]:
        """Return every possible roll, or one move for each board that the roll can lead to.

        Where a side decides about the stakes, these are its actions.
        """
        if self.dice is not None:
            return load_engine(self.engine).legal_moves(self)
        if self.is_over:
            return []
        if self.stakes is not None and self.stakes.phase != "play":
            return self.stakes.list_actions(self.turn)
        if self.opening == "roll_off":
            return list(OPENING_ROLLS)
        return list(FIRST_ROLLS if self.opening else ROLLS)

    def play(self, move: Action, /) -> "Position":
        """Return the position after a legal move, roll or action; BadMove for any other."""
        if self.stakes is not None and self.phase != "play":
            return self._act(move, self.stakes)
        if self.dice is None:
            if not self._can_fall(move):
                raise illegal_move(move, self)
            turn = OpeningRoll(*move).beginner if self.opening == "roll_off" else self.turn
            dice = (max(move), min(move))
            return Position(
                self.points, self.bar, self.off, turn, dice, "", self.engine, self.stakes
            )
        men = load_engine(self.engine).apply_move(self, move) if isinstance(move, Move) else None
        if men is None:
            raise illegal_move(move, self)
        points, bar, off = men
        turn = 1 - self.turn
        after = Position(points, bar, off, turn, None, "", self.engine, self.stakes)
        if self.stakes is None:
            return after
        if after._is_borne_off():
            return after._finish_game(turn, after._count_level())
        return replace(after, stakes=self.stakes.begin_turn(turn))

    def _act(self, action: Action, stakes: Stakes) -> "Position":
        """Return the position after a decision about the stakes."""
        if not isinstance(action, CubeAction) or action not in self.legal_moves():
            raise illegal_move(action, self)
        if action == DOUBLE:
            return replace(self, stakes=replace(stakes, phase="doubled"))
        if action in RESIGN:
            return replace(self, stakes=replace(stakes, phase=OFFERS[RESIGN.index(action)]))
        if action == TAKE:
            return replace(self, stakes=stakes.take(1 - self.turn))
        if action == BEAVER:
            return replace(self, stakes=replace(stakes, phase="beavered"))
        if action == RACCOON:
            return replace(self, stakes=replace(stakes, phase="raccooned"))
        if action == DROP:
            dropped = replace(self, stakes=stakes.drop(1 - self.mover))
            return dropped._finish_game(self.mover, 1, "dropped")
        if action == ACCEPT:
            level = OFFERS.index(stakes.phase)
            return self._finish_game(self.turn, level + 1, ENDS[level])
        return replace(self, stakes=replace(stakes, phase="play"))  # it rolls

    def _finish_game(self, loser: int, level: int, phase: Phase = "play") -> "Position":
        """Return the end of a money game, or the next game of a match."""
        assert self.stakes is not None
        rules = self.stakes.rules
        if not rules.match:
            return replace(self, turn=loser, stakes=replace(self.stakes, phase=phase))
        points = self.stakes.compute_points(level)
        following = self.stakes.add_points(1 - loser, points)
        if following.is_match_over:
            return replace(self, turn=loser, stakes=following)
        return replace(start_position(rules, self.engine), stakes=following)

    def _count_level(self) -> int:
        """Return 1 if the side on turn has lost a single game, 2 for a gammon, 3 for more."""
        own = make_view(self.board, self.turn).own
        is_far = any(own[BAR - len(HOME) :])
        return 1 if own[OFF] else 3 if is_far else 2

    def _can_fall(self, roll: object) -> TypeGuard[Roll]:
        return isinstance(roll, Roll) and roll in self.legal_moves()

    def outcome(self) -> Outcome | None:
        """Return the winner and the points; None while the game is in progress."""
        if self.dice is not None or not self.is_over:
            return None
        winner = 1 - self.turn
        if self.stakes is None:
            level = self._count_level()
            return Outcome(winner, REASONS[level], level)
        if self.stakes.is_match_over:
            return Outcome(winner, "match")
        phase = self.stakes.phase
        if phase == "play":
            level = self._count_level()
            return Outcome(winner, REASONS[level], self.stakes.compute_points(level))
        level = ENDS.index(phase) + 1 if phase in ENDS else 1
        return Outcome(winner, phase, self.stakes.compute_points(level))

    def text(self, marks: Marks = NO_MARKS) -> str:
        # Drawing is imported on demand: learners play millions of games without it.
        from ludus.games.backgammon.drawing import text

        return text(self, marks)

    def drawing(self, marks: Marks = NO_MARKS) -> Drawing:
        from ludus.games.backgammon.drawing import draw

        return draw(self, marks)

    def __str__(self) -> str:
        """Return side 0's men, side 1's men (each as its own side counts), the turn, and the roll.

        `24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 opening` is the start; the roll is for example `31`,
        `roll` before it, `opening` before the first one, `over` when the game has ended. Under
        rules with stakes the phase may be in its place, and cube and score follow: `cube 2@0 3-5/7`
        """
        sides = [_format_side(make_view(self.board, side).own) for side in (0, 1)]
        if self.dice is not None:
            roll = f"{self.dice[0]}{self.dice[1]}"
        elif self.phase != "play":
            roll = self.phase
        elif self.is_over:
            roll = "over"
        else:
            roll = "opening" if self.opening else "roll"
        stakes = "" if self.stakes is None else f" {self.stakes}"
        return f"{sides[0]} {sides[1]} {self.turn} {roll}{stakes}"


def _format_side(own: tuple[int, ...]) -> str:
    places = (place for place in range(BAR, OFF - 1, -1) if own[place])
    return ",".join(f"{format_place(place)}:{own[place]}" for place in places)


def start_position(rules: Rules, engine: str) -> Position:
    """Return the position before the first roll."""
    men = dict(LAYOUTS[rules.layout])
    return make_position((men, men), 0, None, rules, engine)


def make_position(
    men: tuple[Mapping[int, int], Mapping[int, int]],
    turn: int,
    dice: tuple[int, int] | None,
    rules: Rules,
    engine: str,
    stakes: Stakes | None = None,
) -> Position:
    """Make a position from each side's men, by place as that side counts; missing men are off.

    Men in the start layout, before a roll of side 0, await the opening roll. Positions that no game
    can lead to are refused.
    """
    own, other = (_fill_places(side, men[side], rules) for side in (0, 1))
    view = View(own, other[::-1])
    _check_view(view)
    if dice is not None:
        dice = (max(dice), min(dice))
    stakes = stakes or parse_stakes([], rules)
    position = Position(*make_board(view, 0), turn, dice, "", engine, stakes)
    _check_end(position)
    layout = LAYOUTS[rules.layout]
    untouched = all({place: n for place, n in side.items() if n} == layout for side in men)
    is_start = untouched and turn == 0 and dice is None and not position.is_over
    if is_start and rules.opening != "any":
        return replace(position, opening=rules.opening)
    return position


def _fill_places(side: int, men: Mapping[int, int], rules: Rules) -> tuple[int, ...]:
    """Return a side's men on all 26 places, those not mentioned borne off."""
    places = [men.get(place, 0) for place in range(BAR + 1)]
    missing = rules.men - sum(places)
    if missing < 0:
        raise BadPosition(f"side {side} has {sum(places)} men, not {rules.men}")
    places[OFF] += missing
    return tuple(places)


def _check_view(view: View) -> None:
    """Check that no point has men of both sides, and that a side can move eventually."""
    for place in range(1, BAR):
        if view.own[place] and view.other[place]:
            raise BadPosition(f"both sides have men on point {place} (as side 0 counts)")
    if not any(view.own[1:]) and not any(view.other[:BAR]):
        raise BadPosition("both sides have borne off all their men")
    if _is_shut_out(view) and _is_shut_out(view.flip()):
        raise BadPosition("both sides are on the bar against closed boards: nobody could ever move")


def _is_shut_out(view: View) -> bool:
    """Return whether the viewer has a man on the bar and every entry point is blocked."""
    return view.own[BAR] > 0 and all(view.other[BAR - die] > 1 for die in HOME)


def _check_end(position: Position) -> None:
    """Check that a finished game has no dice and that the loser is next."""
    stakes = position.stakes
    if stakes is not None and stakes.is_match_over:
        if position.dice is not None or stakes.score[position.turn] >= stakes.rules.match:
            raise BadPosition("the match is over, so there is no roll, and its loser is named")
        return
    winners = [side for side in (0, 1) if not _has_men_left(position, side)]
    if winners and winners[0] == position.turn:
        raise BadPosition(f"side {winners[0]} has borne off all its men, so it is not its turn")
    if winners and stakes is not None and stakes.rules.match:
        raise BadPosition("all men of a side are off, so the next game of the match has begun")
    if winners and position.dice is not None:
        raise BadPosition(
            f"side {winners[0]} has borne off all its men, so there is nothing to roll"
        )


def _has_men_left(position: Position, side: int) -> bool:
    sign = -1 if side else 1
    return position.bar[side] > 0 or any(sign * men > 0 for men in position.points)


def enter_phase(position: Position, phase: str, text: str) -> Position:
    """Return the position in a phase of its stakes; BadPosition if it cannot be in it."""
    before = replace(position, opening="")
    if before.is_over or before.stakes is None:
        raise BadPosition(f"{quote(text)}: the game is over")
    stakes = before.stakes
    turn = before.turn
    if phase in ("dropped", *ENDS):
        # The side whose turn it would be has lost: it dropped the other's double, or resigned.
        if stakes.rules.match:
            raise BadPosition(f"{quote(text)}: in a match the next game has begun")
        turn = 1 - turn if phase == "dropped" else turn
    before_roll = stakes.begin_turn(turn)
    resigning: dict[str, CubeAction] = dict(zip(OFFERS + ENDS, RESIGN * 2, strict=True))
    wanted: dict[str, CubeAction] = {"dropped": DOUBLE, **resigning}
    wanted |= dict.fromkeys(OFFERED_TURNS, DOUBLE)
    is_known = stakes.rules.beavers or phase not in ("beavered", "raccooned")
    is_possible = (
        is_known
        and before_roll.phase == "cube"
        and (phase == "cube" or wanted[phase] in before_roll.list_actions(turn))
    )
    if not is_possible:
        raise BadPosition(f"{quote(text)}: side {turn} has no such choice here")
    return replace(before, stakes=replace(stakes, phase=cast("Phase", phase)))
