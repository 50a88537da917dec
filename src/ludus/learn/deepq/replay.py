"""What was experienced, to be learned from again and again."""

import random
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Experience:
    """One move of the learner and what came of it."""

    state: list[float]
    action: int
    reward: float

    after: list[float] | None
    """The learner's next position; None where the game was over."""


class Replay:
    """The latest experiences, as many as there is room for."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.items: list[Experience] = []
        self._next = 0

    def __len__(self) -> int:
        return len(self.items)

    def add(self, item: Experience) -> None:
        """Keep an experience; the oldest one makes room for it."""
        if len(self.items) < self.room:
            self.items.append(item)
        else:
            self.items[self._next] = item
            self._next = (self._next + 1) % self.room

    def sample(self, number: int, source: random.Random) -> list[Experience]:
        """So many different experiences."""
        return source.sample(self.items, number)

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """All experiences, oldest first, for a file."""
        items = self.items[self._next :] + self.items[: self._next]
        width = len(items[0].state) if items else 0
        return {
            "replay_states": _rows([item.state for item in items], width),
            "replay_after": _rows([item.after or [np.nan] * width for item in items], width),
            "replay_facts": _rows([[item.action, item.reward] for item in items], 2),
        }

    def restore(self, arrays: dict[str, NDArray[np.float32]]) -> None:
        """Take up what `arrays` has given; ValueError or KeyError if it is not that."""
        rows = zip(
            arrays["replay_states"].tolist(),
            arrays["replay_after"].tolist(),
            arrays["replay_facts"].tolist(),
            strict=True,
        )
        self.items = [
            Experience(state, int(action), reward, None if after[0] != after[0] else after)
            for state, after, (action, reward) in rows
        ]
        self._next = 0


def _rows(rows: list[list[float]], width: int) -> NDArray[np.float32]:
    return np.array(rows, dtype=np.float32).reshape(len(rows), width)
