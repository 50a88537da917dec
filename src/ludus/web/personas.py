"""Opponents with human names: players of the registry, each with a level or options."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

PERFECT = "perfect"
"""The player that needs the solved game to deserve its name."""


@dataclass(frozen=True, slots=True)
class Persona:
    """A human name and a sentence for a player with given options."""

    name: str
    player: str
    text: str
    proved: str = ""
    """A further sentence, which holds with the usual rules only."""
    level: int | None = None
    choices: Mapping[str, str] = field(default_factory=dict)
    is_default: bool = False
    """Whether it is the opponent that is selected at first."""


@cache
def load_personas() -> tuple[Persona, ...]:
    """Return all personas."""
    text = files(__package__).joinpath("personas.toml").read_text(encoding="utf-8")
    return tuple(Persona(**each) for each in tomllib.loads(text)["persona"])


def find_persona_name(player: str | None, level: int | None, choices: Mapping[str, str]) -> str:
    """Return the human name of a player with these options; empty if it has none."""
    for persona in load_personas():
        if (persona.player, persona.level) == (player, level) and persona.choices == choices:
            return persona.name
    return ""
