"""Tabular Q-learning, with the parameters of Muggleton and Hocquette (2019).

They took them from an implementation that hopes: a move that was never played is worth as much as
a win, so that everything is tried, and there is no other exploration.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from ludus.core.errors import BadSpec
from ludus.learn.lessons import Opponent, Played, play_game
from ludus.learn.tabular.rows import Row
from ludus.learn.tabular.table import TableLearner

REWARDS = (0.5, 1.0, -1.0)
"""For a game that was drawn, won and lost: by its score."""


@dataclass(frozen=True, slots=True)
class Options:
    """What is learned from a move."""

    alpha: float = 0.3
    """How far a value is moved towards what followed."""

    gamma: float = 0.9
    """What the value of the next position counts."""

    epsilon: float = 0.0
    """How often a move is made at random."""

    initial: float = 1.0
    """What a move is worth before it was played."""

    end: float = 0.0
    """What the position in which a game has ended is worth, beyond the reward. The implementation
    that the paper names has 1 there: no move was ever played in it."""

    def __post_init__(self) -> None:
        for name in ("alpha", "gamma", "epsilon"):
            if not 0 <= getattr(self, name) <= 1:
                raise BadSpec(f"qlearning {name}={getattr(self, name)} must be from 0 to 1")
        for name in ("initial", "end"):
            if not abs(getattr(self, name)) <= 1000:
                value = getattr(self, name)
                raise BadSpec(f"qlearning {name}={value} must be from -1000 to 1000")


class QLearning(TableLearner):
    """Plays the move that is worth most, any of them if there are several."""

    options: ClassVar[Options] = Options()
    system = "qlearning"

    def play_and_learn(self, start: Any, opponent: Opponent) -> Played:
        last: tuple[Row, str] | None = None

        def choose(position: Any) -> Any:
            nonlocal last
            row, names = self._row(position)
            if last is not None:
                self._learn(*last, self.settings.gamma * max(row.values()))
            move = self._choose(row, names)
            last = row, names[move]
            return move

        played = play_game(start, choose, opponent)
        if last is not None:
            self._learn(*last, REWARDS[played.score] + self.settings.gamma * self.settings.end)
        return played

    def _row(self, position: Any) -> tuple[Row, dict[Any, str]]:
        key, names = self.places.find(position)
        if key not in self.table:
            self.table[key] = dict.fromkeys(names.values(), self.settings.initial)
        return self.table[key], names

    def _choose(self, row: Row, names: dict[Any, str]) -> Any:
        if self.settings.epsilon and self.random.random() < self.settings.epsilon:
            return self.random.choice(list(names))
        most = max(row.values())
        return self.random.choice([move for move, name in names.items() if row[name] == most])

    def _learn(self, row: Row, move: str, worth: float) -> None:
        row[move] += self.settings.alpha * (worth - row[move])
