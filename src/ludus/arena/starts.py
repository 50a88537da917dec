"""Where games begin: at the start, at given positions, or after some random plies."""

import random
from dataclasses import dataclass
from typing import Any

from ludus.arena.jobs import seed_of
from ludus.core.errors import BadSpec, LudusError
from ludus.core.game import CHANCE, AnyGame

MAX_RANDOM_PLIES = 200
MAX_TRIES = 1000
"""Random games that may end too early before we say that so many plies cannot be played."""


@dataclass(frozen=True, slots=True)
class Starts:
    """What the games of a tournament begin with; by default the start of the game."""

    positions: tuple[str, ...] = ()
    """Positions that are used in turn."""

    random_plies: int = 0
    """So many random plies, rolls of dice not counted, lead away from the start."""

    def __post_init__(self) -> None:
        if self.positions and self.random_plies:
            raise BadSpec("games begin at positions or after random_plies, not both")
        if not 0 <= self.random_plies <= MAX_RANDOM_PLIES:
            raise BadSpec(f"random_plies={self.random_plies} must be from 0 to {MAX_RANDOM_PLIES}")

    def position(self, game: AnyGame, seed: int, number: int) -> str:
        """The start with this number, which depends on nothing else; empty for the usual one."""
        if self.positions:
            return self.positions[number % len(self.positions)]
        if not self.random_plies:
            return ""
        return str(_after_random_plies(game, self.random_plies, seed_of("start", seed, number)))


def is_second_to_begin(game: AnyGame, start: str) -> bool:
    """Whether the side that moves first in the game is not to move in this position."""
    return bool(start) and game.parse(start).mover == 1


def checked(game: AnyGame, text: str) -> str:
    """A position as the game writes it, if one can play on from it."""
    position = game.parse(text)
    if (outcome := position.outcome()) is not None:
        raise BadSpec(f"the game is over in {position}: {outcome}")
    return str(position)


def _after_random_plies(game: AnyGame, plies: int, seed: int) -> Any:
    source = random.Random(seed)
    for _ in range(MAX_TRIES):
        position, left = game.start(), plies
        while position.outcome() is None and (left or position.mover == CHANCE):
            if position.mover == CHANCE:
                rolls, weights = zip(*game.chances(position), strict=True)
                position = position.play(source.choices(rolls, weights)[0])
            else:
                position = position.play(source.choice(position.legal_moves()))
                left -= 1
        if position.outcome() is None:
            # As its text reads, without the road that led there: everybody begins here.
            return game.parse(str(position))
    raise LudusError(f"games of {game.id} are over before {plies} random plies")
