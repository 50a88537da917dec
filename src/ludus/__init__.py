"""Ludus: a framework for programs that learn classic board games.

>>> import ludus
>>> game = ludus.game("nine_mens_morris")
>>> position = game.start()
>>> len(position.legal_moves())
24
"""

from ludus.core import CHANCE, Choice, Limit, LudusError, Marks, Outcome, Player, play_match
from ludus.datasets import GENERATORS
from ludus.games import GAMES, game
from ludus.players import PLAYERS, player

__all__ = [
    "CHANCE",
    "GAMES",
    "PLAYERS",
    "Choice",
    "Limit",
    "LudusError",
    "Marks",
    "Outcome",
    "Player",
    "game",
    "play_match",
    "player",
]

# A package names only packages below it, in registries, too. So the players and generators of the
# packages above `ludus.players` and `ludus.datasets` are entered here.
PLAYERS.update(
    {
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
    }
)
GENERATORS.update({"backgammon": "ludus.protocol.gnubg_generator:GnubgGenerator"})


def __getattr__(name: str) -> str:
    """Return `ludus.__version__`, read on first access: it takes as long as all other imports."""
    if name == "__version__":
        from importlib.metadata import version

        return version("ludus")
    raise AttributeError(f"module 'ludus' has no attribute {name!r}")
