"""Players and the registry that finds them by name."""

from ludus.core.errors import BadSpec, UnknownName, quote
from ludus.core.game import AnyGame
from ludus.core.player import Player
from ludus.core.spec import Registry, apply_options, parse_spec

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
        "gammon": "ludus.learn.gammon.player:GammonPlayer",
        "gnubg": "ludus.protocol.gnubg:GnubgPlayer",
        "bsd": "ludus.protocol.backgammon_players:BsdPlayer",
        "pubeval": "ludus.protocol.backgammon_players:PubevalPlayer",
        "external": "ludus.protocol.external:ExternalPlayer",
        "fuzzy": "ludus.learn.patterns.player:FuzzyPlayer",
        "adaptive": "ludus.learn.patterns.adaptive:AdaptivePlayer",
        "migo": "ludus.learn.migo.player:MigoPlayer",
        "menace": "ludus.learn.tabular.player:MenacePlayer",
        "her": "ludus.learn.tabular.player:HerPlayer",
        "qlearning": "ludus.learn.tabular.player:QLearningPlayer",
        "deepq": "ludus.learn.dqn.player:DqnPlayer",
        "nnmm": "ludus.learn.nnmm.player:NnmmPlayer",
        "hybrid": "ludus.learn.nnmm.player:HybridPlayer",
        "scholar": "ludus.learn.scholar.player:ScholarPlayer",
    },
)


def player(spec: str, game: AnyGame) -> Player:
    """Create the player that a spec string names, for this game.

    >>> from ludus.games import game
    >>> player("playouts:games=50", game("hexapawn")).settings.games
    50
    """
    parsed = parse_spec(spec)
    kind = PLAYERS[parsed.name]
    if kind.games is not None and game.id not in kind.games:
        raise BadSpec(f"{parsed.name} does not play {game.id}; it plays {', '.join(kind.games)}")
    options = dict(parsed.options)
    flags = list(parsed.flags)
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
