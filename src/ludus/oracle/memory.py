"""Small games, solved in memory when they are asked about."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from ludus.core.game import CHANCE, AnyGame
from ludus.oracle.oracle import Oracle, Unsolved, Value, WrongRules, value_of_end

MAX_POSITIONS = 100_000
"""So many positions are solved for one question, which takes a few seconds."""


class MemoryOracle(Oracle):
    """Any game without dice of which few enough positions can follow the one asked about.

    All of them are found and solved backwards from the ends of the game, so going round in
    circles, where a game allows it, is a draw. Whatever was solved is kept.
    """

    def __init__(self, game: AnyGame, max_positions: int = MAX_POSITIONS) -> None:
        self.game = game
        self.max_positions = max_positions
        self._values: dict[Any, Value] = {}
        self._too_early: set[Any] = set()

    @property
    def extent(self) -> str:
        return f"where at most {self.max_positions:,} positions can follow"

    def knows(self, position: Any) -> bool:
        try:
            self.value(position)
        except Unsolved:
            return False
        return True

    def recall(self, position: Any) -> Value | None:
        return self._values.get(position)

    def values(self, positions: Sequence[Any]) -> list[Value]:
        for position in positions:
            if position not in self._values:
                self._check(position)
                self._solve(position)
        return [self._values[position] for position in positions]

    def _check(self, position: Any) -> None:
        if getattr(position, "rules", self.game.rules) != self.game.rules:
            raise WrongRules(
                f"{position} has other rules than the {self.game.id} that is solved here"
            )

    def _solve(self, position: Any) -> None:
        if position in self._too_early:
            raise self._too_many(position)
        positions, replies = self._explore(position)
        known = [
            None if after else self._values.get(place) or value_of_end(place)
            for place, after in zip(positions, replies, strict=True)
        ]
        solved = solve_backwards(replies, known)
        self._values.update(zip(positions, solved, strict=True))

    def _explore(self, position: Any) -> tuple[list[Any], list[list[int]]]:
        """All positions that can follow, and for each one those that its moves lead to."""
        positions, numbers = [position], {position: 0}
        replies: list[list[int]] = []
        for place in positions:  # which grows on the way
            if place.mover == CHANCE:
                raise Unsolved(f"{self.game.id} has dice, and games with dice are not solved here")
            moves = [] if place in self._values else place.legal_moves()
            after = [place.play(move) for move in moves]
            for reached in after:
                if reached not in numbers:
                    numbers[reached] = len(positions)
                    positions.append(reached)
            replies.append([numbers[reached] for reached in after])
            if len(positions) > self.max_positions:
                self._too_early.add(position)
                raise self._too_many(position)
        return positions, replies

    def _too_many(self, position: Any) -> Unsolved:
        return Unsolved(
            f"more than {self.max_positions:,} positions of {self.game.id} can follow {position}, "
            "too many to solve in memory; ask again later in the game"
        )


def solve_backwards(replies: Sequence[Sequence[int]], known: Sequence[Value | None]) -> list[Value]:
    """The value of every position, by its number, from those that are known.

    `replies` tells the positions that the moves of each one lead to. Every position without
    moves must be known. Those that can be neither won nor lost are draws.
    """
    values = list(known)
    earlier: list[list[int]] = [[] for _ in replies]
    for number, after in enumerate(replies):
        for reached in after:
            earlier[reached].append(number)
    # A position is lost when the last of its moves turns out to lose; by going up in depth, that
    # move is the one that resists longest, and the first one that wins is the quickest.
    untried = [len(after) for after in replies]
    by_depth: defaultdict[int, list[int]] = defaultdict(list)
    for number, value in enumerate(known):
        if value is not None and value.depth is not None:
            by_depth[value.depth].append(number)
    while by_depth:
        depth = min(by_depth)
        # Nothing is added to this depth any more: what follows from it is one ply deeper.
        for number in by_depth.pop(depth):
            value = values[number]
            for before in earlier[number]:
                untried[before] -= 1
                is_won = value is not None and value.result == "loss"
                if values[before] is None and (is_won or untried[before] == 0):
                    values[before] = Value("win" if is_won else "loss", depth + 1)
                    by_depth[depth + 1].append(before)
    return [value or Value("draw") for value in values]
