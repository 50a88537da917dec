"""What players learn from game to game, by game, rules and player.

A spec string is all that is handed on: a player that has learned something names in `next_spec`
the spec with which it would go on. So it outlives the server, and nobody can send one.
"""

from dataclasses import dataclass, field
from typing import Any

from ludus.web.seats import Seat

MAX_LEARNED = 20
"""Players whose knowledge is handed on; what was learned first makes room."""


@dataclass(slots=True)
class Learning:
    """With which specs players began a game, and with which they would go on."""

    begun: dict[str, str] = field(default_factory=dict)
    ended: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """By spec, what players that want to know of results call themselves by now."""

    @classmethod
    def kept(cls, state: dict[str, Any]) -> "Learning":
        """As a kept game says it; one of an older version says nothing."""
        begun, ended = state.get("learned", ({}, {}))
        return cls(begun, ended)

    @property
    def handed_on(self) -> dict[str, str]:
        """For the next game."""
        return dict(list((self.begun | self.ended).items())[-MAX_LEARNED:])

    def spec(self, names: tuple[str, str], seat: Seat) -> str:
        """With which spec a player plays in this game."""
        return self.begun.get(_learner(names, seat), seat.spec)

    def note(self, names: tuple[str, str], seat: Seat, spec: str) -> None:
        """With which spec it would go on."""
        self.ended[_learner(names, seat)] = spec

    def title(self, seat: Seat) -> str:
        """Who plays, and how a player that changes from game to game calls itself now."""
        name = self.names.get("" if seat.is_person else seat.spec, "")
        state = name.partition(" ")[2]
        return f"{seat.title} {state}" if state else seat.title


def _learner(names: tuple[str, str], seat: Seat) -> str:
    return " ".join((*names, seat.spec))
