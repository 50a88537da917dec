"""Ludus: a school for machines that learn classic board games.

>>> import ludus
>>> game = ludus.game("nine_mens_morris")
>>> position = game.start()
>>> len(position.legal_moves())
24
"""

from importlib.metadata import version

from ludus.core import CHANCE, Choice, Limit, LudusError, Marks, Outcome, Player, play_match
from ludus.games import GAMES, game
from ludus.players import PLAYERS, player

__version__ = version("ludus")

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
    "__version__",
    "game",
    "play_match",
    "player",
]
