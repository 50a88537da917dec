"""Ludus: a framework for programs that learn classic board games.

>>> import ludus
>>> game = ludus.game("nine_mens_morris")
>>> position = game.start()
>>> len(position.legal_moves())
24

docs/library.md describes the names offered here and in the packages. All are imported on first use.
"""

from typing import TYPE_CHECKING, Any

from ludus._lazy import lazy_exports
from ludus.datasets import GENERATORS
from ludus.players import PLAYERS

if TYPE_CHECKING:
    from ludus import (
        analysis,
        arena,
        core,
        datasets,
        envs,
        games,
        learn,
        oracles,
        players,
        protocol,
        reproduce,
    )
    from ludus.arena.jobs import GameConditions
    from ludus.arena.regret import RegretStatistics
    from ludus.arena.report import TournamentReport
    from ludus.arena.shortcuts import MatchResult, analyse, match, regret, tournament
    from ludus.arena.tournament import Tournament, read_tournament
    from ludus.core.errors import BadMove, BadPosition, BadRecord, BadSpec, LudusError, UnknownName
    from ludus.core.game import CHANCE, AnyGame, Game, Move, Outcome, Position
    from ludus.core.marks import Marks
    from ludus.core.match import PlayedGame, PlayedMove, play_game
    from ludus.core.player import Choice, Limit, Player
    from ludus.core.record import Record
    from ludus.core.spec import parse_spec
    from ludus.datasets import MoveBatch, augment, read_dataset
    from ludus.datasets.morris.labels import label
    from ludus.envs import env
    from ludus.games import GAMES, game
    from ludus.learn import LEARNERS, learner
    from ludus.learn.episodes import Learner
    from ludus.learn.training import train
    from ludus.oracles.interface import Oracle, RatedMove, Unsolved, Value, Verdict
    from ludus.oracles.solving import solve
    from ludus.oracles.selection import oracle
    from ludus.players import player

    __version__: str

__all__ = [
    "CHANCE",
    "GAMES",
    "LEARNERS",
    "PLAYERS",
    "AnyGame",
    "BadMove",
    "BadPosition",
    "BadRecord",
    "BadSpec",
    "Choice",
    "Game",
    "GameConditions",
    "Learner",
    "Limit",
    "LudusError",
    "Marks",
    "MatchResult",
    "Move",
    "MoveBatch",
    "Oracle",
    "Outcome",
    "PlayedGame",
    "PlayedMove",
    "Player",
    "Position",
    "RatedMove",
    "Record",
    "RegretStatistics",
    "Tournament",
    "TournamentReport",
    "UnknownName",
    "Unsolved",
    "Value",
    "Verdict",
    "analyse",
    "analysis",
    "arena",
    "augment",
    "core",
    "datasets",
    "env",
    "envs",
    "game",
    "games",
    "label",
    "learn",
    "learner",
    "match",
    "oracle",
    "oracles",
    "parse_spec",
    "play_game",
    "player",
    "players",
    "protocol",
    "read_dataset",
    "read_tournament",
    "regret",
    "reproduce",
    "solve",
    "tournament",
    "train",
]

# A package names only packages below it, in registries, too. So the players and generators of the
# packages above `ludus.players` and `ludus.datasets` are entered here.
PLAYERS.update(
    {
        "gammon": "ludus.learn.gammon.player:GammonPlayer",
        "gnubg": "ludus.protocol.gnubg_player:GnubgPlayer",
        "bsd": "ludus.protocol.backgammon_players:BsdPlayer",
        "pubeval": "ludus.protocol.backgammon_players:PubevalPlayer",
        "bgsage": "ludus.protocol.bgsage:BgsagePlayer",
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

if not TYPE_CHECKING:
    _load, __dir__ = lazy_exports(__name__)

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            from importlib.metadata import version

            return version("ludus")
        return _load(name)
