"""What a roll of the dice allows, step by step and in any order.

A legal move stands for one board that the roll can lead to. A person may reach that board by
other steps than the ones written, so what counts is where the steps can still end.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ludus.games.backgammon import reference
from ludus.games.backgammon.moves import Move
from ludus.games.backgammon.view import BAR, OFF, View, view_of

Ends = dict[View, Move]
"""The boards a roll can lead to, with the move that is written for each."""


@dataclass(frozen=True, slots=True)
class Hand:
    """The board in the middle of a turn, and the dice that are left."""

    view: View
    dice: tuple[int, ...]

    def steps(self) -> dict[tuple[int, int], "Hand"]:
        """Every step one die allows: from and to, and what it leaves."""
        found: dict[tuple[int, int], Hand] = {}
        for die in dict.fromkeys(self.dice):
            left = list(self.dice)
            left.remove(die)
            for start in range(BAR, OFF, -1):
                if self.view.own[start] and (moved := reference.step(self.view, start, die)):
                    view, step = moved
                    found.setdefault((start, step.end), Hand(view, tuple(left)))
        return found


class Roll:
    """What a roll allows: the steps that still lead to one of its boards."""

    def __init__(self, ends: Ends) -> None:
        self.ends = ends
        self._known: dict[Hand, dict[tuple[int, int], Hand]] = {}

    def steps(self, hand: Hand) -> dict[tuple[int, int], Hand]:
        """The steps after which one of the ends can still be reached."""
        if hand not in self._known:
            options = hand.steps() if hand.dice else {}
            self._known[hand] = {
                step: after for step, after in options.items() if self._leads_on(after)
            }
        return self._known[hand]

    def _leads_on(self, hand: Hand) -> bool:
        return hand.view in self.ends or bool(self.steps(hand))

    def targets(self, hand: Hand, start: int) -> dict[int, tuple[int, ...]]:
        """Where one man can go from here, by as many dice as there are, with his stops."""
        found: dict[int, tuple[int, ...]] = {}
        waiting: list[tuple[Hand, int, tuple[int, ...]]] = [(hand, start, ())]
        while waiting:
            here, place, stops = waiting.pop(0)
            for (begin, end), after in self.steps(here).items():
                if begin == place and end not in found:
                    found[end] = stops
                    if end != OFF:
                        waiting.append((after, end, (*stops, end)))
        return found


@lru_cache(maxsize=64)
def roll_of(position: Any) -> Roll:
    """A person touches several places of one position; what leads where is found out once."""
    boards = ((position.play(move).board, move) for move in position.legal_moves())
    return Roll({view_of(board, position.turn): move for board, move in boards})


def first_hand(position: Any) -> Hand:
    high, low = position.dice
    dice = (high,) * 4 if high == low else (high, low)
    return Hand(view_of(position.board, position.turn), dice)
