"""Available players of a game, described for users; runs in a worker process.

Players are taken from the registry, so new players appear automatically.
"""

import json
import typing
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from ludus.core.game import AnyGame
from ludus.core.player import Player
from ludus.core.spec import add_options
from ludus.core.statistics import Proportion
from ludus.players import PLAYERS, player
from ludus.web.worker_cache import load_game


def list_opponents(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return the players that can play this game under these rules on this machine."""
    game = load_game(job["game"], job["rules"])
    offers = []
    for name in PLAYERS:
        try:
            kind = PLAYERS[name]
            if kind.can_play(type(game)):
                player(add_options(name, kind.page_options), game).check_start(game.start())
                offers.append(
                    {"name": name, "title": kind.title, **_describe_choices(name, kind, game)}
                )
        except Exception:
            # A player whose requirements this installation or these rules lack is not offered.
            continue
    return {"players": sorted(offers, key=lambda offer: _strength_rank(game, offer["name"]))}


def _strength_rank(game: AnyGame, name: str) -> tuple[bool, float]:
    """Sort key: weakest first, players without measurement last."""
    measured = _load_strengths().get(game.id, {}).get(name, {})
    if "elo" in measured:
        return False, measured["elo"]
    if "won" in measured:
        return False, measured["won"] / measured["games"]
    if "kept" in measured:
        return False, measured["kept"] / measured["critical"]
    if "measure" in measured:
        return False, 0.5
    return True, 0.0


def _describe_choices(name: str, kind: type[Player], game: AnyGame) -> dict[str, Any]:
    """Return the options on offer: a level, and options with a fixed set of values."""
    defaults = kind.options
    hints = {} if defaults is None else typing.get_type_hints(type(defaults))
    choices: dict[str, list[str]] = {}
    for option, hint in hints.items():
        if typing.get_origin(hint) is Literal and option not in kind.page_options:
            choices[option] = [str(value) for value in typing.get_args(hint)]
    levels = defaults.level if hints.get("level") is int else None
    numbers = range(1, (levels or 0) + 1)
    specs = [name if level == levels else f"{name}:level={level}" for level in numbers]
    return {
        "levels": levels,
        "choices": choices,
        "strength": describe_strength(game, name),
        "strengths": [describe_strength(game, spec) for spec in specs],
    }


@cache
def _load_strengths() -> dict[str, dict[str, dict[str, Any]]]:
    """Load measured strengths by game and spec; docs/page.md describes the measurement."""
    text = files(__package__).joinpath("strengths.json").read_text(encoding="utf-8")
    strengths: dict[str, dict[str, dict[str, Any]]] = json.loads(text)
    return strengths


def describe_strength(game: AnyGame, spec: str) -> str:
    """Return the measured strength of a player in one line."""
    is_standard = game.rules == next(iter(game.presets.values()))
    measured = _load_strengths().get(game.id, {}).get(spec) if is_standard else None
    if measured is None:
        return "not measured"
    if "follows" in measured:
        return "about as strong as its opponent"
    if "measure" in measured:
        return "the player against which others are measured"
    if "elo" in measured:
        return f"Elo {measured['elo']} ± {measured['margin']}, where random play has 0"
    if "won" in measured:
        won = _percent_of(measured["won"], measured["games"])
        return f"won {won} games against {measured['against']}"
    lost = measured["critical"] - measured["kept"]
    return f"makes a mistake in {_percent_of(lost, measured['critical'])} critical positions"


def _percent_of(part: int, whole: int) -> str:
    """Format a proportion with its 95% margin: `56% ± 7% of 200`; the margin is never zero."""
    proportion = Proportion(part, whole)
    return f"{proportion.value:.0%} ± {max(proportion.margin, 0.01):.0%} of {whole}"
