"""The players by name, and what makes one of its spec."""

from typing import overload

from ludus.core.errors import BadSpec, UnknownName, quote
from ludus.core.game import AnyGame, Game, M, P
from ludus.core.player import Player
from ludus.core.spec import Registry, Spec, apply_options, parse_spec
from ludus.games import GAMES, resolve_game

PLAYERS: Registry[type[Player]] = Registry(
    "player",
    {
        "random": "ludus.players.random_play:RandomPlayer",
        "playouts": "ludus.players.monte_carlo:PlayoutPlayer",
        "newbie": "ludus.players.morris_heuristics:NewbiePlayer",
        "basic": "ludus.players.morris_heuristics:BasicPlayer",
        "focused": "ludus.players.morris_heuristics:FocusedPlayer",
        "negascout": "ludus.players.negascout:NegascoutPlayer",
        "perfect": "ludus.players.perfect:PerfectPlayer",
        "tool": "ludus.players.backgammon_heuristics:ToolPlayer",
    },
    {"dqn": "deepq"},
)
"""All players by name; `ludus/__init__.py` adds those of the packages above this one."""


def find_player_class(spec: Spec) -> tuple[type[Player], list[str]]:
    """Return the class of a player and the other flags of its spec; see `Registry.find_class`."""
    return PLAYERS.find_class(spec, Player)


@overload
def player(spec: str, game: Game[P, M]) -> Player[P, M]: ...
@overload
def player(spec: str, game: str) -> Player: ...
def player(spec: str, game: AnyGame | str) -> Player:
    """Create the player that a spec string names, for this game or the game that a spec names.

    The name is that of a registered player, or `module:Class`.

    >>> player("playouts:games=50", "hexapawn").settings.games
    50
    """
    game = resolve_game(game)
    parsed = parse_spec(spec)
    kind, flags = find_player_class(parsed)
    if not kind.can_play(type(game)):
        known = ", ".join(name for name in GAMES if kind.can_play(GAMES[name]))
        raise BadSpec(f"{parsed.name} does not play {game.id}; it plays {known}")
    options = dict(parsed.options)
    # The name of a player's main option may be omitted: `external:CMD` is `external:cmd=CMD`.
    if flags and (main := getattr(kind, "main_option", "")) and main not in options:
        options[main] = flags.pop(0)
    if flags:
        raise BadSpec(f"{quote(flags[0])} in {quote(spec)} is not key=value")
    settings = kind.options
    if options and settings is None:
        raise UnknownName(f"{parsed.name} has no options")
    if settings is not None:
        settings = apply_options(settings, options, parsed.name)
    return kind(game, settings, spec)
