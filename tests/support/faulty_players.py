"""Players that misbehave, each in its own way, and one that does not."""

import os
import signal
import sys
import time

from ludus.core.player import Choice, Player
from ludus.players import PLAYERS


class _First(Player):
    title = "plays the first legal move"

    def choose(self, position, limit=None):
        return Choice(position.legal_moves()[0])


class Raises(_First):
    def choose(self, position, limit=None):
        raise RuntimeError("I give\nup")


class Quits(_First):
    def choose(self, position, limit=None):
        sys.exit(5)


class RaisesLater(_First):
    """Its second move fails."""

    def start_game(self, seed):
        self.moves = 0

    def choose(self, position, limit=None):
        self.moves += 1
        return Choice(position.legal_moves()[0]) if self.moves == 1 else 1 // 0


class CannotBegin(_First):
    def start_game(self, seed):
        raise OSError("no network")


class CannotBeMade(_First):
    def __init__(self, game, settings, spec):
        raise ValueError("no weights")


class Cheats(_First):
    def choose(self, position, limit=None):
        return Choice("a9", "surprise")


class SaysNothing(_First):
    def choose(self, position, limit=None):
        return None


class Babbles(_First):
    """Its comments cannot be encoded, and it prints."""

    def choose(self, position, limit=None):
        print("hello")
        return Choice(position.legal_moves()[0], "}\ud800{\0")


class Dies(_First):
    def choose(self, position, limit=None):
        os._exit(3)


class IsKilled(_First):
    def choose(self, position, limit=None):
        os.kill(os.getpid(), signal.SIGKILL)


class Dawdles(_First):
    def choose(self, position, limit=None):
        time.sleep(0.3)
        return Choice(position.legal_moves()[0])


class Hangs(_First):
    def choose(self, position, limit=None):
        time.sleep(1000)


NAMES = {
    "first": _First,
    "raises": Raises,
    "quits": Quits,
    "raises_later": RaisesLater,
    "cannot_begin": CannotBegin,
    "cannot_be_made": CannotBeMade,
    "cheats": Cheats,
    "says_nothing": SaysNothing,
    "babbles": Babbles,
    "dies": Dies,
    "is_killed": IsKilled,
    "dawdles": Dawdles,
    "hangs": Hangs,
}


def die(job) -> None:
    """End the process without an error that a worker could report."""
    os._exit(7)


def register() -> None:
    """Register the players in this process."""
    for name, kind in NAMES.items():
        PLAYERS.add(name, f"{__name__}:{kind.__name__}")
