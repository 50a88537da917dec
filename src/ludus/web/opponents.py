"""Available players of a game, described for users, with human names and measured strengths.

Players are taken from the registry, so new players appear automatically. Which of them can play is
found in a worker process.
"""

import tomllib
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, TypeAdapter

from ludus.core.errors import LudusError
from ludus.core.game import AnyGame
from ludus.core.player import Player
from ludus.core.spec import add_options
from ludus.core.statistics import Proportion
from ludus.players import PLAYERS, player
from ludus.web.schemas.catalogue import OpponentView, PersonaView
from ludus.web.worker_cache import load_game

PERFECT = "perfect"
"""The player that needs the solved game to deserve its name."""


MEASURED_AS = {
    "backgammon:tournament": "backgammon:money",
    "nine_mens_morris:threefold": "nine_mens_morris",
}
"""Rules whose strengths are those of others: with the cube, in single games and in matches; and
whichever repetition is the draw."""


MAX_MARGIN_OF_POINTS = 2.0
"""A mean of points that is less certain says nothing: a few games had a cube of thousands."""


@dataclass(frozen=True, slots=True)
class Persona:
    """A human name and a sentence for a player with given options."""

    name: str
    player: str
    text: str
    proved: str = ""
    """A further sentence, which holds with some rules only."""
    proved_rules: tuple[str, ...] = ()
    """The presets with which it holds."""
    level: int | None = None
    choices: Mapping[str, str] = field(default_factory=dict)
    rules: str = ""
    """The only rules with which it is offered; empty for all."""


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


class Strength(BaseModel):
    """A measured strength: a rating, games won against a player, or values kept."""

    measure: bool = False
    """Whether others are measured against this player."""

    follows: bool = False
    """Whether the player adapts to its opponent."""

    elo: int | None = None
    margin: int | None = None
    won: int = 0
    games: int = 0
    against: str = ""
    points: float | None = None
    """Mean points of a game with the cube, for the player; `margin_of_points` is that of 95%."""
    margin_of_points: float = 0.0
    kept: int = 0
    critical: int = 0


@cache
def load_strengths() -> dict[str, dict[str, Strength]]:
    """Load measured strengths by game and spec; docs/page.md describes the measurement."""
    text = files(__package__).joinpath("strengths.json").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, dict[str, Strength]]).validate_json(text)


def find_strength(game: AnyGame, spec: str) -> Strength | None:
    """Return the strength of a player under these rules, else under the game's first ones."""
    return _find_strengths(game).get(spec)


def _find_strengths(game: AnyGame) -> dict[str, Strength]:
    by_game = load_strengths()
    nearest = by_game.get(game.id, {})
    return by_game.get(_name_measured(game) or game.id, nearest)


def _name_measured(game: AnyGame) -> str | None:
    """Return the key in strengths.json of measurements that hold for these rules; None if none."""
    preset = next((name for name, rules in game.presets.items() if rules == game.rules), "")
    key = game.id if preset == next(iter(game.presets)) else f"{game.id}:{preset}"
    key = MEASURED_AS.get(key, key)
    return key if key in load_strengths() else None


