"""Where matches for a dataset begin: with an advantage for one side, or anywhere realistic."""

import random
from typing import Any

import numpy as np

from ludus.core.errors import LudusError
from ludus.datasets.morris.judging import FINE, judge
from ludus.datasets.morris.lines import read_lines
from ludus.datasets.morris.reachability import find_impossible, subspaces
from ludus.games.nine_mens_morris.board import POINTS
from ludus.games.nine_mens_morris.game import NineMensMorris
from ludus.games.nine_mens_morris.notation import Fields, to_thesis

MAX_TRIES = 10_000
MAX_PLIES = 120
"""Plies after which a game that brought no advantage is begun anew."""

MAX_ADVANTAGE = 3
"""Men by which a side may be ahead."""

PLACING_SHARE = 0.2
"""How many of the random starts have men in hand; what follows is mostly without."""


def start_with_advantage(game: NineMensMorris, source: random.Random) -> Any:
    """A position of a game between beginners in which a side is one to three men ahead."""
    for _ in range(MAX_TRIES):
        wanted = source.randint(1, MAX_ADVANTAGE)
        position = game.start()
        for _ in range(MAX_PLIES):
            position = position.play(source.choice(position.heuristic_moves("newbie")))
            if position.outcome() is not None:
                break
            if abs(_men(position, 0) - _men(position, 1)) >= wanted:
                # As it looks, without the road that led there.
                return game.parse(str(position))
    raise LudusError(f"no game of {game.id} with these rules brings an advantage")


def random_start(game: NineMensMorris, source: random.Random) -> Any:
    """Men on random points, in numbers that a game can lead to and without plain impossibilities.

    It may still be that no game leads there.
    """
    counts = sorted(subspaces(game.rules))
    placing = [count for count in counts if count.mover_hand > 0]
    moving = [count for count in counts if count.mover_hand == 0]
    for _ in range(MAX_TRIES):
        count = source.choice(placing if source.random() < PLACING_SHARE else moving)
        mover = source.randrange(2)
        points = source.sample(range(len(POINTS)), count.mover + count.other)
        own, other = frozenset(points[: count.mover]), frozenset(points[count.mover :])
        men, hands = (own, other), (count.mover_hand, count.other_hand)
        if mover == 1:
            men, hands = men[::-1], hands[::-1]
        position = game.position(Fields(men, hands, mover))
        if position.outcome() is None and _is_realistic(position):
            return position
    raise LudusError(f"no random position of {game.id} with these rules can be played")


def _is_realistic(position: Any) -> bool:
    entries = read_lines(to_thesis(position).encode()).entries
    verdicts = judge(entries, position.rules), find_impossible(entries, position.rules)
    return bool(np.all(np.concatenate(verdicts) == FINE))


def _men(position: Any, side: int) -> int:
    return len(position.men[side]) + int(position.hands[side])
