"""Ludus: a framework for programs that learn classic board games.

>>> import ludus
>>> game = ludus.game("nine_mens_morris")
>>> position = game.start()
>>> len(position.legal_moves())
24

docs/library.md describes the names offered here and in the packages. All are imported on first use,
from the modules that `__init__.pyi` names.
"""

from typing import Any

import lazy_loader

from ludus.datasets import GENERATORS
from ludus.players import PLAYERS

# A package names only packages below it, in registries, too. So the players and generators of the
# packages above `ludus.players` and `ludus.datasets` are entered here.
PLAYERS.update(
    {
        "gammon": "ludus.learn.gammon.player:GammonPlayer",
        "gnubg": "ludus.protocol.gnubg:GnubgPlayer",
        "bsd": "ludus.protocol.backgammon_players:BsdPlayer",
        "pubeval": "ludus.protocol.backgammon_players:PubevalPlayer",
        "bgsage": "ludus.protocol.backgammon_players:BgsagePlayer",
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

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("ludus-games")
    return _load(name)
