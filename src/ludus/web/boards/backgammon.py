"""Backgammon on its board: men moved one die at a time, in whatever order the person likes.

A legal move stands for one board that the roll can lead to. A person may reach that board by
other steps than the ones written, so what counts is where the steps can still end.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from ludus.core.errors import BadMove, quoted
from ludus.games.backgammon import reference
from ludus.games.backgammon.moves import Move
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.view import BAR, OFF, View, board_of, view_of
from ludus.web.boards.board import Arrangement, Board, Entry

Ends = dict[View, Move]
"""The boards a roll can lead to, with the move that is written for each."""


@dataclass(frozen=True, slots=True)
class _Hand:
    """The board in the middle of a turn, and the dice that are left."""

    view: View
    dice: tuple[int, ...]

    def steps(self) -> dict[tuple[int, int], "_Hand"]:
        """Every step one die allows: from and to, and what it leaves."""
        found: dict[tuple[int, int], _Hand] = {}
        for die in dict.fromkeys(self.dice):
            left = list(self.dice)
            left.remove(die)
            for start in range(BAR, OFF, -1):
                if self.view.own[start] and (moved := reference.step(self.view, start, die)):
                    view, step = moved
                    found.setdefault((start, step.end), _Hand(view, tuple(left)))
        return found


class BackgammonBoard(Board):
    """Places are named as side 0 counts them, as in `Game.steps`."""

    most = 15

    def enter(self, position: Any, touched: tuple[str, ...]) -> Entry:
        if position.dice is None:
            return Entry((), (), "begin", None, position)
        roll, hand, places = self._walk(position, touched)
        options, shown = roll.steps(hand), self._shown(position, hand)
        if len(places) % 2:
            targets = roll.targets(hand, places[-1])
            if not targets:
                raise _no_such_move(touched)
            return self._entry(position, touched, targets, shown, touched[-1])
        if options:
            starts = dict.fromkeys(start for start, _ in options)
            return self._entry(position, touched, starts, shown, None)
        return Entry(touched, (), "begin", roll.ends[hand.view] if touched else None, shown)

    def touch(self, position: Any, touched: tuple[str, ...], place: str) -> Entry:
        """A man may be sent over both dice at once: the stop in between is put in here."""
        if len(touched) % 2 and position.dice is not None:
            touched = self._with_stops(position, touched, place)
        return super().touch(position, touched, place)

    def task(self, position: Any, entry: Entry) -> str:
        if position.dice is None:
            return "The dice are being rolled"
        if entry.selected is not None:
            return "Choose where it goes"
        left = _first_hand(position).dice
        used = len(entry.touched) // 2
        if not used:
            high, low = position.dice
            return f"You rolled {high} and {low}: move one of your men"
        return f"Move again: {len(left) - used} {'die' if len(left) - used == 1 else 'dice'} left"

    def occupant(self, position: Any, place: str) -> str:
        if place in ("bar", "off"):
            counts = position.bar if place == "bar" else position.off
            told = [f"{n} {s}" for n, s in zip(counts, self.game.sides, strict=True) if n]
            return ", ".join(told)
        count = position.points[int(place) - 1]
        if not count:
            return ""
        name = self.game.sides[count < 0]
        return f"{abs(count)} {name} {'man' if abs(count) == 1 else 'men'}"

    def spoken(self, place: str, side: int) -> str:
        return str(BAR - int(place)) if side == 1 and place.isdecimal() else place

    def standing(self, position: Any, side: int) -> str:
        own = view_of(position.board, side).own
        pips = sum(place * count for place, count in enumerate(own))
        told = [f"{pips} pips to go"]
        if position.bar[side]:
            told.append(f"{position.bar[side]} on the bar")
        if position.off[side]:
            told.append(f"{position.off[side]} borne off")
        return ", ".join(told)

    def told(self, move: Any, position: Any) -> str:
        if not isinstance(move, Move):
            return f"rolled {move.high} and {move.low}"
        return f"played {move}" if move.steps else "could not move"

    def arranged(self, position: Any) -> Arrangement:
        """The men on the points; those on the bar or borne off are what is missing there."""
        men = {
            str(number): (int(count < 0), abs(count))
            for number, count in enumerate(position.points, 1)
            if count
        }
        return Arrangement(men, position.turn)

    def arrange(self, arrangement: Arrangement) -> Any:
        """Men that stand nowhere have been borne off."""
        points, left = [0] * 24, [self.game.rules.men] * 2
        for place, (side, count) in arrangement.men.items():
            if place in _POINTS:
                points[int(place) - 1] = -count if side else count
                left[side] -= count
        off = max(left[0], 0), max(left[1], 0)
        return Position(tuple(points), (0, 0), off, arrangement.mover)

    def _walk(self, position: Any, touched: tuple[str, ...]) -> "tuple[_Roll, _Hand, list[int]]":
        """What the roll allows, the board after the steps touched so far, and their places."""
        roll, hand = _roll(position), _first_hand(position)
        places = [self._number(place, position.turn) for place in touched]
        for start, end in zip(places[::2], places[1::2], strict=False):
            after = roll.steps(hand).get((start, end))
            if after is None:
                raise _no_such_move(touched)
            hand = after
        return roll, hand, places

    def _with_stops(self, position: Any, touched: tuple[str, ...], place: str) -> tuple[str, ...]:
        """The touches with every stop that one man makes on his way to this place."""
        roll, hand, places = self._walk(position, touched)
        wanted = self._number(place, position.turn)
        stops = roll.targets(hand, places[-1]).get(wanted, ())
        names = [self._name(stop, position.turn) for stop in stops]
        return (*touched, *(name for name in names for _ in (0, 1)))

    def _entry(
        self,
        position: Any,
        touched: tuple[str, ...],
        places: Any,
        shown: Any,
        selected: str | None,
    ) -> Entry:
        names = tuple(self._name(place, position.turn) for place in places)
        return Entry(touched, names, "begin" if selected is None else "go", None, shown, selected)

    @staticmethod
    def _shown(position: Any, hand: _Hand) -> Any:
        points, bar, off = board_of(hand.view, position.turn)
        return replace(position, points=points, bar=bar, off=off)

    @staticmethod
    def _number(place: str, side: int) -> int:
        """A place as the mover counts it."""
        if place in ("bar", "off"):
            return BAR if place == "bar" else OFF
        if place not in _POINTS:
            raise BadMove(f"{quoted(place)} is no place of the board")
        return BAR - int(place) if side else int(place)

    @staticmethod
    def _name(number: int, side: int) -> str:
        if number in (BAR, OFF):
            return "bar" if number == BAR else "off"
        return str(BAR - number if side else number)


_POINTS = frozenset(map(str, range(1, 25)))


class _Roll:
    """What a roll allows: the steps that still lead to one of its boards."""

    def __init__(self, ends: Ends) -> None:
        self.ends = ends
        self._known: dict[_Hand, dict[tuple[int, int], _Hand]] = {}

    def steps(self, hand: _Hand) -> dict[tuple[int, int], _Hand]:
        """The steps after which one of the ends can still be reached."""
        if hand not in self._known:
            options = hand.steps() if hand.dice else {}
            self._known[hand] = {
                step: after for step, after in options.items() if self._leads_on(after)
            }
        return self._known[hand]

    def _leads_on(self, hand: _Hand) -> bool:
        return hand.view in self.ends or bool(self.steps(hand))

    def targets(self, hand: _Hand, start: int) -> dict[int, tuple[int, ...]]:
        """Where one man can go from here, by as many dice as there are, with his stops."""
        found: dict[int, tuple[int, ...]] = {}
        waiting: list[tuple[_Hand, int, tuple[int, ...]]] = [(hand, start, ())]
        while waiting:
            here, place, stops = waiting.pop(0)
            for (begin, end), after in self.steps(here).items():
                if begin == place and end not in found:
                    found[end] = stops
                    if end != OFF:
                        waiting.append((after, end, (*stops, end)))
        return found


@lru_cache(maxsize=64)
def _roll(position: Any) -> _Roll:
    """A person touches several places of one position; what leads where is found out once."""
    boards = ((position.play(move).board, move) for move in position.legal_moves())
    return _Roll({view_of(board, position.turn): move for board, move in boards})


def _first_hand(position: Any) -> _Hand:
    high, low = position.dice
    dice = (high,) * 4 if high == low else (high, low)
    return _Hand(view_of(position.board, position.turn), dice)


def _no_such_move(touched: tuple[str, ...]) -> BadMove:
    return BadMove(f"no legal move begins with {quoted(' '.join(touched))}")
