"""The games, each behind the one contract of `ludus.core.game`."""

import dataclasses
from typing import Any

from ludus.core.errors import BadSpec, quoted
from ludus.core.game import AnyGame
from ludus.core.registry import Registry
from ludus.core.spec import parse_options, parse_spec, suggestion, with_options

GAMES: Registry[type[AnyGame]] = Registry(
    "game",
    {
        "nine_mens_morris": "ludus.games.nine_mens_morris:NineMensMorris",
        "backgammon": "ludus.games.backgammon:Backgammon",
        "noughts_and_crosses": "ludus.games.noughts_and_crosses:NoughtsAndCrosses",
        "hexapawn": "ludus.games.hexapawn:Hexapawn",
    },
)

ENGINES = ("native", "python")
"""Where a game has a compiled twin it is used, unless the readable Python is asked for."""


def game(spec: str, rules: Any = "", engine: str = "native") -> AnyGame:
    """A game by its spec: a name, then a preset and options of its rules.

    `rules` may add a preset and options as text, or be the rules themselves.

    >>> game("nine_mens_morris:lasker,men=9").rules.men
    9
    >>> game("hexapawn", "size=4").rules.size
    4
    """
    if engine not in ENGINES:
        raise BadSpec(f"there is no engine {quoted(engine)}{suggestion(engine, ENGINES)}")
    parsed = parse_spec(spec)
    kind = GAMES[parsed.name]
    if dataclasses.is_dataclass(rules):
        return kind(rules, engine)
    more_words, more_options = parse_options(rules)
    words, options = (*parsed.words, *more_words), {**parsed.options, **more_options}
    return kind(_rules(kind, words, options), engine)


def _rules(kind: type[AnyGame], words: tuple[str, ...], options: dict[str, str]) -> Any:
    preset = next(iter(kind.presets))
    if len(words) > 1:
        raise BadSpec(f"{kind.id} takes one preset, not {quoted(', '.join(words))}")
    if words:
        preset = words[0]
        if preset not in kind.presets:
            hint = suggestion(preset, kind.presets)
            raise BadSpec(f"{kind.id} has no preset {quoted(preset)}{hint}")
    return with_options(kind.presets[preset], options, kind.id)
