"""Training as the paper does it (section 6): games of the heuristics, then of somebody better.

The paper's network has seen 430 games: 100 of each heuristic against itself, 100 of focused against
basic, and 30 of an experienced person, 10 against each heuristic. Here `negascout` stands in for
the person. Who begins alternates.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludus.core.errors import BadSpec
from ludus.core.game import AnyGame
from ludus.core.match import play_match
from ludus.core.player import Player
from ludus.learn.patterns.file import load, save
from ludus.learn.patterns.learning import learn_match
from ludus.learn.patterns.network import SEED_MUTUAL, SEED_WEIGHTS, Network
from ludus.players import player as named_player

HEURISTICS = ("newbie", "basic", "focused")

MAX_GAMES = 1_000_000

GAMES_A_CHECKPOINT = 200


@dataclass(frozen=True, slots=True)
class Plan:
    """Who plays the games that are learned, and how many of them."""

    own: int = 100
    """Games of each heuristic against itself."""

    mixed: int = 100
    """Games of focused against basic."""

    strong: int = 10
    """Games of the stronger player against each heuristic."""

    teacher: str = "negascout:level=6"
    """The stronger player, which stands in for the paper's experienced person."""

    def __post_init__(self) -> None:
        for name in ("own", "mixed", "strong"):
            if not 0 <= getattr(self, name) <= MAX_GAMES:
                value = getattr(self, name)
                raise BadSpec(f"patterns {name}={value} must be from 0 to {MAX_GAMES}")

    def pairs(self) -> Iterator[tuple[str, str, int]]:
        """Each pairing with its number of games, in the order in which they are learned."""
        for name in HEURISTICS:
            yield name, name, self.own
        yield "focused", "basic", self.mixed
        for name in HEURISTICS:
            yield self.teacher, name, self.strong

    @property
    def games(self) -> int:
        """Games in all."""
        return sum(number for _, _, number in self.pairs())


SEED_PLAN = Plan()


@dataclass(frozen=True, slots=True)
class Training:
    """A plan to be carried out; the same seed gives the same games."""

    game: AnyGame
    plan: Plan = SEED_PLAN
    seed: int = 0
    mutual: float = SEED_MUTUAL

    @property
    def games(self) -> int:
        """Games that are played."""
        return self.plan.games

    def run(
        self, base: Network, people: Sequence[list[Any]] = (), checkpoint: Path | None = None
    ) -> Iterator[Network]:
        """The network after each game: first those of the plan, then those of people.

        With a checkpoint it goes on where an earlier run with the same base has stopped.
        """
        network, done = self._begun(base, checkpoint)
        for number, positions in enumerate(self.played(done), done + 1):
            learn_match(network, positions, SEED_WEIGHTS, self.mutual)
            if checkpoint is not None and number % GAMES_A_CHECKPOINT == 0:
                save(network, checkpoint)
            yield network
        for positions in people:
            learn_match(network, positions, SEED_WEIGHTS, self.mutual)
            yield network

    def played(self, skip: int = 0) -> Iterator[list[Any]]:
        """The positions of each game, but for the first ones."""
        seeds = random.Random(self.seed)
        number = 0
        # All players are made first: one that cannot be made is better known at once.
        pairings = [
            ((named_player(first, self.game), named_player(second, self.game)), games)
            for first, second, games in self.plan.pairs()
        ]
        for players, games in pairings:
            for index in range(games):
                own_seed = seeds.getrandbits(62)
                number += 1
                if number > skip:
                    sides = players if index % 2 == 0 else players[::-1]
                    yield _positions(self.game, sides, own_seed)

    def _begun(self, base: Network, checkpoint: Path | None) -> tuple[Network, int]:
        """The network to go on with, and how many games of the plan it knows."""
        note = self._note(base)
        if checkpoint is not None and checkpoint.is_file():
            found = load(checkpoint)
            if found.note == note:
                return found, found.games - base.games
        fresh = base.copy()
        fresh.note = note
        return fresh, 0

    def _note(self, base: Network) -> str:
        """What tells this training from others."""
        plan = self.plan
        parts = f"{plan.own}+{plan.mixed}+{plan.strong} games a pairing, teacher {plan.teacher}"
        how = f"seed {self.seed}, mutual {self.mutual:g}"
        return f"{parts}, {how}" + (f"; onto {base.games} games: {base.note}" if base.games else "")


def train(game: AnyGame, plan: Plan = SEED_PLAN, seed: int = 0) -> Network:
    """A network that has learned the games of a plan."""
    return last(Training(game, plan, seed).run(Network()), Network())


def last(networks: Iterable[Network], otherwise: Network) -> Network:
    """The network after the last game, or another one if there was no game."""
    found = otherwise
    for each in networks:
        found = each
    return found


def _positions(game: AnyGame, players: tuple[Player, Player], seed: int) -> list[Any]:
    positions = [game.start()]
    play_match(game, players, seed=seed, watch=lambda position, move: positions.append(position))
    return positions