def list_opponents(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return the players that can play this game under these rules on this machine."""
    game = load_game(job["game"], job["rules"])
    offers = [
        _describe_opponent(name, PLAYERS[name], game)
        for name in PLAYERS
        if _can_play(name, game) or any(_can_play(each, game) for each in _list_personas(name))
    ]
    offers.sort(key=lambda offer: _strength_rank(game, offer.name))
    if (own := job.get("own_player")) and _can_play(own, game):
        offers.append(_describe_own_player(own))
    return {"players": [offer.model_dump() for offer in offers]}


def _list_personas(name: str) -> list[str]:
    """Return the specs of a player that have human names."""
    named = (each for each in load_personas() if each.player == name)
    return [add_options(name, each.choices) for each in named]


def _can_play(spec: str, game: AnyGame) -> bool:
    """Return whether this installation has what a player needs, and these rules let it play."""
    try:
        kind = PLAYERS[spec.partition(":")[0]]
        if not kind.can_play(type(game)):
            return False
        player(add_options(spec, kind.page_options), game).check_start(game.start())
    except Exception:  # players are third-party code
        return False
    return True


def _strength_rank(game: AnyGame, name: str) -> tuple[bool, float]:
    """Sort key: weakest first, players without measurement last."""
    share = _strength_share(game, find_strength(game, name))
    return share is None, share or 0.0


def _describe_opponent(name: str, kind: type[Player], game: AnyGame) -> OpponentView:
    """Return a player with the options on offer: a level, and options with few values."""
    defaults = kind.options
    hints = {} if defaults is None else typing.get_type_hints(type(defaults))
    choices: dict[str, list[str]] = {}
    for option, hint in hints.items():
        if typing.get_origin(hint) is Literal and option not in kind.page_options:
            choices[option] = [str(value) for value in typing.get_args(hint)]
    levels = defaults.level if hints.get("level") is int else None
    numbers = range(1, (levels or 0) + 1)
    specs = [name if level == levels else f"{name}:level={level}" for level in numbers]
    return OpponentView(
        name=name,
        title=kind.title,
        levels=levels,
        choices=choices,
        strength=describe_strength(game, name),
        strengths=[describe_strength(game, spec) for spec in specs],
        personas=[
            _describe_persona(game, persona, levels)
            for persona in load_personas()
            if persona.player == name
            and _can_play(add_options(name, persona.choices), game)
            and (not persona.rules or game.rules == game.presets.get(persona.rules))
            and (name != PERFECT or _is_solved(game))
        ],
    )


def _describe_own_player(spec: str) -> OpponentView:
    """Return the player that the owner of the server has named, by its spec."""
    strength = "not measured"
    persona = PersonaView(
        name="Yours", text=spec, level=None, choices={}, strength=strength, bar=None, rank=2.0
    )
    title = PLAYERS[spec.partition(":")[0]].title
    return OpponentView(
        name=spec,
        title=title,
        levels=None,
        choices={},
        strength=strength,
        strengths=[],
        personas=[persona],
    )


def _is_solved(game: AnyGame) -> bool:
    """Return whether the whole game is solved on this machine."""
    try:
        player(PERFECT, game).check_start(game.start())
    except LudusError:
        return False
    return True


def _describe_persona(game: AnyGame, persona: Persona, levels: int | None) -> PersonaView:
    """Return a persona with its strength: a sentence, a bar of 0 to 1, and a rank among all."""
    # Strengths are stored under the shortest spec.
    level = {} if persona.level in (None, levels) else {"level": str(persona.level)}
    spec = add_options(persona.player, {**level, **persona.choices})
    measured = find_strength(game, spec)
    is_perfect = persona.player == PERFECT
    strength = "never makes a mistake" if is_perfect else describe_strength(game, spec)
    share = 1.0 if is_perfect else _strength_share(game, measured)
    is_known = is_perfect or _name_measured(game) is not None
    return PersonaView(
        name=persona.name,
        text=f"{persona.text} {persona.proved}" if _is_proved(persona, game) else persona.text,
        level=persona.level,
        choices=dict(persona.choices),
        strength=strength,
        bar=share if is_known else None,
        rank=_rank_persona(measured, share, is_perfect),
    )


def _rank_persona(measured: Strength | None, share: float | None, is_perfect: bool) -> float:
    """Return a sort key: adaptive players come first, perfect players last."""
    if measured is not None and measured.follows:
        return -1.0
    return 3.0 if is_perfect else 2.0 if share is None else share


def _strength_share(game: AnyGame, measured: Strength | None) -> float | None:
    """Return a measured strength on a scale from 0 to 1; None if it is not measured."""
    if measured is None:
        return None
    if measured.elo is not None:
        ratings = _find_strengths(game).values()
        best = max(rating.elo for rating in ratings if rating.elo is not None)
        return round(measured.elo / best, 3)
    if measured.points is not None:
        # GNU Backgammon, which wins every second game against itself, fills the bar.
        return round(min(2 * measured.won / measured.games, 1.0), 3)
    if measured.games:
        return round(measured.won / measured.games, 3)
    if measured.critical:
        return round(measured.kept / measured.critical, 3)
    if not measured.measure:
        return None
    others = _find_strengths(game).values()
    return 1.0 if any(each.points is not None for each in others) else 0.5


def _is_proved(persona: Persona, game: AnyGame) -> bool:
    return any(game.rules == game.presets.get(name) for name in persona.proved_rules)


def describe_strength(game: AnyGame, spec: str) -> str:
    """Return the measured strength of a player in one line."""
    measured = find_strength(game, spec)
    if measured is None or _name_measured(game) is None:
        return "not measured"
    return _describe_measured(measured)


def _describe_measured(measured: Strength) -> str:
    if measured.follows:
        return "about as strong as its opponent"
    if measured.measure:
        return "the player against which others are measured"
    if measured.elo is not None:
        return f"Elo {measured.elo} ± {measured.margin}, where random play has 0"
    if measured.games:
        won = _percent_of(measured.won, measured.games)
        text = f"won {won} games against {measured.against}"
        if measured.points is None:
            return text
        if measured.margin_of_points > MAX_MARGIN_OF_POINTS:
            return f"{text}, with the cube"
        points = f"{measured.points:+.2f}".replace("-", "−")
        return f"{text}, with the cube: {points} ± {measured.margin_of_points:.2f} points a game"
    lost = _percent_of(measured.critical - measured.kept, measured.critical)
    return f"makes a mistake in {lost} positions where one is possible"


def _percent_of(part: int, whole: int) -> str:
    """Format a proportion with its 95% margin: `56% ± 7% of 200`; the margin is never zero."""
    proportion = Proportion(part, whole)
    return f"{proportion.value:.0%} ± {max(proportion.margin, 0.01):.0%} of {whole}"
