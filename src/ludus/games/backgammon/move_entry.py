"""Move entry for backgammon: one die at a time, in any order that the roll allows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ludus.core.errors import BadMove, quote
from ludus.games.backgammon import reference
from ludus.games.backgammon.board import (
    BAR,
    OFF,
    Move,
    OpeningRoll,
    View,
    format_place,
    make_board,
    make_view,
    place_name,
)
from ludus.games.backgammon.position import Action, Position
from ludus.games.backgammon.stakes import DROP, OFFERED_TURNS, OFFERS, CubeAction
from ludus.games.move_entry import (
    Arrangement,
    EntryState,
    EntrySteps,
    MadeMove,
    MoveEntry,
    PartialMove,
    Slots,
    Stack,
    Target,
)

MAX_STATES = 24
"""States in the middle of a roll that are listed at once; only doubles have more."""

FinalBoards = dict[View, Move]
"""The boards a roll can lead to, with the legal move for each."""


@dataclass(frozen=True, slots=True)
class TurnState:
    """The board in the middle of a turn, and the dice left."""

    view: View
    dice: tuple[int, ...]

    def steps(self) -> dict[tuple[int, int], "TurnState"]:
        """Return each step that one die allows, as from and to, and the state after it."""
        steps: dict[tuple[int, int], TurnState] = {}
        for die in dict.fromkeys(self.dice):
            left = list(self.dice)
            left.remove(die)
            for start in range(BAR, OFF, -1):
                if self.view.own[start] and (moved := reference.move_man(self.view, start, die)):
                    view, step = moved
                    steps.setdefault((start, step.end), TurnState(view, tuple(left)))
        return steps


class TurnOptions:
    """The steps of a roll that still lead to one of its final boards.

    A legal move stands for one final board, which a person may reach by other steps than those of
    its notation, so only the reachable final boards matter.
    """

    def __init__(self, final_boards: FinalBoards) -> None:
        self.final_boards = final_boards
        self._cache: dict[TurnState, dict[tuple[int, int], TurnState]] = {}

    def steps(self, state: TurnState) -> dict[tuple[int, int], TurnState]:
        """Return the steps after which a final board can still be reached."""
        if state not in self._cache:
            options = state.steps() if state.dice else {}
            self._cache[state] = {
                step: after for step, after in options.items() if self._can_finish(after)
            }
        return self._cache[state]

    def moves(self, states: Iterable[TurnState]) -> list[Move]:
        """Return the legal moves whose final boards can be reached from one of these states."""
        waiting = dict.fromkeys(states)
        seen: set[TurnState] = set()
        while waiting:
            seen |= waiting.keys()
            later = (after for state in waiting for after in self.steps(state).values())
            waiting = dict.fromkeys(after for after in later if after not in seen)
        reached = {state.view for state in seen if not self.steps(state)}
        return [move for view, move in self.final_boards.items() if view in reached]

    def _can_finish(self, state: TurnState) -> bool:
        return state.view in self.final_boards or bool(self.steps(state))

    def targets(self, state: TurnState, start: int) -> dict[int, tuple[int, ...]]:
        """Return where one man can go with any number of dice, and his stops on the way."""
        targets: dict[int, tuple[int, ...]] = {}
        waiting: list[tuple[TurnState, int, tuple[int, ...]]] = [(state, start, ())]
        while waiting:
            here, place, stops = waiting.pop(0)
            for (begin, end), after in self.steps(here).items():
                if begin == place and end not in targets:
                    targets[end] = stops
                    if end != OFF:
                        waiting.append((after, end, (*stops, end)))
        return targets


@lru_cache(maxsize=64)
def find_turn_options(position: Position) -> TurnOptions:
    """Return the options of a roll; cached, since a person touches several places of it."""
    moves = [move for move in position.legal_moves() if isinstance(move, Move)]
    # In a match the last move of a game leads to the start of the next one.
    alone = replace(position, stakes=None)
    boards = (alone.play(move).board for move in moves)
    views = (make_view(board, position.turn) for board in boards)
    return TurnOptions(dict(zip(views, moves, strict=True)))


def start_turn(position: Position) -> TurnState:
    assert position.dice is not None
    high, low = position.dice
    dice = (high,) * 4 if high == low else (high, low)
    return TurnState(make_view(position.board, position.turn), dice)


class BackgammonMoveEntry(MoveEntry[Position, Action]):
    """Move entry for backgammon; places are named as side 0 counts them, as in `Game.steps`."""

    max_men_per_place = 15
    hand_title = "On the bar"
    has_dice = True

    def enter(self, position: Position, touched: tuple[str, ...]) -> PartialMove:
        if position.phase != "play":
            return super().enter(position, touched)
        if position.dice is None:
            return PartialMove((), (), "begin", None, position)
        roll, state, places = self._walk(position, touched)
        options, shown = roll.steps(state), self._shown(position, state)
        if len(places) % 2:
            targets = roll.targets(state, places[-1])
            if not targets:
                raise _no_such_move(touched)
            return self._entry(touched, position.turn, targets, shown, state.dice)
        if options:
            starts = dict.fromkeys(start for start, _ in options)
            return self._entry(touched, position.turn, starts, shown, state.dice)
        move = roll.final_boards[state.view] if touched else None
        return PartialMove(touched, (), "begin", move, shown, dice_left=state.dice)

    def list_steps(self, position: Position, touched: tuple[str, ...] = ()) -> EntrySteps:
        """Return all ways to play the dice that are left; a man sent over several stops there."""
        if position.phase != "play" or position.dice is None:
            return super().list_steps(position, touched)
        roll, state, _ = self._walk(position, touched)
        moves = tuple(roll.final_boards.values())
        numbers_of_moves = {view: number for number, view in enumerate(roll.final_boards)}
        numbers = {state: 0}
        states = []
        for here in (queue := [state]):
            following: dict[str, dict[str, Target]] = {}
            for (start, end), after in roll.steps(here).items():
                if not roll.steps(after):
                    target: Target = -1 - numbers_of_moves[after.view]
                elif after not in numbers and len(numbers) >= MAX_STATES:
                    target = None
                else:
                    if after not in numbers:
                        numbers[after] = len(numbers)
                        queue.append(after)
                    target = numbers[after]
                first, second = self._name(start, position), self._name(end, position)
                following.setdefault(first, {})[second] = target
            states.append(self._describe_state(position, here, following))
        go_task = self.describe_task(
            position, PartialMove(("",), (), "go", None, position, selected="")
        )
        return EntrySteps(moves, tuple(states), go_task)

    def _describe_state(
        self, position: Position, state: TurnState, following: dict[str, dict[str, Target]]
    ) -> EntryState:
        shown, num_dice = self._shown(position, state), len(start_turn(position).dice)
        touched = ("",) * (2 * (num_dice - len(state.dice)))
        task = self.describe_task(position, PartialMove(touched, (), "begin", None, shown))
        standings = self.describe_side(shown, 0), self.describe_side(shown, 1)
        return EntryState(task, "begin", following, standings, state.dice)

    @staticmethod
    def _name(place: int, position: Position) -> str:
        return place_name(format_place(place), position.turn)

    def stacks(self, position: Position) -> dict[str, Stack]:
        men = self.to_arrangement(position).men
        return men | {f"bar{side}": (side, n) for side, n in enumerate(position.bar) if n}

    def slots(self) -> dict[str, Slots]:
        from ludus.games.backgammon import drawing

        rows = {str(number): drawing.point_slots(number) for number in range(1, 25)}
        rows |= {f"bar{side}": drawing.bar_slots(side) for side in (0, 1)}
        slots = {
            name: Slots(*first, second[0] - first[0], second[1] - first[1], 2 + len(others))
            for name, (first, second, *others) in rows.items()
        }
        trays = {f"off{side}": Slots(*drawing.tray_middle(side), size=0) for side in (0, 1)}
        return slots | trays

    def last_places(self, moves: Sequence[MadeMove]) -> tuple[str, ...]:
        # Bar and tray are drawn as those of the side whose turn it is now.
        return tuple(place for place in super().last_places(moves) if place in _POINTS)

    def matching_moves(self, position: Position, touched: tuple[str, ...]) -> Sequence[Action]:
        if position.phase != "play":
            return super().matching_moves(position, touched)
        roll, state, places = self._walk(position, touched)
        if len(places) % 2:
            steps = roll.steps(state).items()
            return roll.moves(after for (start, _), after in steps if start == places[-1])
        return roll.moves([state])

    def known_places(self, position: Position) -> set[str]:
        if position.phase != "play":
            return super().known_places(position)
        return {*_POINTS, "bar", "off"}

    def extend(self, position: Position, touched: tuple[str, ...], place: str) -> PartialMove:
        """Continue by a place; a man sent over several dice at once gets his stops inserted."""
        if len(touched) % 2 and position.dice is not None:
            touched = self._with_stops(position, touched, place)
        return super().extend(position, touched, place)

    def describe_rules(self) -> list[str]:
        return [
            f"Each side brings its {self.game.rules.men} checkers home, to its points 6 to 1, and "
            "then off the board; the first side to have them all off wins.",
            "Each die moves a checker by as many points as it shows; a double is played four "
            "times. What can be played must be played.",
            "A point with two or more checkers of the other side is closed. A checker that stands "
            "alone can be hit: it waits on the bar and must come in again before anything else is "
            "played.",
            "A win counts double (a gammon) if the loser has borne off no checker, and threefold "
            "(a backgammon) if one of the loser’s checkers is also on the bar or in the winner’s "
            "home.",
            "Each side counts the points from its own home; the numbers at the edge are yours.",
            *self._describe_stakes(),
        ]

    def _describe_stakes(self) -> Iterator[str]:
        rules = self.game.rules
        if rules.match:
            yield f"The match goes to {rules.match} points."
        if rules.cube:
            yield (
                "Before it rolls, a side may double what the game counts; the other side takes, "
                "and alone may double next, or passes and loses what the game counted before."
            )
        if rules.cube and rules.match and rules.crawford:
            yield "When a side first needs one more point, one game is played without doubling."
        if rules.beavers:
            yield (
                "A side that is doubled may beaver: double again at once and keep the cube. The "
                "other side then takes, passes, or doubles once more (a raccoon), which the first "
                "takes or passes; the cube stays with it."
            )
        if rules.jacoby:
            yield "Gammons and backgammons count only if the game was doubled."
        if rules.resign:
            yield (
                "Before it rolls, a side may offer to resign a single game, a gammon or a "
                "backgammon; the other side accepts or plays on."
            )

    def paths(self, move: Action) -> tuple[tuple[str, ...], ...]:
        steps = self.game.steps(move)
        return tuple(zip(steps[::2], steps[1::2], strict=True))

    def describe_task(self, position: Position, entry: PartialMove) -> str:
        if position.phase != "play":
            return self._describe_decision(position)
        if position.dice is None:
            return "The dice are being rolled"
        if entry.move is not None:
            return "Confirm your move, or undo a step"
        if entry.selected is not None:
            return "Choose where it goes"
        left = start_turn(position).dice
        used = len(entry.touched) // 2
        if not used:
            high, low = position.dice
            return f"You rolled {high} and {low}: move one of your checkers"
        return f"Move again: {len(left) - used} {'die' if len(left) - used == 1 else 'dice'} left"

    def _describe_decision(self, position: Position) -> str:
        assert position.stakes is not None
        if position.phase in OFFERED_TURNS:
            points = position.stakes.offered_value
            answer = f"Take and play for {points} points, or pass and lose {points // 2}"
            *_, last = position.stakes.list_actions(position.turn)
            return answer if last == DROP else f"{answer}, or {last} for {2 * points}"
        if position.phase in OFFERS:
            points = position.stakes.compute_points(OFFERS.index(position.stakes.phase) + 1)
            return f"Accept {points} {'point' if points == 1 else 'points'}, or play on"
        if position.stakes.may_double(position.turn):
            return f"Roll, or double to {2 * position.stakes.value}"
        return "Roll"

    def describe_place(self, position: Position, place: str) -> str:
        if place not in _POINTS and place not in ("bar", "off"):
            return _ACTION_TITLES.get(place, "")
        if place in ("bar", "off"):
            counts = position.bar if place == "bar" else position.off
            counted = [f"{n} {s}" for n, s in zip(counts, self.game.sides, strict=True) if n]
            return ", ".join(counted)
        count = position.points[int(place) - 1]
        if not count:
            return ""
        name = self.game.sides[count < 0]
        return f"{abs(count)} {name} {'checker' if abs(count) == 1 else 'checkers'}"

    def place_name(self, place: str, side: int) -> str:
        return place_name(place, side)

    def describe_side(self, position: Position, side: int) -> str:
        own = make_view(position.board, side).own
        pips = sum(place * count for place, count in enumerate(own))
        parts = [f"{pips} pips to go"]
        stakes = position.stakes
        if stakes is not None and stakes.rules.match:
            parts.insert(0, f"{stakes.score[side]} of {stakes.rules.match} points")
        if stakes is not None and stakes.owner == side:
            parts.append(f"owns the cube at {stakes.value}")
        if position.bar[side]:
            parts.append(f"{position.bar[side]} on the bar")
        if position.off[side]:
            parts.append(f"{position.off[side]} borne off")
        return ", ".join(parts)

    def describe_move(self, move: Action, position: Position) -> str:
        if isinstance(move, OpeningRoll):
            return f"won the opening roll, {max(move)} to {min(move)}"
        if isinstance(move, CubeAction):
            return _PREDICATES[str(move)]
        if not isinstance(move, Move):
            return f"rolled {move.first} and {move.second}"
        return f"played {move}" if move.steps else "could not move"

    def to_arrangement(self, position: Position) -> Arrangement:
        """Return the men on the points and the bar; the missing men are borne off."""
        men = {
            str(number): (int(count < 0), abs(count))
            for number, count in enumerate(position.points, 1)
            if count
        }
        return Arrangement(men, position.turn, position.bar, position.dice)

    def from_arrangement(self, arrangement: Arrangement) -> Position:
        """Return the position; missing men are borne off, men put on the bar are added."""
        points, bar = [0] * 24, list(arrangement.hands)
        left = [self.game.rules.men] * 2
        for place, (side, count) in arrangement.men.items():
            if place in _POINTS:
                points[int(place) - 1] = -count if side else count
                left[side] -= count
            elif place == "bar":
                bar[side] = min(bar[side] + count, self.max_men_per_place)
        off = max(left[0] - bar[0], 0), max(left[1] - bar[1], 0)
        dice = arrangement.dice and (max(arrangement.dice), min(arrangement.dice))
        return Position(tuple(points), (bar[0], bar[1]), off, arrangement.mover, dice)

    def _walk(
        self, position: Position, touched: tuple[str, ...]
    ) -> tuple[TurnOptions, TurnState, list[int]]:
        """Return the roll's options, the state after the touched steps, and their places."""
        roll, state = find_turn_options(position), start_turn(position)
        places = [self._number(place, position.turn) for place in touched]
        for start, end in zip(places[::2], places[1::2], strict=False):
            after = roll.steps(state).get((start, end))
            if after is None:
                raise _no_such_move(touched)
            state = after
        return roll, state, places

    def _with_stops(
        self, position: Position, touched: tuple[str, ...], place: str
    ) -> tuple[str, ...]:
        """Return the touches with each stop of a man on his way to this place."""
        roll, state, places = self._walk(position, touched)
        wanted = self._number(place, position.turn)
        stops = roll.targets(state, places[-1]).get(wanted, ())
        names = [place_name(format_place(stop), position.turn) for stop in stops]
        return (*touched, *(name for name in names for _ in (0, 1)))

    @staticmethod
    def _entry(
        touched: tuple[str, ...],
        side: int,
        places: Iterable[int],
        shown: Position,
        dice: tuple[int, ...],
    ) -> PartialMove:
        names = tuple(place_name(format_place(place), side) for place in places)
        if len(touched) % 2:
            return PartialMove(touched, names, "go", None, shown, touched[-1], dice)
        return PartialMove(touched, names, "begin", None, shown, dice_left=dice)

    @staticmethod
    def _shown(position: Position, state: TurnState) -> Position:
        points, bar, off = make_board(state.view, position.turn)
        return replace(position, points=points, bar=bar, off=off)

    @staticmethod
    def _number(place: str, side: int) -> int:
        """Return a place as the mover counts it."""
        if place in ("bar", "off"):
            return BAR if place == "bar" else OFF
        if place not in _POINTS:
            raise BadMove(f"{quote(place)} is no place of the board")
        return int(place_name(place, side))


_POINTS = frozenset(map(str, range(1, 25)))

_PREDICATES = {
    "roll": "",
    "double": "doubled",
    "take": "took the double",
    "drop": "passed the double",
    "resign": "offered to resign",
    "resign_gammon": "offered to resign a gammon",
    "resign_backgammon": "offered to resign a backgammon",
    "accept": "accepted",
    "reject": "plays on",
}


_ACTION_TITLES = {
    "roll": "roll the dice",
    "double": "double what the game counts",
    "take": "take the double",
    "drop": "pass and lose",
    "beaver": "double again and keep the cube",
    "raccoon": "double once more; the cube stays with the other side",
    "resign": "offer to lose a single game",
    "resign_gammon": "offer to lose a gammon",
    "resign_backgammon": "offer to lose a backgammon",
    "accept": "accept what is offered",
    "reject": "play on",
}


def _no_such_move(touched: tuple[str, ...]) -> BadMove:
    return BadMove(f"no legal move begins with {quote(' '.join(touched))}")
