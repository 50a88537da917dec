"""Who plays each side, and the specs with which learning players start the next game."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ludus.core.errors import BadSpec, LudusError, quote
from ludus.core.spec import format_suggestion, parse_spec
from ludus.web.errors import RequestRefused
from ludus.web.opponents import find_persona_name
from ludus.web.schemas.catalogue import OpponentView
from ludus.web.schemas.requests import SeatRequest

OfferedPlayers = Mapping[str, OpponentView]
"""Players by name."""


class Seat(SeatRequest, frozen=True):
    """A person or a player for one side.

    A request names a player and its level; the spec string is built here, so that a request cannot
    set options that cost memory, threads or name a file.
    """

    @property
    def is_person(self) -> bool:
        return self.player is None

    @property
    def spec(self) -> str:
        """The player's spec string."""
        assert self.player is not None
        options = dict(sorted(self.choices.items()))
        if self.level is not None:
            options["level"] = str(self.level)
        text = ",".join(f"{name}={value}" for name, value in options.items())
        return f"{self.player}:{text}" if text else self.player

    @property
    def title(self) -> str:
        """Display name."""
        if self.player is None:
            return "person"
        level = "" if self.level is None else f", level {self.level}"
        return f"{self.player}{level}"

    @property
    def persona(self) -> str:
        """The human name of the player; empty for a person or if it has none."""
        return find_persona_name(self.player, self.level, self.choices)

    def check(self, offers: OfferedPlayers) -> "Seat":
        """Return this seat; raise RequestRefused if the player or an option is not offered."""
        if self.player is None:
            return Seat()
        offer = offers.get(self.player)
        if offer is None:
            hint = format_suggestion(self.player, offers)
            raise RequestRefused(f"there is no player {quote(self.player)} for this game{hint}")
        if self.level is not None and not 1 <= self.level <= (offer.levels or 0):
            raise RequestRefused(f"{self.player} has no level {self.level}")
        for name, value in self.choices.items():
            if value not in offer.choices.get(name, ()):
                raise RequestRefused(f"{self.player} has no {quote(name)} {quote(value)}")
        return self

    @classmethod
    def from_spec(cls, text: str, offers: OfferedPlayers) -> "Seat":
        """Return the seat of a player named in a record; a person if no such player is offered."""
        if text in offers:
            return cls(player=text)
        try:
            spec = parse_spec(text)
            options = {name: str(value) for name, value in spec.options.items()}
            level: Any = options.pop("level", None)
            return cls(player=spec.name, level=level, choices=options).check(offers)
        except (LudusError, ValueError):
            return cls()


MAX_LEARNED_SPECS = 20
"""Number of specs passed to the next game; the oldest are dropped."""


@dataclass(slots=True)
class LearnedSpecs:
    """What players learn from game to game, as specs by game, rules and player.

    A player that has learned names the spec for its next game in `next_spec`. Only spec strings are
    passed on, so learning survives a restart, and no request can supply one.
    """

    initial: dict[str, str] = field(default_factory=dict)
    final: dict[str, str] = field(default_factory=dict)
    display_names: dict[str, str] = field(default_factory=dict)
    """Current names, by spec, of players that receive results."""

    @property
    def for_next_game(self) -> dict[str, str]:
        """The specs for the next game."""
        return dict(list((self.initial | self.final).items())[-MAX_LEARNED_SPECS:])

    def spec(self, game_spec: tuple[str, str], seat: Seat) -> str:
        """Return the spec with which a player plays this game.

        Specs come from a file of games, so only a level of the same player is taken from them.
        """
        learned = self.initial.get(learner_key(game_spec, seat), seat.spec)
        with suppress(BadSpec):
            found = parse_spec(learned)
            changed = {
                key for key, _ in found.options.items() - parse_spec(seat.spec).options.items()
            }
            if found.name == seat.player and not found.flags and changed <= {"level"}:
                return learned
        return seat.spec

    def title(self, seat: Seat) -> str:
        """Return the display name, with the current state of a learning player."""
        name = self.display_names.get("" if seat.is_person else seat.spec, "")
        state = name.partition(" ")[2]
        return f"{seat.title} {state}" if state else seat.title


def learner_key(game_spec: tuple[str, str], seat: Seat) -> str:
    """Return what identifies a player that learns from game to game."""
    return " ".join((*game_spec, seat.spec))
