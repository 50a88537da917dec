"""Who sits at a board: people, and players with what may be chosen about them.

A request names a player and its level; the spec string is made here. So no option that costs
memory, threads or a file name can come from a request.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ludus.core.errors import quoted
from ludus.core.spec import suggestion
from ludus.web.errors import Refused

Offers = Mapping[str, Mapping[str, Any]]
"""Players by name, as `ludus.web.opponents` describes them."""


@dataclass(frozen=True, slots=True)
class Seat:
    """One side's place at the board."""

    player: str | None = None
    """A player's name; None for a person."""

    level: int | None = None
    """How strong it plays, for players that have levels."""

    choices: tuple[tuple[str, str], ...] = ()
    """Further options, by name, out of the few that are offered."""

    @property
    def is_person(self) -> bool:
        return self.player is None

    @property
    def spec(self) -> str:
        """The player's spec string."""
        assert self.player is not None
        options = dict(self.choices)
        if self.level is not None:
            options["level"] = str(self.level)
        written = ",".join(f"{name}={value}" for name, value in options.items())
        return f"{self.player}:{written}" if written else self.player

    @property
    def title(self) -> str:
        """What people read."""
        if self.player is None:
            return "person"
        level = "" if self.level is None else f", level {self.level}"
        return f"{self.player}{level}"

    def check(self, offers: Offers) -> "Seat":
        """This seat, or an error if nobody can take it."""
        if self.player is None:
            return Seat()
        offer = offers.get(self.player)
        if offer is None:
            hint = suggestion(self.player, offers)
            raise Refused(f"there is no player {quoted(self.player)} for this game{hint}")
        if self.level is not None and not 1 <= self.level <= (offer["levels"] or 0):
            raise Refused(f"{self.player} has no level {self.level}")
        for name, value in self.choices:
            if value not in offer["choices"].get(name, ()):
                raise Refused(f"{self.player} has no {quoted(name)} {quoted(value)}")
        return self

    def as_json(self) -> dict[str, Any]:
        return {"player": self.player, "level": self.level, "choices": dict(self.choices)}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> "Seat":
        choices = tuple(sorted(found["choices"].items()))
        return cls(found["player"], found["level"], choices)
