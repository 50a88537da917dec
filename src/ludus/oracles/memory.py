"""Small games, solved in memory on demand."""

from collections import defaultdict
from collections.abc import Sequence

from ludus.core.game import CHANCE, AnyGame, Position
from ludus.oracles.interface import Oracle, Unsolved, Value, WrongRules, evaluate_end

MAX_POSITIONS = 100_000
"""Maximum number of positions solved for one request, which takes a few seconds."""


MAX_CACHED_POSITIONS = 500_000
"""Number of values beyond which all are forgotten before more are computed."""

MAX_TOO_LARGE = 10_000
"""Likewise for positions that too many can follow."""


class MemoryOracle(Oracle):
    """Oracle of any game without dice in which few enough positions can follow the given one.

    All of them are generated and solved by retrograde analysis from the ends of the game, so
    cycles, where a game allows them, are draws. Solved values are cached.
    """

    def __init__(self, game: AnyGame, max_positions: int = MAX_POSITIONS) -> None:
        self.game = game
        self.max_positions = max_positions
        self._values: dict[Position, Value] = {}
        self._too_large: set[Position] = set()

    @property
    def coverage(self) -> str:
        return f"where at most {self.max_positions:,} positions can follow"

    def has_value(self, position: Position) -> bool:
        try:
            self.value(position)
        except Unsolved:
            return False
        return True

    def value_if_known(self, position: Position) -> Value | None:
        return self._values.get(position)

    def values(self, positions: Sequence[Position]) -> list[Value]:
        found = []
        for position in positions:
            if position not in self._values:
                self._check(position)
                self._solve(position)
            found.append(self._values[position])
        return found

    def _check(self, position: Position) -> None:
        if getattr(position, "rules", self.game.rules) != self.game.rules:
            raise WrongRules(
                f"{position} has other rules than the {self.game.id} that is solved here"
            )

    def _solve(self, position: Position) -> None:
        if position in self._too_large:
            raise self._too_many(position)
        if len(self._values) > MAX_CACHED_POSITIONS:
            self._values.clear()
        positions, replies = self._explore(position)
        known = [
            None if after else self._values.get(place) or evaluate_end(place)
            for place, after in zip(positions, replies, strict=True)
        ]
        solved = solve_backwards(replies, known)
        self._values.update(zip(positions, solved, strict=True))

    def _explore(self, position: Position) -> tuple[list[Position], list[list[int]]]:
        """Return all positions that can follow, and for each one the indices of its successors."""
        positions, numbers = [position], {position: 0}
        replies: list[list[int]] = []
        for place in positions:  # the list grows meanwhile
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
                if len(self._too_large) >= MAX_TOO_LARGE:
                    self._too_large.clear()
                self._too_large.add(position)
                raise self._too_many(position)
        return positions, replies

    def _too_many(self, position: Position) -> Unsolved:
        return Unsolved(
            f"more than {self.max_positions:,} positions of {self.game.id} can follow {position}, "
            "too many to solve in memory; ask again later in the game"
        )


def solve_backwards(replies: Sequence[Sequence[int]], known: Sequence[Value | None]) -> list[Value]:
    """Return the value of every position, by index, from the known ones.

    `replies` are the indices of each position's successors. Every position without moves must be
    known. Positions that can be neither won nor lost are draws.
    """
    values = list(known)
    earlier: list[list[int]] = [[] for _ in replies]
    for number, after in enumerate(replies):
        for reached in after:
            earlier[reached].append(number)
    # A position is lost when the last of its moves is found to lose; since depths are processed in
    # rising order, that move resists longest, and the first move found to win is the quickest.
    untried = [len(after) for after in replies]
    by_depth: defaultdict[int, list[int]] = defaultdict(list)
    for number, value in enumerate(known):
        if value is not None and value.depth is not None:
            by_depth[value.depth].append(number)
    while by_depth:
        depth = min(by_depth)
        # This depth is complete: its consequences are one ply deeper.
        for number in by_depth.pop(depth):
            value = values[number]
            for before in earlier[number]:
                untried[before] -= 1
                is_won = value is not None and value.result == "loss"
                if values[before] is None and (is_won or untried[before] == 0):
                    values[before] = Value("win" if is_won else "loss", depth + 1)
                    by_depth[depth + 1].append(before)
    return [value or Value("draw") for value in values]
