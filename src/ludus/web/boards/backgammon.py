"""Backgammon on its board: men moved one die at a time, in whatever order the person likes."""

from dataclasses import replace
from typing import Any

from ludus.core.errors import BadMove, quoted
from ludus.games.backgammon.moves import Move
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.view import BAR, OFF, board_of, view_of
from ludus.web.boards.board import Arrangement, Board, Entry
from ludus.web.boards.roll import Hand, Roll, first_hand, roll_of


class BackgammonBoard(Board):
    """Places are named as side 0 counts them, as in `Game.steps`."""

    most = 15
    hand_title = "On the bar"
    has_dice = True

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

    def how(self) -> list[str]:
        return [
            f"Each side brings its {self.game.rules.men} men home, to its points 6 to 1, and then "
            "off the board; whoever is first to have them all off wins.",
            "Each die moves a man by as many points as it shows; a double is played four times. "
            "What can be played must be played.",
            "A point with two or more men of the other side is closed. A man that stands alone can "
            "be hit: he waits on the bar and must come in again before anything else is played.",
            "A win counts double if the loser has borne off nobody, and threefold if a man of his "
            "is still on the bar or in the winner’s home.",
            "The numbers at the edge are those of the side to move.",
        ]

    def ways(self, move: Any) -> tuple[tuple[str, ...], ...]:
        steps = self.game.steps(move)
        return tuple(zip(steps[::2], steps[1::2], strict=True))

    def task(self, position: Any, entry: Entry) -> str:
        if position.dice is None:
            return "The dice are being rolled"
        if entry.selected is not None:
            return "Choose where it goes"
        left = first_hand(position).dice
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
        """The men on the points and on the bar; those borne off are what is missing there."""
        men = {
            str(number): (int(count < 0), abs(count))
            for number, count in enumerate(position.points, 1)
            if count
        }
        return Arrangement(men, position.turn, position.bar, position.dice)

    def arrange(self, arrangement: Arrangement) -> Any:
        """Men that stand nowhere have been borne off; one put on the bar joins those there."""
        points, bar = [0] * 24, list(arrangement.hands)
        left = [self.game.rules.men] * 2
        for place, (side, count) in arrangement.men.items():
            if place in _POINTS:
                points[int(place) - 1] = -count if side else count
                left[side] -= count
            elif place == "bar":
                bar[side] = min(bar[side] + count, self.most)
        off = max(left[0] - bar[0], 0), max(left[1] - bar[1], 0)
        dice = arrangement.dice and (max(arrangement.dice), min(arrangement.dice))
        return Position(tuple(points), (bar[0], bar[1]), off, arrangement.mover, dice)

    def _walk(self, position: Any, touched: tuple[str, ...]) -> tuple[Roll, Hand, list[int]]:
        """What the roll allows, the board after the steps touched so far, and their places."""
        roll, hand = roll_of(position), first_hand(position)
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
    def _shown(position: Any, hand: Hand) -> Any:
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


def _no_such_move(touched: tuple[str, ...]) -> BadMove:
    return BadMove(f"no legal move begins with {quoted(' '.join(touched))}")
