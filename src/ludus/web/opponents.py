"""Everybody who plays a game, described for people. Worked out in a worker process.

Players are found in the registry, so one that is added there appears by itself.
"""

import json
import math
import typing
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from ludus.core.game import AnyGame
from ludus.core.player import Player
from ludus.players import PLAYERS, player
from ludus.web.positions import game_of


def opponents(job: Mapping[str, Any]) -> dict[str, Any]:
    """Everybody who plays this game under these rules and can be made on this machine."""
    game = game_of(job["game"], job["rules"])
    found = []
    for name in PLAYERS:
        try:
            kind = PLAYERS[name]
            if kind.games is None or game.id in kind.games:
                player(name, game)
                found.append({"name": name, "title": kind.title, **_offer(name, kind, game)})
        except Exception:
            # One that needs what this installation or these rules do not have is not offered.
            continue
    return {"players": sorted(found, key=lambda each: _rank(game, each["name"]))}


def _rank(game: AnyGame, name: str) -> tuple[bool, float]:
    """The weakest first, and at the end those that nobody has measured."""
    found = _measured().get(game.id, {}).get(name, {})
    if "elo" in found:
        return False, found["elo"]
    if "won" in found:
        return False, found["won"] / found["games"]
    if "kept" in found:
        return False, found["kept"] / found["critical"]
    if "measure" in found:
        return False, 0.5
    return True, 0.0


def _offer(name: str, kind: type[Player], game: AnyGame) -> dict[str, Any]:
    """What may be chosen: a level, and options that are one of a few words."""
    defaults = kind.options
    hints = {} if defaults is None else typing.get_type_hints(type(defaults))
    choices: dict[str, list[str]] = {}
    for option, hint in hints.items():
        if typing.get_origin(hint) is Literal:
            choices[option] = [str(value) for value in typing.get_args(hint)]
    levels = defaults.level if hints.get("level") is int else None
    specs = [name if level == levels else f"{name}:level={level}" for level in _levels(levels)]
    return {
        "levels": levels,
        "choices": choices,
        "strength": strength(game, name),
        "strengths": [strength(game, spec) for spec in specs],
    }


def _levels(highest: int | None) -> range:
    return range(1, (highest or 0) + 1)


@cache
def _measured() -> dict[str, dict[str, dict[str, Any]]]:
    """Game, then spec, to what was measured; docs/page.md says how."""
    text = files(__package__).joinpath("strengths.json").read_text(encoding="utf-8")
    measured: dict[str, dict[str, dict[str, Any]]] = json.loads(text)
    return measured


def strength(game: AnyGame, spec: str) -> str:
    """How good a player is, in one honest line."""
    is_standard = game.rules == next(iter(game.presets.values()))
    found = _measured().get(game.id, {}).get(spec) if is_standard else None
    if found is None:
        return "not measured"
    if "follows" in found:
        return "about as strong as whoever it plays"
    if "measure" in found:
        return "the one against whom the others are measured"
    if "elo" in found:
        return f"Elo {found['elo']} ± {found['margin']}, where chance has 0"
    if "won" in found:
        return f"won {_share(found['won'], found['games'])} games against {found['against']}"
    lost = found["critical"] - found["kept"]
    return f"errs in {_share(lost, found['critical'])} positions where one can"


def _share(part: int, whole: int) -> str:
    """A share with how sure it is: `56% ± 7% of 200`; nothing is called certain."""
    share = part / whole
    # Half a case is added on either side, so that none and all have a margin as well.
    likely = (part + 0.5) / (whole + 1)
    margin = 1.96 * math.sqrt(likely * (1 - likely) / whole)
    return f"{share:.0%} ± {max(margin, 0.01):.0%} of {whole}"
