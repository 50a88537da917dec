"""Ways of choosing a move, one per file, found by name."""

from ludus.core.errors import BadSpec, UnknownName, quoted
from ludus.core.game import AnyGame
from ludus.core.player import Player
from ludus.core.registry import Registry
from ludus.core.spec import parse_spec, with_options

PLAYERS: Registry[type[Player]] = Registry(
    "player",
    {
        "random": "ludus.players.uniform:UniformPlayer",
        "playouts": "ludus.players.playouts:PlayoutPlayer",
        "newbie": "ludus.players.newbie:NewbiePlayer",
        "basic": "ludus.players.basic:BasicPlayer",
        "focused": "ludus.players.focused:FocusedPlayer",
        "negascout": "ludus.players.negascout:NegascoutPlayer",
        "perfect": "ludus.players.perfect:PerfectPlayer",
        "tool": "ludus.players.tool.player:ToolPlayer",
        "gammon": "ludus.learn.gammon.player:GammonPlayer",
        "gnubg": "ludus.protocol.gnubg:GnubgPlayer",
        "bsd": "ludus.protocol.bsd:BsdPlayer",
        "pubeval": "ludus.protocol.pubeval:PubevalPlayer",
        "external": "ludus.protocol.external:ExternalPlayer",
        "fuzzy": "ludus.learn.patterns.player:FuzzyPlayer",
        "adaptive": "ludus.learn.patterns.adaptive:AdaptivePlayer",
        "migo": "ludus.learn.migo.player:MigoPlayer",
        "menace": "ludus.learn.tabular.player:MenacePlayer",
        "her": "ludus.learn.tabular.player:HerPlayer",
        "qlearning": "ludus.learn.tabular.player:QLearningPlayer",
        "deepq": "ludus.learn.deepq.player:DeepQPlayer",
        "nnmm": "ludus.learn.nnmm.player:NnmmPlayer",
        "hybrid": "ludus.learn.nnmm.hybrid:HybridPlayer",
        "scholar": "ludus.learn.scholar.player:ScholarPlayer",
    },
)


def player(spec: str, game: AnyGame) -> Player:
    """A player by its spec string, ready to play this game.

    >>> from ludus.games import game
    >>> player("playouts:games=50", game("hexapawn")).settings.games
    50
    """
    parsed = parse_spec(spec)
    kind = PLAYERS[parsed.name]
    if kind.games is not None and game.id not in kind.games:
        raise BadSpec(f"{parsed.name} does not play {game.id}; it plays {', '.join(kind.games)}")
    options = dict(parsed.options)
    words = list(parsed.words)
    # A player whose main option goes without saying: `external:CMD` is `external:cmd=CMD`.
    if words and (main := getattr(kind, "main_option", "")) and main not in options:
        options[main] = words.pop(0)
    if words:
        raise BadSpec(f"{quoted(words[0])} in {quoted(spec)} is not key=value")
    settings = kind.options
    if options and settings is None:
        raise UnknownName(f"{parsed.name} has no options")
    if settings is not None:
        settings = with_options(settings, options, parsed.name)
    return kind(game, settings, spec)
