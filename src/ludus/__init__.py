"""Ludus: a framework for programs that learn classic board games.

>>> import ludus
>>> game = ludus.game("nine_mens_morris")
>>> position = game.start()
>>> len(position.legal_moves())
24
"""

from ludus.core import CHANCE, Choice, Limit, LudusError, Marks, Outcome, Player, play_match
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


def __getattr__(name: str) -> str:
    """Return `ludus.__version__`, read on first access: it takes as long as all other imports."""
    if name == "__version__":
        from importlib.metadata import version

        return version("ludus")
    raise AttributeError(f"module 'ludus' has no attribute {name!r}")
