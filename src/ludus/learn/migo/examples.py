"""Positive examples: moves that are known to win or to draw, by how far the end was."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["win", "draw"]

Edge = tuple[int, int]
"""A move, as the boards before and after it."""


@dataclass
class Examples:
    """Moves to learn from, each once, newest first."""

    _moves: dict[tuple[Kind, int], list[Edge]] = field(default_factory=lambda: defaultdict(list))

    version: int = 0
    """Grows with every change, so that nothing is learned twice from the same examples."""

    def add(self, kind: Kind, level: int, edge: Edge) -> bool:
        """Enter a move; whether it is new."""
        moves = self._moves[kind, level]
        if edge in moves:
            return False
        moves.insert(0, edge)
        self.version += 1
        return True

    def keep(self, kind: Kind, is_wanted: Callable[[int, Edge], bool]) -> None:
        """Drop the moves of a kind that are not wanted, by level and move."""
        for (own, level), moves in self._moves.items():
            kept = [edge for edge in moves if own != kind or is_wanted(level, edge)]
            if len(kept) < len(moves):
                moves[:] = kept
                self.version += 1

    def boards(self, kind: Kind, level: int) -> list[int]:
        """The boards that the moves of a level lead to."""
        return [after for _, after in self._moves.get((kind, level), [])]

    def all_boards(self, kind: Kind) -> list[int]:
        """The boards that the moves of all levels lead to."""
        levels = sorted(level for own, level in self._moves if own == kind)
        return [board for level in levels for board in self.boards(kind, level)]

    def num_levels(self, kind: Kind, most: int) -> int:
        """How many levels from the first on have examples, at most so many."""
        number = 0
        while number < most and self._moves.get((kind, number + 1)):
            number += 1
        return number


def depth(boards_left: int) -> int:
    """Full moves to the end, where so many boards are left of a game, this one counted."""
    return boards_left // 2


def moves_with_depth(boards: list[int]) -> Iterator[tuple[int, Edge]]:
    """The moves of a game in order, each with the depth of the board it starts from."""
    for number in range(len(boards) - 1):
        yield depth(len(boards) - number), (boards[number], boards[number + 1])
