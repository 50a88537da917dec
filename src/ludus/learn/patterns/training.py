"""Training as the paper does it (section 6): games of the heuristics, then of somebody better.

The paper's network has seen 430 games: 100 of each heuristic against itself, 100 of focused against
basic, and 30 of an experienced person, 10 against each heuristic. Here `negascout` stands in for
the person. Who begins alternates.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ludus.core.errors import BadSpec
from ludus.core.game import AnyGame
from ludus.core.match import play_match
from ludus.core.player import Player
from ludus.learn.patterns.learning import learn_match
from ludus.learn.patterns.network import SEED_MUTUAL, SEED_WEIGHTS, Network, Weights
from ludus.players import player as named_player

HEURISTICS = ("newbie", "basic", "focused")

MAX_GAMES = 1_000_000


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


def training_games(game: AnyGame, plan: Plan, seed: int) -> Iterator[list[Any]]:
    """The positions of each game of a plan; the same seed gives the same games."""
    seeds = random.Random(seed)
    for first, second, number in plan.pairs():
        if number == 0:
            continue
        players = named_player(first, game), named_player(second, game)
        for index in range(number):
            yield _positions(game, players if index % 2 == 0 else players[::-1], seeds)


def train(
    game: AnyGame,
    plan: Plan = SEED_PLAN,
    seed: int = 0,
    weights: Weights = SEED_WEIGHTS,
    mutual: float = SEED_MUTUAL,
    watch: Callable[[Network], None] = lambda network: None,
) -> Network:
    """A network that has learned the games of a plan; `watch` sees it after each."""
    network = Network(note=f"{plan.games} games, teacher {plan.teacher}, seed {seed}")
    for positions in training_games(game, plan, seed):
        learn_match(network, positions, weights, mutual)
        watch(network)
    return network


def _positions(game: AnyGame, players: tuple[Player, Player], seeds: random.Random) -> list[Any]:
    positions = [game.start()]
    play_match(
        game,
        players,
        seed=seeds.getrandbits(62),
        watch=lambda position, move: positions.append(position),
    )
    return positions
