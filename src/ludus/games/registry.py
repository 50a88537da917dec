"""The games by name, and what makes one of its spec."""

import dataclasses
from typing import TYPE_CHECKING, Any, Literal, overload

from ludus.core.errors import BadSpec, quote
from ludus.core.game import AnyGame, Game
from ludus.core.spec import Registry, apply_options, check_choice, parse_options, parse_spec

if TYPE_CHECKING:
    from ludus.games.backgammon import Backgammon
    from ludus.games.hexapawn import Hexapawn
    from ludus.games.nine_mens_morris import NineMensMorris
    from ludus.games.noughts_and_crosses import NoughtsAndCrosses

    # What type checkers can tell apart: each game with its presets.
    NineMensMorrisSpec = Literal[
        "nine_mens_morris",
        "nine_mens_morris:standard",
        "nine_mens_morris:threefold",
        "nine_mens_morris:vrajitoru",
        "nine_mens_morris:lasker",
        "nine_mens_morris:morabaraba",
    ]
    BackgammonSpec = Literal[
        "backgammon",
        "backgammon:standard",
        "backgammon:hyper",
        "backgammon:hypergammon",
        "backgammon:money",
        "backgammon:tournament",
    ]
    NoughtsAndCrossesSpec = Literal["noughts_and_crosses", "noughts_and_crosses:standard"]
    HexapawnSpec = Literal[
        "hexapawn",
        "hexapawn:standard",
        "hexapawn:four",
        "hexapawn:five",
        "hexapawn:migo",
        "hexapawn:gardner",
    ]

GAMES: Registry[type[AnyGame]] = Registry(
    "game",
    {
        "nine_mens_morris": "ludus.games.nine_mens_morris:NineMensMorris",
        "backgammon": "ludus.games.backgammon:Backgammon",
        "noughts_and_crosses": "ludus.games.noughts_and_crosses:NoughtsAndCrosses",
        "hexapawn": "ludus.games.hexapawn:Hexapawn",
    },
)
"""Games by name; a module is imported when its game is first used."""

ENGINES = ("native", "python")
"""Implementations of the rules: native where a game has one (the default), or Python."""


@overload
def game(
    spec: "NineMensMorrisSpec", rules: Any = "", engine: str = "native"
) -> "NineMensMorris": ...
@overload
def game(spec: "BackgammonSpec", rules: Any = "", engine: str = "native") -> "Backgammon": ...
@overload
def game(
    spec: "NoughtsAndCrossesSpec", rules: Any = "", engine: str = "native"
) -> "NoughtsAndCrosses": ...
@overload
def game(spec: "HexapawnSpec", rules: Any = "", engine: str = "native") -> "Hexapawn": ...
@overload
def game(spec: str, rules: Any = "", engine: str = "native") -> AnyGame: ...
def game(spec: str, rules: Any = "", engine: str = "native") -> AnyGame:
    """Return a game by its spec: a name, then a preset and options of its rules.

    The name is that of a registered game, or `module:Class`, which imports the module: a spec that
    was received goes to `registered_game`. `rules` may add a preset and options as text, or be the
    rules themselves.

    >>> game("nine_mens_morris:lasker,men=9").rules.men
    9
    >>> game("hexapawn", "size=4").rules.size
    4
    """
    check_choice("there is no engine", engine, ENGINES, BadSpec)
    parsed = parse_spec(spec)
    kind, own_flags = GAMES.find_class(parsed, Game)
    if dataclasses.is_dataclass(rules):
        return kind(rules, engine)
    more_flags, more_options = parse_options("" if rules is None else rules)
    flags, options = (*own_flags, *more_flags), {**parsed.options, **more_options}
    return kind(_parse_rules(kind, flags, options), engine)


def resolve_game(game_or_spec: AnyGame | str, rules: str = "") -> AnyGame:
    """Return a game from itself or from its spec, to which `rules` may add."""
    if isinstance(game_or_spec, str):
        return game(game_or_spec, rules)
    if rules:
        raise BadSpec("rules are given with the spec of a game, not with a game")
    return game_or_spec


def detect_game(game_or_spec: AnyGame | str, text: str, rules: str = "") -> AnyGame:
    """Return the game of a position's text, whose notation may imply the rules.

    >>> detect_game("backgammon", "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10").rules.match
    7
    """
    chosen = resolve_game(game_or_spec, rules)
    if not isinstance(game_or_spec, str) or rules or parse_spec(game_or_spec).has_options:
        return chosen
    return type(chosen)(chosen.detect_rules(text))


def registered_game(spec: str, rules: Any = "") -> AnyGame:
    """Return a game by a spec of a client or a file: its name must be a registered one."""
    check_choice("there is no game", parse_spec(spec).name, list(GAMES))
    return game(spec, rules)


def _parse_rules(kind: type[AnyGame], flags: tuple[str, ...], options: dict[str, str]) -> Any:
    preset = next(iter(kind.presets))
    if len(flags) > 1:
        raise BadSpec(f"{kind.id} takes one preset, not {quote(', '.join(flags))}")
    if flags:
        preset = kind.preset_aliases.get(flags[0], flags[0])
        check_choice(f"{kind.id} has no preset", preset, kind.presets, BadSpec)
    return apply_options(kind.presets[preset], options, kind.id)
