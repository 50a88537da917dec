"""Boards of any kind, most of which no game reaches."""

import random
from itertools import islice

import ludus
from ludus.games.nine_mens_morris.notation import PositionFields

UNUSUAL = (
    "men=5,flying=no,repetition=3",
    "lasker,diagonals=yes,take_from_mills=always",
    "morabaraba,blocked=passes,quiet_plies=30",
)


def morris(rules="vrajitoru", engine="native"):
    return ludus.game("nine_mens_morris", rules, engine)


def random_boards(game, seed):
    """Yield random boards without end, some of them of finished games."""
    rng = random.Random(seed)
    while True:
        points = rng.sample(range(24), 24)
        counts = [rng.randint(0, game.rules.men) for _ in range(2)]
        hands = tuple(rng.choice([0, game.rules.men - count]) for count in counts)
        men = frozenset(points[: counts[0]]), frozenset(points[counts[0] : sum(counts)])
        yield game.position(PositionFields(men, hands, rng.randint(0, 1)))


def odd_positions(game, number, seed):
    """Yield this number of random boards that are not over."""
    ongoing = (board for board in random_boards(game, seed) if board.outcome() is None)
    return islice(ongoing, number)
