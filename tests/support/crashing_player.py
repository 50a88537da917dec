"""A player that breaks down in the middle of a game."""

from ludus.core.player import Player
from ludus.players import PLAYERS


class Crashes(Player):
    title = "cannot play"

    def choose(self, position, limit=None):
        raise RuntimeError("out of order")


def register():
    PLAYERS.add("crashes", "support.crashing_player:Crashes")
